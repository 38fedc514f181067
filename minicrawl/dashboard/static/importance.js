// The most important pages, and the importance collected by the pages read.

import {card, choice, el, known, outside, setText} from "./dom.js";
import {count, day, percent, printable, small} from "./format.js";
import {Chart} from "./chart.js";
import {Table} from "./table.js";

export class Importance {
  constructor(app) {
    this.app = app;
    this.order = choice([["importance", "importance"],
      ["history", "history"], ["cash", "cash"], ["inlinks", "in-links"]], () => app.read());
    this.table = new Table("The most important pages", [
      {title: "Rank", numeric: true, text: (page) => count(page.rank), sort: (page) => page.rank},
      {title: "Page", wide: true, of: (page) => [page.url, page.title, page.alike], node: pageNode},
      {title: "Importance", numeric: true, text: (page) => small(page.importance), sort: (page) => page.importance},
      {title: "In-links", numeric: true, text: (page) => count(page.inlinks), sort: (page) => page.inlinks},
      {title: "Depth", numeric: true, text: (page) => count(page.depth), sort: (page) => page.depth},
    ], (page) => page.url, "No page has been read yet.");
    this.rising = new Table("Pages that have become more important", [
      {title: "Page", wide: true, of: (page) => [page.url, page.title], node: pageNode},
      {title: "Importance", numeric: true, text: (page) => small(page.importance), sort: (page) => page.importance},
      {title: "Before", numeric: true, text: (page) => small(page.before), sort: (page) => page.before},
      {title: "Then", text: (page) => day(page.since), sort: (page) => page.since},
    ], (page) => page.url, "Of no page is it known. Only pages that are fetched again can tell: see 'crawl --refresh'.");
    this.changed = new Table("Pages that have changed or gone", [
      {title: "Page", wide: true, of: (page) => [page.url, page.title], node: pageNode},
      {title: "What", text: (page) => page.what},
      {title: "Blocks", text: (page) => (page.added || page.removed ? `+${count(page.added)} -${count(page.removed)}` : "")},
      {title: "Importance", numeric: true, text: (page) => small(page.importance), sort: (page) => page.importance},
      {title: "When", text: (page) => day(page.at), sort: (page) => page.at},
    ], (page) => `${page.what} ${page.url}`, "None is known. Only of pages that are fetched again is it: see 'crawl --refresh'.");
    this.orders = el("label", {class: "filter"}, "Ordered by ", this.order);
    this.words = el("p", {role: "status"}, "The store is being read.");
    this.chart = new Chart({title: "Importance collected", xLabel: "pages read", yLabel: "share of importance", yMin: 0, xText: count, yText: (y) => percent(y, 0)});
    this.nodes = [
      card("Importance collected", this.words, this.chart.node),
      card("The most important pages", this.orders, this.table.node),
      card("Changed in the last seven days", this.changed.node),
      card("Rising in the last seven days", this.rising.node),
    ];
  }

  // Partitions are ordered together; risers are not known across them.
  show(now) {
    this.orders.hidden = Boolean(now.partitions);
    if (now.partitions) setText(this.rising.empty, "Over partitions this is not known.");
  }

  async read() {
    const get = this.app.get;
    const [top, curve, rising, changed] = await Promise.all([get("/api/top", {by: this.order.value, n: 100}), get("/api/importance"), get("/api/rising"), get("/api/changes")]);
    this.table.show(top.pages);
    this.changed.show(changed.pages);
    this.rising.show(rising.pages);
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
