// Line charts: the values under the cursor, ranges by dragging, series that can be switched off. Drawn by uPlot.

import {el, setText} from "./dom.js";
import {duration, small} from "./format.js";

const {uPlot} = globalThis; // uplot.min.js is a script of its own
const isDark = matchMedia("(prefers-color-scheme: dark)");

// Lines over the crawl's time. yText: the text of a value.
export class Chart {
  constructor(title, yLabel, yText) {
    this.options = {title, yLabel, yText};
    [this.series, this.data, this.off] = [[], [[]], new Set()];
    this.picture = el("div", {class: "picture", role: "slider", tabindex: "0", "aria-label": title, "aria-valuenow": "0", onkeydown: (event) => this.step(event)});
    this.at = el("span", {class: "quiet"});
    this.keys = el("span", {class: "keys"});
    this.whole = el("button", {type: "button", class: "small", hidden: true, onclick: () => this.range(this.data[0][0], this.data[0].at(-1))}, "Whole range");
    this.node = el("figure", {class: "chart"}, this.picture, el("figcaption", {class: "legend"}, this.at, this.keys, this.whole));
    new ResizeObserver(() => this.plot ? this.plot.setSize(this.size()) : this.make()).observe(this.picture);
    isDark.addEventListener("change", () => this.make());
  }

  // series: [{name, points: [[x, y], ...]}]
  show(series, words = "") {
    const {title} = this.options;
    const isAsBefore = this.plot && series.length === this.series.length && series.every((one, index) => one.name === this.series[index].name);
    this.series = series;
    this.data = aligned(series.map(({points}) => points));
    this.picture.setAttribute("aria-label", words ? `${title}. ${words}` : title);
    if (!isAsBefore || !this.data[0].length) return this.make();
    const {min, max} = this.plot.scales.x;
    this.plot.batch(() => {
      this.plot.setData(this.data);
      if (!this.whole.hidden) this.plot.setScale("x", {min, max});
    });
    if (this.plot.cursor.idx === null || document.activeElement !== this.picture) this.read();
  }

  size() {
    return {width: this.picture.clientWidth, height: 200};
  }

  make() {
    this.plot?.destroy();
    this.plot = null;
    const {yLabel, yText} = this.options;
    const hasPoints = this.data[0].length > 0;
    this.picture.replaceChildren(...(this.series.length && !hasPoints ? [el("p", {class: "quiet"}, "No figures yet.")] : []));
    this.keys.replaceChildren(...this.series.map(({name}, index) => this.key(name, index)));
    if (!hasPoints || this.picture.clientWidth < 50) return;
    const style = getComputedStyle(document.body);
    const [font, stroke, grid] = [`12px ${style.fontFamily}`, style.getPropertyValue("--quiet"), {stroke: style.getPropertyValue("--edge"), width: 1}];
    const axis = (label, text, more) => ({label, labelSize: 20, labelGap: 2, font, labelFont: font, stroke, grid, ticks: {...grid, size: 4}, gap: 4,
      values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : text(tick))), ...more});
    const line = ({name}, index) => (
      {label: name, stroke: style.getPropertyValue(`--c${index % 6}`), width: 2, show: !this.off.has(name), points: {show: this.data[0].length < 2}});
    const ranges = {min: {pad: 0.1, soft: 0, mode: 1}, max: {pad: 0.1, soft: 0, mode: 3}};
    this.plot = new uPlot({
      ...this.size(),
      scales: {x: {time: false}, y: {range: (_, low, high) => uPlot.rangeNum(low ?? 0, high ?? 1, ranges)}},
      axes: [axis(TIME, time, {space: (plot, index, least, most) => 12 + 6 * time(most).length, size: 26, incrs: TIMES}),
        axis(yLabel, yText, {space: 24, size: (_, texts) => 14 + 6.5 * Math.max(3, ...(texts ?? []).map((text) => text.length))})],
      series: [{}, ...this.series.map(line)],
      legend: {show: false},
      padding: [10, 24, 0, 0],
      cursor: {y: false, points: {size: 8}, drag: {x: true, y: false}},
      hooks: {setCursor: [(plot) => this.read(plot)], setScale: [(plot) => this.scaled(plot)]},
    }, this.data, this.picture);
    this.read();
  }

  key(name, index) {
    const value = el("b", {});
    if (this.series.length === 1) return el("span", {class: "key color-0"}, `${name} `, value);
    const click = () => {
      if (!this.off.delete(name)) this.off.add(name);
      button.setAttribute("aria-pressed", String(!this.off.has(name)));
      this.plot?.setSeries(index + 1, {show: !this.off.has(name)});
    };
    const button = el("button", {type: "button", class: `key color-${index % 6}`, "aria-pressed": String(!this.off.has(name)), onclick: click}, `${name} `, value);
    return button;
  }

  // Shows the values under the cursor, or the last ones.
  read(plot = this.plot) {
    if (!plot || !this.keys.children.length) return;
    const {yText} = this.options;
    const {idx, idxs} = plot.cursor;
    const [xs, ...lines] = this.data;
    const x = idx ?? xs.length - 1;
    const values = lines.map((ys, index) => (idx === null ? ys.findLast((y) => y !== undefined && y !== null) : ys[idxs?.[index + 1] ?? idx]));
    setText(this.at, `${TIME}: ${time(xs[x])}`);
    values.forEach((y, index) => setText(this.keys.children[index].querySelector("b"), y === undefined || y === null ? "" : yText(y)));
    const words = this.series.map(({name}, index) => `${name} ${this.keys.children[index].querySelector("b").textContent || "unknown"}`);
    const said = {valuemin: 0, valuemax: xs.length - 1, valuenow: x, valuetext: `${this.at.textContent}. ${words.join(", ")}`};
    for (const [key, value] of Object.entries(said)) this.picture.setAttribute(`aria-${key}`, String(value));
  }

  scaled({scales: {x}}) {
    this.whole.hidden = x.min <= this.data[0][0] && x.max >= this.data[0].at(-1);
  }

  range(min, max) {
    this.plot?.setScale("x", {min, max});
  }

  // Arrow keys move the cursor, + and - change the range around it.
  step(event) {
    const [xs, plot] = [this.data[0], this.plot];
    if (!plot) return;
    const {min, max} = plot.scales.x;
    const [first, last, now] = [xs.findIndex((x) => x >= min), xs.findLastIndex((x) => x <= max), plot.cursor.idx];
    const far = Math.max(1, Math.round((last - first) / 10));
    const turns = {ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -far, PageUp: far, Home: -Infinity, End: Infinity};
    const times = {"+": 0.5, "-": 2}[event.key];
    if (event.key in turns) {
      const index = Math.min(Math.max((now ?? last) + turns[event.key], first), last);
      plot.setCursor({left: plot.valToPos(xs[index], "x"), top: 1});
    } else if (times) {
      const middle = xs[now ?? last];
      this.range(Math.max(xs[0], middle - (middle - min) * times), Math.min(xs.at(-1), middle + (max - middle) * times));
    } else if (event.key === "Escape") this.range(xs[0], xs.at(-1));
    else return;
    event.preventDefault();
  }
}

// Points of several lines over the x of all: [[x, ...], [y or undefined, ...], ...]
function aligned(lines) {
  const xs = [...new Set(lines.flatMap((points) => points.map(([x]) => x)))].sort((one, other) => one - other);
  return [xs, ...lines.map((points) => {
    const at = new Map(points);
    return xs.map((x) => at.get(x));
  })];
}

const TIME = "time of crawling";
const MINUTE = 60, HOUR = 3600, DAY = 86400;
const TIMES = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 20, 30, MINUTE, 2 * MINUTE, 3 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 20 * MINUTE,
  30 * MINUTE, HOUR, 2 * HOUR, 3 * HOUR, 4 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 5 * DAY, 10 * DAY, 20 * DAY, 50 * DAY, 100 * DAY];

function time(seconds) {
  return seconds < MINUTE ? `${small(seconds)} s` : seconds % DAY ? duration(seconds) : `${seconds / DAY} d`;
}
