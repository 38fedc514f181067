// Pages by words, as 'minicrawl search' finds them.

import {card, el, known, marked, outside, setText, thumbnail} from "./dom.js";
import {count, counted, printable} from "./format.js";

export class Search {
  constructor(app) {
    this.app = app;
    this.input = el("input", {type: "search", name: "q", placeholder: 'words, "a phrase", -without, site:example.org', autocomplete: "off"});
    const ask = (event) => {
      event.preventDefault();
      app.open(`search=${encodeURIComponent(this.input.value.trim())}`);
    };
    this.words = el("p", {role: "status"});
    this.found = el("ol", {class: "found"});
    this.nodes = [card("Search", el("form", {class: "ask", onsubmit: ask}, el("label", {}, "Words", this.input), el("button", {type: "submit"}, "Search")), this.words, this.found)];
    this.asked = null;
  }

  open(words) {
    if (words) this.input.value = words;
    else this.input.focus({preventScroll: true});
    this.asked = null;
  }

  async read() {
    const q = this.input.value.trim();
    if (!q || q === this.asked) return; // results stay until the next search
    this.asked = q;
    const found = await this.app.get("/api/search", {q});
    const behind = found.behind ? ` The index has yet to take in ${counted(found.behind, "text")}.` : "";
    setText(this.words, `${counted(found.matches, "page")} found.${behind}`);
    this.found.replaceChildren(...found.pages.map(line));
  }

  fail(sentence) {
    setText(this.words, printable(sentence));
    this.found.replaceChildren();
  }
}

function line(page) {
  const alike = page.alike ? ` and ${count(page.alike)} more like this` : "";
  return el("li", {}, known(page.url, printable(page.title) || printable(page.url)), el("span", {class: "quiet"}, alike),
    el("div", {class: "quiet"}, outside(page.url, printable(page.url))), thumbnail(page), el("p", {class: "snippet"}, ...marked(page.snippet, page.marks)));
}
