// The pages that a filter selects, the most important first: every number of pages elsewhere leads here.

import {card, el, pagesOf, setText, titled, whyOf} from "./dom.js";
import {count, counted, isLost, printable, weight} from "./format.js";
import {Table} from "./table.js";

const [FIRST, MOST] = [50, 500]; // lines

export class Pages {
  constructor(app) {
    this.app = app;
    this.n = FIRST;
    this.where = el("input", {name: "where", placeholder: "status = 404 AND site = 'example.org'", autocomplete: "off", spellcheck: "false"});
    const ask = (event) => {
      event.preventDefault();
      app.open(pagesOf({where: this.where.value.trim()}));
    };
    this.words = el("p", {role: "status"});
    this.table = new Table("Pages", [
      {title: "Rank", numeric: true, text: (page) => count(page.rank)},
      {title: "Page", wide: true, of: ({url, title, state}) => [url, title, state], node: (page) => titled(page, sources(app, page))},
      {title: "State", minor: true, text: (page) => page.state},
      {title: "Status", minor: true, numeric: true, text: (page) => String(page.status ?? "")},
      {title: "Reason", text: (page) => printable(page.reason)},
      {title: "Importance", numeric: true, text: (page) => weight(page.importance)},
    ], (page) => page.url, "No pages match.");
    this.more = el("button", {type: "button", hidden: true, onclick: () => { this.n = Math.min(this.n + 150, MOST); app.read(); }}, "More");
    this.nodes = [card("Pages", el("form", {class: "ask", onsubmit: ask}, el("label", {}, "Where", this.where), el("button", {type: "submit"}, "Show")), this.words, this.table.node, this.more)];
  }

  open(query) {
    if (query === undefined) return; // what was asked for last
    this.where.value = printable(new URLSearchParams(query).get("where"));
    this.n = FIRST;
  }

  async read() {
    if (!this.table.rows.length) setText(this.words, "Reading the pages.");
    const {pages, count: all} = await this.app.get("/api/pages", {where: this.where.value.trim(), n: this.n});
    const rest = all > MOST ? `; 'minicrawl export' writes all` : "";
    setText(this.words, `${counted(all, "page")}${all > pages.length ? `, the ${count(pages.length)} most important here${rest}` : ""}.`);
    this.more.hidden = pages.length >= Math.min(all, MOST);
    this.table.most = this.n;
    this.table.show(pages);
  }

  fail(sentence) {
    setText(this.words, printable(sentence));
    this.table.show([]);
    this.more.hidden = true;
  }
}

// Of a page that failed: where to mend the links to it.
function sources(app, page) {
  return app.open && isLost(page) ? el("a", {href: whyOf(page.url)}, "who links there") : null;
}
