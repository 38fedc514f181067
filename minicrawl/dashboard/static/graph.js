// The most important pages, hosts or sites, and the links between them; on a narrow screen a list. Wheel, buttons, keys and
// two fingers zoom, dragging moves.

import {card, choice, el, pagesOf, setText, shortened, svg, whyOf} from "./dom.js";
import {More} from "./table.js";
import {count, percent, printable} from "./format.js";

const [EDGE, COLORS] = [30, 6];
const ALL = {x: 0, y: 0, size: 1};
const KEYS = {"+": [0.7], "=": [0.7], "-": [1 / 0.7], 0: [Infinity], ArrowLeft: [1, -1, 0], ArrowRight: [1, 1, 0], ArrowUp: [1, 0, -1], ArrowDown: [1, 0, 1]};
const BUTTONS = [["+", "Zoom in", "+"], ["\u2212", "Zoom out", "-"], ["All", "Show all", "0"]];

export class Graph {
  constructor(app) {
    this.app = app;
    this.of = choice([["pages", "pages"], ["hosts", "hosts"], ["sites", "sites"]], () => { this.frame = ALL; app.read(); });
    this.words = el("p", {role: "status"});
    this.legend = el("p", {class: "legend"});
    this.buttons = el("div", {class: "zoom", role: "group", "aria-label": "Zoom"}, ...BUTTONS.map(([text, label, key]) => el("button", {type: "button", class: "small", "aria-label": label, onclick: () => this.step(key)}, text)));
    this.picture = el("div", {class: "graph", tabindex: "0", role: "group", "aria-label": "Graph: plus and minus zoom, 0 shows all, arrows move", onkeydown: (event) => this.key(event)});
    this.list = el("ol", {class: "nodes"});
    this.more = new More(() => this.showList());
    this.nodes = [card("Graph", el("div", {class: "head"}, el("label", {class: "filter"}, "The 200 most important ", this.of), this.buttons), this.words, this.legend, this.picture, this.list, el("div", {class: "nodes"}, this.more.node))];
    this.frame = ALL; // what is seen: its corner in the picture, and its size as a part of it
    this.fingers = new Map();
  }

  async read() {
    if (!this.text) setText(this.words, "The picture is being drawn.");
    const found = await this.app.get("/api/picture", {of: this.of.value});
    const text = JSON.stringify(found);
    const isLooked = this.found?.of === this.of.value && (this.frame !== ALL || this.picture.matches(":hover, :focus-within"));
    if (text !== this.text && !isLooked) this.draw({...found, of: this.of.value}); // nothing moves under a pointer
    if (!isLooked) this.text = text;
  }

  fail(sentence) {
    setText(this.words, printable(sentence));
  }

  draw(found) {
    this.found = found;
    // As large as there is room, so that a unit is a pixel until the window changes.
    this.width = this.picture.clientWidth || 1000;
    this.height = Math.min(Math.max(innerHeight - 300, 360), 0.7 * this.width);
    const {nodes, links, all_links: all, by, of, apart} = found;
    const shown = links.length < all ? `; the ${count(links.length)} strongest are drawn` : "";
    setText(this.words, `${count(nodes.length)} ${of}, ${count(all)} links between them${apart > 1 ? ` on one page in ${count(apart)}` : ""}${shown}.`);
    const most = Math.max(...nodes.map((node) => node.weight), 1e-12);
    const groups = grouped(nodes);
    this.places = nodes.map((node, index) => ({
      node, index, by, x: EDGE + node.x * (this.width - 2 * EDGE), y: EDGE + node.y * (this.height - 2 * EDGE), r: 3 + 15 * Math.sqrt(node.weight / most), color: groups.get(node.group),
      name: printable(node.title || node.name), to: node.url ? whyOf(node.url) : pagesOf({[of === "sites" ? "site" : "host"]: node.name}),
    }));
    const edges = links.map(([from, to]) => svg("line", {x1: this.places[from].x, y1: this.places[from].y, x2: this.places[to].x, y2: this.places[to].y, class: "edge", "data-from": from, "data-to": to}));
    this.circles = this.places.map(({color}) => svg("circle", {class: `node group-${color}`}));
    this.names = svg("g");
    const drag = (event) => this.drag(event);
    this.sheet = svg("svg", {
      onwheel: (event) => this.wheel(event), onpointerdown: drag, onpointermove: drag, onpointerup: drag, onpointercancel: drag, ondragstart: (event) => event.preventDefault(),
    }, ...edges, ...this.places.map((place) => this.link(place)), this.names);
    this.sheet.addEventListener("click", (event) => { if (this.isDragged) event.preventDefault(); }, true);
    this.picture.replaceChildren(this.sheet);
    const sizes = `Size: ${by}, up to ${percent(most, 2)} of all. Colour: `;
    const keys = [...groups].filter(([, color], index) => index < COLORS).map(([name, color]) => el("a", {class: `dot-${color}`, href: pagesOf({[groups.kind]: name})}, printable(name)));
    this.legend.replaceChildren(sizes, ...keys, groups.size > COLORS ? el("span", {class: `dot-${COLORS}`}, `${count(groups.size - COLORS)} other ${groups.kind}s`) : "");
    this.showList();
    this.look(this.frame);
  }

  showList() {
    this.list.replaceChildren(...this.more.first(this.places).map(({to, name, color, node}) => el("li", {}, el("a", {href: to, class: `dot-${color}`}, shortened(name)), el("span", {class: "quiet"}, ` ${percent(node.weight, 2)}`), node.title ? el("div", {class: "quiet"}, shortened(node.name)) : null)));
  }

  link({node, to, by, index}) {
    const label = `${printable(node.title ? `${node.title}, ${node.name}` : node.name)}: ${percent(node.weight, 2)} of all ${by}`;
    const light = (isOn) => {
      this.picture.querySelectorAll(`[data-from="${index}"],[data-to="${index}"]`).forEach((line) => line.classList.toggle("lit", isOn));
      this.named = isOn ? index : undefined;
      this.label();
    };
    return svg("a", {href: to, "aria-label": label, onmouseenter: () => light(true), onmouseleave: () => light(false), onfocus: () => light(true), onblur: () => light(false)}, this.circles[index]);
  }

  // Shows a part of the picture. Circles and names grow less than the distances, so that what was crowded comes apart.
  look({x, y, size}) {
    size = Math.min(Math.max(size, 0.02), 1);
    this.frame = size === 1 ? ALL : {size, x: Math.min(Math.max(x, 0), this.width * (1 - size)), y: Math.min(Math.max(y, 0), this.height * (1 - size))};
    if (!this.sheet) return;
    this.sheet.setAttribute("viewBox", [this.frame.x, this.frame.y, this.width * size, this.height * size].map((length) => Number(length.toFixed(2))).join(" "));
    this.places.forEach(({x: cx, y: cy, r}, index) => {
      for (const [name, value] of Object.entries({cx, cy, r: r * size ** 0.7})) this.circles[index].setAttribute(name, value);
    });
    this.label();
  }

  // Names of the first nodes in sight, as far as there is room, and of the one pointed at.
  label() {
    const {x, y, size} = this.frame;
    const seen = this.places.filter((at) => at.x >= x && at.x <= x + this.width * size && at.y >= y && at.y <= y + this.height * size).slice(0, 30 / size);
    const first = this.named === undefined ? [] : [this.places[this.named]];
    const spots = [...first, ...seen].map((at) => ({at, text: at === first[0] ? shortened(at.name, 90) : brief(at.name), x: at.x, y: at.y - (6 * size + at.r * size ** 0.7), side: side((at.x - x) / (this.width * size))}));
    this.names.setAttribute("font-size", 13 * size);
    this.names.replaceChildren(...apart(spots, size).map((spot) => svg("text", {x: spot.x, y: spot.y, class: spot.at === first[0] ? "name named" : "name", "text-anchor": spot.side}, spot.text)));
  }

  // Zooms by a factor about a point of the picture.
  zoom(factor, [px, py]) {
    const {x, y, size} = this.frame;
    const to = Math.min(Math.max(size * factor, 0.02), 1);
    this.look({size: to, x: px - (px - x) * (to / size), y: py - (py - y) * (to / size)});
  }

  step(key) {
    const {x, y, size} = this.frame;
    const [factor, right, down] = KEYS[key];
    if (right === undefined) this.zoom(factor, [x + (this.width * size) / 2, y + (this.height * size) / 2]);
    else this.look({size, x: x + right * size * this.width * 0.2, y: y + down * size * this.height * 0.2});
  }

  key(event) {
    if (!(event.key in KEYS) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.step(event.key);
  }

  wheel(event) {
    if (event.deltaY > 0 && this.frame === ALL) return; // the page scrolls
    event.preventDefault();
    this.zoom(Math.exp(event.deltaY / 400), this.point(event));
  }

  // The place of a pointer in the picture.
  point({clientX, clientY}) {
    const {x, y} = new DOMPoint(clientX, clientY).matrixTransform(this.sheet.getScreenCTM().inverse());
    return [x, y];
  }

  drag(event) {
    const {pointerId: id, clientX, clientY} = event;
    const before = [...this.fingers.values()];
    if (event.type === "pointerdown") {
      this.isDragged = false;
      this.fingers.set(id, {clientX, clientY});
    } else if (event.type !== "pointermove") {
      this.fingers.delete(id);
    } else if (this.fingers.has(id)) {
      const last = this.fingers.get(id);
      if (!this.isDragged && Math.hypot(clientX - last.clientX, clientY - last.clientY) < 4) return; // a click
      this.isDragged = true;
      this.sheet.setPointerCapture(id);
      this.fingers.set(id, {clientX, clientY});
      const after = [...this.fingers.values()];
      const [[fromX, fromY], [toX, toY]] = [before, after].map((some) => this.point(middle(some)));
      this.look({...this.frame, x: this.frame.x + fromX - toX, y: this.frame.y + fromY - toY});
      if (after.length === 2) this.zoom(spread(before) / Math.max(spread(after), 1), this.point(middle(after)));
    }
  }
}

function middle(fingers) {
  const mean = (name) => fingers.reduce((sum, finger) => sum + finger[name], 0) / fingers.length;
  return {clientX: mean("clientX"), clientY: mean("clientY")};
}

function spread([one, other]) {
  return Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
}

// The colour of each site; of each host where all are of one site. The first ones have colours of their own.
function grouped(nodes) {
  const groups = new Map();
  groups.kind = new Set(nodes.map((node) => node.site)).size > 1 ? "site" : "host";
  for (const node of nodes) {
    node.group = groups.kind === "site" ? node.site : node.url ? new URL(node.url).host : node.name;
    if (!groups.has(node.group)) groups.set(node.group, Math.min(groups.size, COLORS));
  }
  return groups;
}

// The names that do not overlap an earlier one. size: of the frame.
function apart(spots, size) {
  const taken = [];
  return spots.filter((spot) => {
    const width = spot.text.length * 8 * size;
    const left = {start: spot.x, middle: spot.x - width / 2, end: spot.x - width}[spot.side];
    const isFree = taken.every((other) => Math.abs(other.y - spot.y) > 18 * size || left > other.right || left + width < other.left);
    if (isFree) taken.push({left, right: left + width, y: spot.y});
    return isFree;
  });
}

function side(x) {
  return x < 1 / 4 ? "start" : x > 3 / 4 ? "end" : "middle";
}

function brief(text) {
  return text.length > 34 ? `${text.slice(0, 32)}…` : text;
}
