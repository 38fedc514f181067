// Line charts as SVG, in the available width, with a description in words.

import {el, svg} from "./dom.js";
import {duration, small} from "./format.js";

const EDGE = {left: 70, right: 14, top: 12, bottom: 38};

// options: {title, xLabel, yLabel, xLog, yLog, xSteps, height, yMin, yMax, xText, yText}
export class Chart {
  constructor(options) {
    this.options = {height: 240, xText: small, yText: small, ...options};
    this.series = [];
    this.picture = el("div", {class: "picture"});
    this.legend = el("p", {class: "legend"});
    this.node = el("figure", {class: "chart"}, this.picture, this.legend);
    new ResizeObserver(() => this.draw()).observe(this.picture);
  }

  // series: [{name, points: [[x, y], ...], kind: "line" | "dots" | "dashed"}]
  show(series, words = "") {
    this.series = series;
    this.words = words;
    const names = series.map((one, index) => el("span", {class: `key color-${index}`}, one.name));
    this.legend.replaceChildren(...(series.length > 1 ? names : []));
    this.draw();
  }

  draw() {
    const width = this.picture.clientWidth;
    const points = this.series.flatMap((one) => this.usable(one.points));
    if (width < 50 || points.length === 0) {
      const isEmpty = this.series.length > 0 && points.length === 0;
      this.picture.replaceChildren(el("p", {class: "quiet"}, isEmpty ? "No figures yet." : ""));
      return;
    }
    const {height, xLog, yLog, yMin, yMax, xLabel, yLabel, title} = this.options;
    const x = scale(points.map(([value]) => value), xLog, EDGE.left, width - EDGE.right, this.options.xSteps);
    const y = scale([...points.map(([, value]) => value), ...[yMin, yMax].filter((value) => value !== undefined)],
      yLog, height - EDGE.bottom, EDGE.top);
    const picture = svg("svg", {viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${title}. ${this.words}`});
    picture.append(...this.axes(x, y, width, height));
    this.series.forEach((one, index) => picture.append(...lines(this.usable(one.points), x, y, index, one.kind)));
    const middle = (EDGE.top + height - EDGE.bottom) / 2;
    picture.append(
      svg("text", {x: (EDGE.left + width - EDGE.right) / 2, y: height - 4, class: "label", "text-anchor": "middle"}, xLabel),
      svg("text", {x: 12, y: middle, class: "label", "text-anchor": "middle", transform: `rotate(-90 12 ${middle})`}, yLabel),
    );
    this.picture.replaceChildren(picture);
  }

  axes(x, y, width, height) {
    const {xText, yText} = this.options;
    const parts = [];
    for (const tick of y.ticks(Math.max(2, Math.floor(height / 60)))) {
      const at = y.at(tick);
      parts.push(svg("line", {x1: EDGE.left, x2: width - EDGE.right, y1: at, y2: at, class: "grid"}));
      parts.push(svg("text", {x: EDGE.left - 6, y: at + 4, class: "tick", "text-anchor": "end"}, yText(tick)));
    }
    for (const tick of x.ticks(Math.max(2, Math.floor(width / 110)))) {
      const at = x.at(tick);
      parts.push(svg("line", {x1: at, x2: at, y1: EDGE.top, y2: height - EDGE.bottom, class: "grid"}));
      parts.push(svg("text", {x: at, y: height - EDGE.bottom + 15, class: "tick", "text-anchor": "middle"}, xText(tick)));
    }
    return parts;
  }

  // A logarithmic axis has no zero.
  usable(points) {
    const {xLog, yLog} = this.options;
    return points.filter(([x, y]) => (!xLog || x > 0) && (!yLog || y > 0));
  }
}

const MINUTE = 60, HOUR = 3600, DAY = 86400;
const TIMES = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
  HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 5 * DAY, 10 * DAY, 20 * DAY, 50 * DAY, 100 * DAY];

// A chart over the crawl's time.
export function overTime(title, options) {
  return new Chart({title, xLabel: "time of crawling", xText: time, xSteps: TIMES, yMin: 0, height: 200, ...options});
}

function time(seconds) {
  return seconds < MINUTE ? `${small(seconds)} s` : seconds % DAY ? duration(seconds) : `${seconds / DAY} d`;
}

function lines(points, x, y, index, kind) {
  const at = points.map(([px, py]) => [x.at(px).toFixed(1), y.at(py).toFixed(1)]);
  if (kind === "dots") return at.map(([cx, cy]) => svg("circle", {cx, cy, r: 2.4, class: `dot color-${index}`}));
  const path = at.map(([px, py], place) => `${place ? "L" : "M"}${px} ${py}`).join("");
  return [svg("path", {d: path, class: `line color-${index} ${kind ?? ""}`, fill: "none"})];
}

// The scale from values to pixels, and the ticks of an axis.
function scale(values, isLog, from, to, neat) {
  let [least, most] = [Math.min(...values), Math.max(...values)];
  const turned = isLog ? Math.log10 : (value) => value;
  if (least === most) [least, most] = isLog ? [least / 2, most * 2] : [Math.min(0, least), most || 1];
  if (!isLog && least > 0 && least < most * 0.6) least = 0;
  const [low, high] = [turned(least), turned(most)];
  return {
    at: (value) => from + ((turned(value) - low) / (high - low)) * (to - from),
    ticks: (number) => (isLog ? powers(least, most, number) : steps(least, most, number, neat)),
  };
}

// neat: natural steps, such as those of times; powers of ten if none is large enough.
function steps(least, most, number, neat = []) {
  const rough = (most - least) / number;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = neat.find((one) => one >= rough) ?? power * [1, 2, 5, 10].find((times) => times * power >= rough);
  const ticks = [];
  for (let tick = Math.ceil(least / step - 1e-9) * step; tick <= most + step * 1e-9; tick += step) {
    ticks.push(Number(tick.toPrecision(12)));
  }
  return ticks;
}

function powers(least, most, number) {
  const [low, high] = [Math.ceil(Math.log10(least) - 1e-9), Math.floor(Math.log10(most) + 1e-9)];
  if (high < low) return [least, most];
  const every = Math.max(1, Math.ceil((high - low + 1) / number));
  return Array.from({length: Math.floor((high - low) / every) + 1}, (_, index) => 10 ** (low + index * every));
}
