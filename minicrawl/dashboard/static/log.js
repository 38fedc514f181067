// Events, the newest first.

import {arrange, card, choice, el, known, setText, toPages} from "./dom.js";
import {amount, clock, count, counted, duration, printable} from "./format.js";

const [KEPT, SHOWN] = [500, 200];
const LEVELS = ["debug", "info", "warning", "error"];
const NAMES = {
  PageFetched: "page fetched", PageAskedAgain: "page asked again", SettingChanged: "setting changed", SeedsAdded: "seeds added", HostBanned: "host banned", HostUnbanned: "host unbanned",
  Paused: "paused", Resumed: "resumed", Stopping: "stopping", Missed: "missed",
};

export class Log {
  constructor() {
    this.events = [];
    this.lines = new Map(); // of the list, by event
    this.newest = 0;
    const draw = () => this.draw();
    this.words = el("input", {type: "search", size: "28", placeholder: "Part of a URL, a status, a word", oninput: draw});
    this.level = choice(LEVELS.map((level, index) => [index, index ? `${level} and above` : "all"]), draw);
    this.name = choice([["", "any"], ...Object.entries(NAMES)], draw);
    this.pause = el("button", {type: "button", "aria-pressed": "false", onclick: () => { this.pause.setAttribute("aria-pressed", String(!this.isPaused())); this.draw(); }}, "Hold");
    this.count = el("p", {class: "quiet"});
    this.list = el("ol", {class: "log", tabindex: "0", "aria-label": "What happened, newest first"});
    this.nodes = [card("Log", el("div", {class: "filter"}, el("label", {}, "With ", this.words), el("label", {}, "Level ", this.level), el("label", {}, "Event ", this.name), this.pause), this.count, this.list)];
  }

  isPaused() {
    return this.pause.getAttribute("aria-pressed") === "true";
  }

  take(now, events) {
    for (const event of events) {
      if (event.number <= this.newest) continue;
      const missed = event.number - this.newest - 1;
      if (missed && this.newest) this.events.push({at: event.at, what: "Missed", events: missed});
      this.newest = event.number;
      this.events.push(event);
    }
    this.events = this.events.slice(-KEPT);
    this.hasNew ||= events.length > 0;
  }

  show() {
    if (this.hasNew && !this.isPaused()) this.draw();
  }

  open() {
    this.draw();
  }

  draw() {
    if (!this.isPaused()) this.seen = this.events;
    this.hasNew = false;
    const [words, level, name] = [this.words.value.trim().toLowerCase(), Number(this.level.value), this.name.value];
    const wanted = (this.seen ?? []).filter((event) => levelOf(event) >= level && (!name || event.what === name) && (!words || said(event).includes(words)));
    const shown = wanted.slice(-SHOWN).reverse();
    setText(this.count, shown.length ? `${count(shown.length)} of the latest ${count(this.seen.length)} events${this.isPaused() ? ", held" : ""}.` : "No events match.");
    arrange(this.list, this.lines, shown, lineOf);
  }
}

function said(event) {
  return `${event.what} ${NAMES[event.what] ?? ""} ${Object.values(event).join(" ")}`.toLowerCase();
}

// Without an answer, or failed on the server: error. Not to be had: warning.
function levelOf({what, status}) {
  if (what === "PageFetched") return status === null || status >= 500 ? 3 : status >= 400 ? 2 : 0;
  return what === "Missed" ? 2 : 1;
}

function lineOf(event) {
  const level = LEVELS[levelOf(event)];
  return el("li", {class: level}, el("time", {}, clock(event.at)), " ", level === "debug" ? null : [el("span", {class: "level"}, level), " "], ...words(event));
}

function words(event) {
  switch (event.what) {
    case "PageFetched": {
      const [text, filter] = event.status === null ? [event.reason, {reason: event.reason}] : [String(event.status), {status: event.status}];
      return [toPages(filter, printable(text)), " ", known(event.url, printable(event.url)), " ", el("span", {class: "quiet"}, `${amount(event.bytes)}, ${duration(event.seconds)}`)];
    }
    case "SettingChanged": return [`${event.name.replaceAll("_", "-")}: ${printable(event.before)} → ${printable(event.after)}`];
    case "SeedsAdded": return [`${counted(event.seeds, "seed")} ${event.seeds === 1 ? "was" : "were"} added, ${count(event.new)} of them new`];
    case "PageAskedAgain": return ["Asked for again: ", known(event.url, printable(event.url))];
    case "HostBanned": return [toPages({host: event.host}, printable(event.host)), " is banned"];
    case "HostUnbanned": return [toPages({host: event.host}, printable(event.host)), " is no longer banned"];
    case "Paused": return ["Paused"];
    case "Resumed": return [`Resumed after ${duration(event.seconds)}`];
    case "Stopping": return [`Stopping: ${event.reason}`];
    case "Missed": return [el("span", {class: "quiet"}, `${count(event.events)} more`)];
    default: return [event.what];
  }
}
