// A watched list: when it was checked, what has changed, and its pages.

import {arrange, card, el, outside, setText, shortened} from "./dom.js";
import {counted, day, printable} from "./format.js";
import {Table} from "./table.js";

const [SHOWN, FIRST] = [30, 10]; // events, and lines of each before more are asked for

export class Watched {
  constructor(app) {
    this.app = app;
    this.most = SHOWN;
    this.sentence = el("p", {class: "sentence", role: "status"}, "Reading the store.");
    this.events = el("div");
    this.lines = new Map(); // of the list, by event
    this.none = el("p", {class: "quiet", hidden: true}, "Nothing has changed yet.");
    this.more = el("button", {type: "button", class: "more", hidden: true, onclick: () => { this.most += 3 * SHOWN; this.show(); }}, "More");
    this.table = new Table("Watched pages", [
      {title: "Page", wide: true, of: (page) => page.url, node: (page) => outside(page.url, shortened(page.url)), sort: (page) => page.url},
      {title: "State", wide: true, text: state, sort: state},
      {title: "Changed", text: (page) => (page.changed_at ? day(page.changed_at) : "never"), sort: (page) => page.changed_at},
      {title: "Told no more", wide: true, text: (page) => page.habits.map(habit).join("; "), sort: (page) => page.habits.length},
    ], (page) => page.url);
    this.nodes = [this.sentence, card("What has changed", this.none, this.events, this.more), card("Pages", this.table.node)];
  }

  async read() {
    this.found = await this.app.get("/api/watched");
    const {rounds, checked_at: checked, next_at: next, count: pages} = this.found;
    const last = checked ? `, the last time on ${day(checked)}` : "";
    const then = next ? ` The next check is due on ${day(next)}.` : " No next check is planned: 'minicrawl watch' makes one, and --every more.";
    setText(this.sentence, `${counted(pages, "page")} checked ${counted(rounds, "time")}${last}.${then}`);
    this.table.show(this.found.pages);
    this.show();
  }

  show() {
    if (!this.found) return;
    const events = new Map(this.found.events.slice(0, this.most).map((event) => [event.id, event]));
    this.none.hidden = events.size > 0;
    this.more.hidden = this.found.events.length <= this.most;
    arrange(this.events, this.lines, events.keys(), (id) => told(events.get(id)));
  }

  fail(sentence) {
    setText(this.sentence, sentence);
  }
}

function state({state: code, meaning}) {
  return code ? printable(meaning || code) : "read";
}

function habit(line) {
  return line ? `after “${shortened(line, 60)}”` : "its first line";
}

// What was told of a page, or of a host: a sentence, and the lines that went and came.
function told({at, url, title, head, removed, added, more}) {
  const says = head.startsWith(url) ? [outside(url, printable(title) || shortened(url)), printable(head.slice(url.length))] : [printable(head)];
  const lines = [...removed.map((line) => el("del", {}, printable(line))), ...added.map((line) => el("ins", {}, printable(line)))].map((line) => el("li", {}, line));
  const rest = lines.slice(FIRST);
  return el("article", {class: "told"}, el("p", {}, el("time", {class: "quiet"}, day(at)), " ", ...says),
    lines.length ? el("ul", {class: "plain"}, ...lines.slice(0, FIRST)) : null,
    rest.length || more ? el("details", {}, el("summary", {}, counted(rest.length + more, "more line")), el("ul", {class: "plain"}, ...rest)) : null);
}
