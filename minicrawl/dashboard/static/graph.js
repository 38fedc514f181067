// The best pages, or hosts, and the links between them. A click on a page opens its view.

import {card, choice, el, setText, svg, whyOf} from "./dom.js";
import {count, percent, printable, small} from "./format.js";

const [WIDTH, HEIGHT, EDGE] = [1000, 700, 30];

export class Graph {
  constructor(app) {
    this.app = app;
    this.of = choice([["pages", "pages"], ["hosts", "hosts"]], () => app.read());
    this.words = el("p", {role: "status"});
    this.picture = el("div", {class: "graph"});
    this.nodes = [card("Graph", el("label", {class: "filter"}, "The 200 most important ", this.of), this.words, this.picture)];
  }

  async read() {
    if (!this.text) setText(this.words, "The picture is being drawn.");
    const found = await this.app.get("/api/picture", {of: this.of.value});
    const text = JSON.stringify(found);
    if (text !== this.text) this.draw(found);
    this.text = text;
  }

  fail(sentence) {
    setText(this.words, printable(sentence));
  }

  draw({nodes, links, all_links: all}) {
    const shown = links.length < all ? `; the ${count(links.length)} strongest are drawn` : "";
    setText(this.words, `${count(nodes.length)} ${this.of.value}, ${count(all)} links between them${shown}. The larger, the more important.`);
    const at = nodes.map((node) => [EDGE + node.x * (WIDTH - 2 * EDGE), EDGE + node.y * (HEIGHT - 2 * EDGE)]);
    const most = Math.max(...nodes.map((node) => node.weight), 1e-12);
    const lines = links.map(([from, to]) => svg("line", {x1: at[from][0], y1: at[from][1], x2: at[to][0], y2: at[to][1], class: "edge", "data-from": from, "data-to": to}));
    const groups = new Map();
    const circles = nodes.map((node, index) => this.circle(node, at[index], 3 + 15 * Math.sqrt(node.weight / most), group(groups, node), index));
    const spots = nodes.slice(0, 30).map((node, index) => ({text: shortened(printable(node.title || node.name)), x: at[index][0], y: at[index][1] - 6 - 15 * Math.sqrt(node.weight / most)}));
    const names = apart(spots).map(({text, x, y}) => svg("text", {x, y, class: "name", "text-anchor": anchor(x)}, text));
    this.picture.replaceChildren(svg("svg", {viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": "Graph"}, ...lines, ...circles, ...names));
  }

  circle(node, [cx, cy], r, color, index) {
    const name = printable(node.title ? `${node.title}, ${node.name}` : node.name);
    const label = `${name}: importance ${small(node.weight)} (${percent(node.weight, 2)})`;
    const circle = svg("circle", {cx, cy, r, class: `node group-${color}`}, svg("title", {}, label));
    const lit = (isOn) => this.picture.querySelectorAll(`[data-from="${index}"],[data-to="${index}"]`).forEach((line) => line.classList.toggle("lit", isOn));
    const to = node.url ? whyOf(node.url) : "#hosts";
    return svg("a", {href: to, "aria-label": label, onmouseenter: () => lit(true), onmouseleave: () => lit(false), onfocus: () => lit(true), onblur: () => lit(false)}, circle);
  }
}

// One of six colours for a page's host; the first hosts have colours of their own.
function group(groups, node) {
  const host = node.url ? new URL(node.url).host : node.name;
  if (!groups.has(host)) groups.set(host, Math.min(groups.size, 6));
  return groups.get(host);
}

// The names that do not overlap an earlier one.
function apart(spots) {
  const taken = [];
  return spots.filter((spot) => {
    const width = spot.text.length * 8;
    const left = {start: spot.x, middle: spot.x - width / 2, end: spot.x - width}[anchor(spot.x)];
    const isFree = taken.every((other) => Math.abs(other.y - spot.y) > 18 || left > other.right || left + width < other.left);
    if (isFree) taken.push({left, right: left + width, y: spot.y});
    return isFree;
  });
}

function anchor(x) {
  return x < WIDTH / 4 ? "start" : x > (3 * WIDTH) / 4 ? "end" : "middle";
}

function shortened(text) {
  return text.length > 34 ? `${text.slice(0, 32)}…` : text;
}
