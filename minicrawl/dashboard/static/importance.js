// The most important pages, and how much of all importance the pages read hold.

import {card, el, known, outside, setText} from "./dom.js";
import {count, percent, printable, small} from "./format.js";
import {Chart} from "./chart.js";
import {Table} from "./table.js";

export class Importance {
  constructor(app) {
    this.app = app;
    this.order = el("select", {onchange: () => this.read()},
      ...[["", "what fits best"], ["importance", "importance"], ["expected", "expected importance"], ["history", "history"], ["cash", "cash"], ["inlinks", "in-links"]]
        .map(([value, text]) => el("option", {value}, text)));
    this.table = new Table("The most important pages", [
      {title: "Rank", numeric: true, text: (page) => count(page.rank), sort: (page) => page.rank},
      {title: "Page", wide: true, of: (page) => [page.url, page.title, page.alike], node: pageNode},
      {title: "Importance", numeric: true, text: (page) => small(page.importance), sort: (page) => page.importance},
      {title: "Expected", numeric: true, text: (page) => small(page.expected), sort: (page) => page.expected ?? 0},
      {title: "In-links", numeric: true, text: (page) => count(page.inlinks), sort: (page) => page.inlinks},
      {title: "Depth", numeric: true, text: (page) => count(page.depth), sort: (page) => page.depth},
    ], (page) => page.url, "No page has been read yet.");
    this.words = el("p", {});
    this.chart = new Chart({title: "Importance collected", xLabel: "pages read", yLabel: "share of importance", yMin: 0, xText: count, yText: (y) => percent(y, 0)});
    this.nodes = [
      card("Importance collected", this.words, this.chart.node),
      card("The most important pages", el("label", {class: "filter"}, "Ordered by ", this.order), this.table.node),
    ];
  }

  async read() {
    const [top, curve] = await Promise.all([this.app.get("/api/top", {by: this.order.value, n: 100}), this.app.get("/api/importance")]);
    this.table.show(top.pages);
    const {collected, possible} = curve.curves;
    const [held, best] = [collected, possible].map((points) => (points.length ? points[points.length - 1][1] : 0));
    const words = `${count(curve.read)} pages read of ${count(curve.known)} known hold ${percent(held)} of the importance that all of them have by the links found so far; the best ${count(curve.read)} would hold ${percent(best)}.`;
    setText(this.words, words);
    this.chart.show([{name: "collected", points: collected}, {name: "at best", points: possible, kind: "dashed"}], words);
  }

  fail(sentence) {
    setText(this.words, sentence);
  }
}

function pageNode(page) {
  const title = printable(page.title) || printable(page.url);
  const alike = page.alike ? el("span", {class: "quiet"}, ` and ${count(page.alike)} more like this`) : null;
  return el("div", {}, known(page.url, title), alike, el("br"), el("span", {class: "quiet"}, outside(page.url, printable(page.url))));
}
