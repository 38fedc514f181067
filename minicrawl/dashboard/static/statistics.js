// Counts of pages by outcome, the crawl over time, and the shape of the crawled web.

import {card, choice, el, setText, toPages} from "./dom.js";
import {amount, clock, count, counted, day, duration, percent, printable, rate, small, took} from "./format.js";
import {Chart, overDay, overTime} from "./chart.js";
import {curve, speeds} from "./course.js";
import {Table} from "./table.js";

const LARGE = 200000; // pages: of so many the shape is worked out in some seconds

export class Statistics {
  constructor(app) {
    this.app = app;
    this.states = new Table("Pages by what became of them", [
      {title: "State", text: (one) => one.state, sort: (one) => one.state},
      {title: "Reason", text: (one) => one.reason, sort: (one) => one.reason},
      {title: "Pages", numeric: true, of: (one) => one.pages, node: ({state, reason, pages}) => toPages({state, reason}, count(pages)), sort: (one) => one.pages},
    ], (one) => `${one.state} ${one.reason}`);
    this.answers = new Answers(app);
    this.speed = overTime("Pages a second", {yLabel: "pages / s"});
    this.bytes = overTime("Bytes a second", {yLabel: "bytes / s", yText: amount});
    this.pages = overTime("Pages known, read, given up", {yLabel: "pages", yText: count});
    this.coverage = overTime("Coverage, at least", {yLabel: "share of importance", yText: (y) => `${small(100 * y)} %`});
    this.shapeWords = el("p", {role: "status"}, "The shape of the web is being worked out.");
    this.work = el("button", {type: "button", hidden: true, onclick: () => this.workOut()}, "Work it out");
    this.facts = el("dl", {class: "facts"});
    const degrees = (title) => new Chart({title, xLabel: "links", yLabel: "share with as many, or more", xLog: true, yLog: true, xText: small, yText: small});
    this.inlinks = degrees("In-links");
    this.outlinks = degrees("Out-links");
    this.distances = new Chart({title: "Distances", xLabel: "links apart", yLabel: "share of pairs within", yMin: 0, yMax: 1, yText: (y) => percent(y, 0)});
    this.growth = new Chart({title: "Distances while crawling", xLabel: "pages read", yLabel: "links apart", yMin: 0, xText: count, yText: small});
    this.growthWords = el("p", {class: "quiet"});
    this.ofShape = [card("Links to pages", this.inlinks.node), card("Links from pages", this.outlinks.node), card("Distances", this.distances.node),
      card("Distances while crawling", this.growth.node, this.growthWords)];
    this.ofCoverage = card("Coverage", this.coverage.node);
    this.nodes = [el("div", {class: "columns"},
      card("Pages a second", this.speed.node), card("Bytes a second", this.bytes.node), card("Pages", this.pages.node), this.ofCoverage, ...this.answers.cards,
      card("What became of pages", this.states.node), card("The shape of the web", this.shapeWords, this.work, this.facts), ...this.ofShape)];
  }

  // Over partitions there are no curves of coverage or of the link graph. The shape of a large web is worked out on demand.
  show(now) {
    this.isOfParts = Boolean(now.partitions);
    this.ofCoverage.hidden = this.isOfParts;
    const isNew = this.shapeIs === undefined;
    if (isNew) this.shapeIs = now.known > LARGE ? "large" : "asked";
    if (this.shapeIs === "large") setText(this.shapeWords, `Of ${count(now.known)} pages it takes a core for half a minute or longer.`);
    for (const node of this.ofShape) node.hidden = this.isOfParts || this.shapeIs !== "asked";
    this.work.hidden = this.shapeIs !== "large";
    if (isNew) this.app.read();
  }

  async read() {
    const shape = this.shapeIs === "asked" && this.app.get("/api/shape").then((found) => {
      this.showShape(found);
      this.showGrowth(found);
    });
    await Promise.all([this.app.get("/api/course").then((course) => this.showCourse(course)), this.answers.read(), shape]);
  }

  workOut() {
    this.shapeIs = "asked";
    setText(this.shapeWords, "The shape of the web is being worked out.");
    this.show(this.app.look);
    this.app.read();
  }

  showCourse(course) {
    this.states.show(course.states);
    const {points} = course;
    const [first, last] = [points[0], points[points.length - 1]];
    const words = last ? `${day(first.at)} to ${day(last.at)}: ${count(last.fetched)} answers in ${duration(last.seconds)}.` : "";
    this.speed.show([{name: "pages a second", points: speeds(points, "fetched")}], words);
    this.bytes.show([{name: "bytes a second", points: speeds(points, "bytes")}], words);
    const pages = [["known", "known"], ["read", "read"], ["given up", "given_up"]];
    this.pages.show(pages.map(([name, key]) => ({name, points: curve(points, key)})).filter((one) => one.points.length || !this.isOfParts), words);
    this.coverage.show([{name: "coverage", points: curve(points, "coverage")}], words);
  }

  fail(sentence) {
    setText(this.shapeWords, printable(sentence));
  }

  showGrowth({looks}) {
    const line = (key) => looks.map((one) => [one.read, one[key]]);
    const errors = looks.map((one) => one.relative_error);
    const how = `At ${count(looks.length)} look${looks.length === 1 ? "" : "s"} since the dashboard was started. The mean is ${Math.max(...errors) ? `estimated, ± ${percent(Math.max(...errors), 0)}` : "exact"}; longest is the diameter of the core, at least.`;
    setText(this.growthWords, how);
    this.growth.show([{name: "mean", points: line("average")}, {name: "longest", points: line("longest")}], how);
  }

  showShape({shape, at, took}) {
    const {core, distances, bow_tie: parts} = shape;
    const how = distances.is_exact ? "All figures are exact." : `Components, degrees and the diameter are exact; numbers of pairs are estimated, ± ${percent(distances.relative_error, 0)}.`;
    setText(this.shapeWords, `${how} As of ${clock(at)}, which took ${duration(took)} to work out.`);
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

// Answers over the time of day: of all hosts, or of one.
class Answers {
  constructor(app) {
    this.app = app;
    this.host = choice([["", "all hosts"]], () => app.read());
    this.words = el("p", {class: "quiet"});
    this.classes = overDay("Answers a second by status", {yLabel: "answers / s"});
    this.latency = overDay("Seconds of an answer", {yLabel: "time", yText: took});
    this.bytes = overDay("Bytes a second", {yLabel: "bytes / s", yText: amount});
    this.statuses = new Table("Answers by status", [
      {title: "Status", text: (one) => one.status, sort: (one) => one.status},
      {title: "Answers", numeric: true, of: (one) => [one.pages, this.host.value], node: (one) => toPages(this.host.value ? {status: one.status, host: this.host.value} : {status: one.status}, count(one.pages)), sort: (one) => one.pages},
    ], (one) => one.status);
    this.cards = [card("Answers by status", el("label", {class: "filter"}, "Of ", this.host), this.words, this.classes.node, this.statuses.node),
      card("How long answers take", this.latency.node), card("Bytes of answers", this.bytes.node)];
  }

  async read() {
    const host = this.host.value;
    const {bins, apart, statuses, hosts, count: answers, read, all} = await this.app.get("/api/answers", {host});
    for (const {name} of hosts) if (![...this.host.options].some((option) => option.value === name)) this.host.append(el("option", {value: name}, printable(name)));
    const words = `${counted(answers, "answer")}${host ? ` of ${host}` : ""}${read < all ? `, among the latest ${count(read)} of ${count(all)}` : ""}.`;
    setText(this.words, words);
    const line = (name, key, share = 1) => ({name, points: bins.map((bin) => [bin.at, bin[key] / share])});
    this.classes.show(["2xx", "3xx", "4xx", "5xx"].filter((key) => bins.some((bin) => bin[key])).map((key) => line(key, key, apart)), words);
    this.latency.show([line("median", "median"), line("90 % within", "p90")], words);
    this.bytes.show([line("bytes a second", "bytes", apart)], words);
    this.statuses.show(Object.entries(statuses).map(([status, pages]) => ({status, pages})));
  }
}

function law(degrees) {
  const fit = degrees.power_law;
  return `mean ${rate(degrees.mean)}, at most ${count(degrees.largest)}${fit ? `; power law x^-${fit.alpha.toFixed(2)} from ${count(fit.xmin)} on` : ""}`;
}

// The fraction of pages with at least so many links, for every number of links.
function tail(degrees) {
  const counts = Object.entries(degrees.pages_by_degree).map(([links, pages]) => [Number(links), pages]).sort((one, other) => other[0] - one[0]);
  const all = counts.reduce((sum, [, pages]) => sum + pages, 0);
  let above = 0;
  return counts.map(([links, pages]) => [links, (above += pages) / all]);
}
