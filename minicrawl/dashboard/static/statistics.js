// What became of pages, how the crawl has gone on, and the shape of the web it has found.

import {card, el, setText} from "./dom.js";
import {amount, clock, count, day, percent, printable, rate, small} from "./format.js";
import {Chart} from "./chart.js";
import {Table} from "./table.js";

export class Statistics {
  constructor(app) {
    this.app = app;
    this.states = new Table("Pages by what became of them", [
      {title: "State", text: (one) => one.state, sort: (one) => one.state},
      {title: "Reason", text: (one) => one.reason, sort: (one) => one.reason},
      {title: "Pages", numeric: true, text: (one) => count(one.pages), sort: (one) => one.pages},
    ], (one) => `${one.state} ${one.reason}`);
    this.pages = new Chart({title: "Answers a second", xLabel: "time", yLabel: "answers / s", xText: clock, yMin: 0, height: 200});
    this.bytes = new Chart({title: "Bytes a second", xLabel: "time", yLabel: "bytes / s", xText: clock, yText: amount, yMin: 0, height: 200});
    this.shapeWords = el("p", {role: "status"}, "The shape of the web is being worked out.");
    this.facts = el("dl", {class: "facts"});
    const degrees = (title) => new Chart({title, xLabel: "links", yLabel: "share with as many, or more", xLog: true, yLog: true, xText: small, yText: small});
    this.inlinks = degrees("In-links");
    this.outlinks = degrees("Out-links");
    this.distances = new Chart({title: "Distances", xLabel: "links apart", yLabel: "share of pairs within", yMin: 0, yMax: 1, yText: (y) => percent(y, 0)});
    this.nodes = [el("div", {class: "columns"},
      card("Answers over time", this.pages.node), card("Bytes over time", this.bytes.node), card("The shape of the web", this.shapeWords, this.facts),
      card("Links to pages", this.inlinks.node), card("Links from pages", this.outlinks.node), card("Distances", this.distances.node),
      card("What became of pages", this.states.node))];
  }

  async read() {
    const course = await this.app.get("/api/course");
    this.states.show(course.states);
    const over = (values) => values.map((value, bin) => [course.since + (bin + 0.5) * course.seconds, value / course.seconds]);
    const words = course.pages.length ? `From ${day(course.since)} on.` : "";
    this.pages.show([{name: "answers", points: over(course.pages)}, {name: "of them failures", points: over(course.failures)}], words);
    this.bytes.show([{name: "bytes", points: over(course.bytes)}], words);
    this.showShape(await this.app.get("/api/shape"));
  }

  fail(sentence) {
    setText(this.shapeWords, printable(sentence));
  }

  showShape(shape) {
    const {core, distances, bow_tie: parts} = shape;
    setText(this.shapeWords, distances.is_exact ? "All figures are exact." : `Components and degrees are exact; numbers of pairs are estimated, ± ${percent(distances.relative_error, 0)}.`);
    const {lower, upper} = core.diameter;
    const rows = [
      ["Pages, links", `${count(shape.pages)}, ${count(shape.links)}`],
      ["Without links", `${count(shape.dangling)}${shape.never_read === null ? "" : `, ${count(shape.never_read)} of them never read`}`],
      ["Strong components", `${count(shape.strong_components.count)}; the largest, the core, has ${count(shape.strong_components.largest)} pages`],
      ["Weak components", `${count(shape.weak_components.count)}; the largest has ${count(shape.weak_components.largest)} pages`],
      ["Bow tie", Object.entries(parts).map(([name, number]) => `${name} ${count(number)}`).join(", ")],
      ["In-links", law(shape.inlinks)],
      ["Out-links", law(shape.outlinks)],
      ["Mean distance", `${rate(distances.average)} links; 90 % of pairs within ${rate(distances.effective_diameter)}`],
      ["Diameter of the core", `${lower === upper ? lower : `${lower} to ${upper}`} links`],
    ];
    this.facts.replaceChildren(...rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
    this.inlinks.show([{name: "pages", points: tail(shape.inlinks), kind: "dots"}], law(shape.inlinks));
    this.outlinks.show([{name: "pages", points: tail(shape.outlinks), kind: "dots"}], law(shape.outlinks));
    const pairs = distances.pairs_within;
    const all = pairs[pairs.length - 1] || 1;
    this.distances.show([{name: "pairs", points: pairs.map((number, links) => [links, number / all])}], rows[7][1]);
  }
}

function law(degrees) {
  const fit = degrees.power_law;
  return `mean ${rate(degrees.mean)}, at most ${count(degrees.largest)}${fit ? `; power law x^-${fit.alpha.toFixed(2)} from ${count(fit.xmin)} on` : ""}`;
}

// The share of pages with so many links or more, for every number of links that there is.
function tail(degrees) {
  const counts = Object.entries(degrees.pages_by_degree).map(([links, pages]) => [Number(links), pages]).sort((one, other) => other[0] - one[0]);
  const all = counts.reduce((sum, [, pages]) => sum + pages, 0);
  let above = 0;
  return counts.map(([links, pages]) => [links, (above += pages) / all]);
}
