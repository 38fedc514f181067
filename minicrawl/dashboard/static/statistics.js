// Counts of pages by outcome, and the crawl over time.

import {card, el, toPages} from "./dom.js";
import {count, covered, day, duration} from "./format.js";
import {overTime} from "./chart.js";
import {curve} from "./course.js";
import {Table} from "./table.js";

export class Statistics {
  constructor(app) {
    this.app = app;
    this.states = new Table("Pages by what became of them", [
      {title: "State", text: (one) => one.state, sort: (one) => one.state},
      {title: "Reason", text: (one) => one.reason, sort: (one) => one.reason},
      {title: "Pages", numeric: true, of: (one) => one.pages, node: ({state, reason, pages}) => toPages({state, reason}, count(pages)), sort: (one) => one.pages},
    ], (one) => `${one.state} ${one.reason}`);
    this.pages = overTime("Pages known, read, given up", {yLabel: "pages", yText: count});
    this.coverage = overTime("Coverage", {yLabel: "share of importance", yText: covered});
    this.ofCoverage = card("Coverage", this.coverage.node);
    this.nodes = [el("div", {class: "columns"}, card("What became of pages", this.states.node), card("Pages", this.pages.node), this.ofCoverage)];
  }

  // Over partitions there is no curve of coverage.
  show(now) {
    this.ofCoverage.hidden = Boolean(now.partitions);
  }

  async read() {
    const {states, points} = await this.app.get("/api/course");
    this.states.show(states);
    const [first, last] = [points[0], points[points.length - 1]];
    const words = last ? `${day(first.at)} to ${day(last.at)}: ${count(last.fetched)} answers in ${duration(last.seconds)}.` : "";
    const pages = [["known", "known"], ["read", "read"], ["given up", "given_up"]];
    this.pages.show(pages.map(([name, key]) => ({name, points: curve(points, key)})), words);
    this.coverage.show([{name: "coverage", points: curve(points, "coverage")}], words);
  }
}
