// The most important pages.

import {card, choice, el, known, outside} from "./dom.js";
import {count, printable, small} from "./format.js";
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
    this.orders = el("label", {class: "filter"}, "Ordered by ", this.order);
    this.nodes = [card("The most important pages", this.orders, this.table.node)];
  }

  // Partitions are ordered together.
  show(now) {
    this.orders.hidden = Boolean(now.partitions);
  }

  async read() {
    this.table.show((await this.app.get("/api/top", {by: this.order.value, n: 100})).pages);
  }
}

function pageNode(page) {
  const title = printable(page.title) || printable(page.url);
  const alike = page.alike ? el("span", {class: "quiet"}, ` and ${count(page.alike)} more like this`) : null;
  return el("div", {}, known(page.url, title), alike, el("br"), el("span", {class: "quiet"}, outside(page.url, printable(page.url))));
}
