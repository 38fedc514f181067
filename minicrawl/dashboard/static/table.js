// A table updated row by row, so that selection and focus stay.

import {arrange, el, setText} from "./dom.js";

const FIRST = 50; // lines, before more are asked for

// columns: [{name, title, numeric, text(row) or node(row), sort(row)}]; key(row) tells rows apart. The one with `wide`
// says what a row is about; `minor` ones are left out on a phone, where a row is two lines.
export class Table {
  constructor(caption, columns, key, empty = "Nothing yet.") {
    Object.assign(this, {columns, key, sorted: null, down: true, rows: [], most: FIRST});
    this.lines = new Map();
    this.body = el("tbody");
    this.heads = columns.map((column) => this.head(column));
    this.empty = el("p", {class: "quiet"}, empty);
    const head = el("thead", {}, el("tr", {}, ...this.heads));
    this.table = el("table", {}, el("caption", {class: "hidden"}, caption), head, this.body);
    const scroll = el("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption}, this.table);
    this.more = el("button", {type: "button", class: "more", hidden: true, onclick: () => { this.most += 3 * FIRST; this.show(this.rows); }}, "More");
    this.node = el("div", {}, scroll, this.empty, this.more);
    this.table.hidden = this.empty.hidden = true; // until something is known
  }

  head(column) {
    const attributes = {scope: "col", class: column.numeric ? "number" : null};
    if (!column.sort) return el("th", attributes, column.title);
    const sort = () => {
      this.down = this.sorted === column ? !this.down : Boolean(column.numeric);
      this.sorted = column;
      this.heads.forEach((head) => head.removeAttribute("aria-sort"));
      this.heads[this.columns.indexOf(column)].setAttribute("aria-sort", this.down ? "descending" : "ascending");
      this.show(this.rows);
    };
    return el("th", attributes, el("button", {type: "button", class: "sort", onclick: sort}, column.title));
  }

  show(rows) {
    this.rows = rows;
    this.empty.hidden = rows.length > 0;
    this.table.hidden = rows.length === 0;
    this.more.hidden = rows.length <= this.most;
    const shown = new Map(this.inOrder().slice(0, this.most).map((row) => [this.key(row), row]));
    arrange(this.body, this.lines, shown.keys(), () => this.line());
    for (const [key, row] of shown) this.fill(this.lines.get(key), row);
  }

  inOrder() {
    if (!this.sorted) return this.rows;
    const by = this.sorted.sort;
    const sign = this.down ? -1 : 1;
    const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
    return [...this.rows].sort((one, other) => sign * compare(by(one) ?? "", by(other) ?? ""));
  }

  line() {
    return el("tr", {}, ...this.columns.map((column) => el("td", {class: [column.numeric && "number", column.wide && "wide", column.minor && "minor"].filter(Boolean).join(" ") || null, "data-title": column.title})));
  }

  // Cells that are nodes are rebuilt only if their data has changed.
  fill(line, row) {
    this.columns.forEach((column, index) => {
      const cell = line.children[index];
      if (column.text) setText(cell, column.text(row));
      else {
        const of = JSON.stringify(column.of ? column.of(row) : row);
        if (cell.shownOf !== of) cell.replaceChildren(column.node(row));
        cell.shownOf = of;
      }
    });
  }
}
