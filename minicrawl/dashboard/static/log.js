// Events, the newest first.

import {card, choice, el, fill, known} from "./dom.js";
import {amount, clock, count, duration, printable} from "./format.js";

const KEPT = 500;

export class Log {
  constructor() {
    this.events = [];
    this.newest = 0;
    this.kind = choice([["all", "everything"], ["failures", "failures"], ["commands", "commands and turns"]], () => this.draw());
    this.list = el("ol", {class: "log", tabindex: "0", "aria-label": "What has happened, the newest first"});
    this.nodes = [card("Log", el("label", {class: "filter"}, "Show ", this.kind), this.list)];
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
    if (this.hasNew) this.draw();
    this.hasNew = false;
  }

  open() {
    this.draw();
  }

  draw() {
    const isWanted = {all: () => true, failures: isFailure, commands: (event) => event.what !== "PageFetched" && event.what !== "Missed"}[this.kind.value];
    const events = this.events.filter(isWanted).reverse().slice(0, 200);
    const lines = events.map((event) => el("li", {class: isFailure(event) ? "failure" : null}, el("time", {}, clock(event.at)), " ", ...words(event)));
    fill(this.list, lines, "Nothing yet.");
  }
}

function isFailure(event) {
  return event.what === "PageFetched" && (event.status === null || event.status >= 400);
}

function words(event) {
  switch (event.what) {
    case "PageFetched":
      return [el("b", {}, String(event.status ?? event.reason)), " ", known(event.url, printable(event.url)), " ", el("span", {class: "quiet"}, `${amount(event.bytes)}, ${duration(event.seconds)}`)];
    case "SettingChanged": return [`${event.name.replaceAll("_", "-")}: ${printable(event.before)} → ${printable(event.after)}`];
    case "SeedsAdded": return [`${count(event.seeds)} seeds were added, ${count(event.new)} of them new`];
    case "PageAskedAgain": return ["Asked for again: ", known(event.url, printable(event.url))];
    case "HostBanned": return [`${printable(event.host)} is banned`];
    case "HostUnbanned": return [`${printable(event.host)} is no longer banned`];
    case "Paused": return ["Paused"];
    case "Resumed": return [`Resumed after ${duration(event.seconds)}`];
    case "Stopping": return [`Stopping: ${event.reason}`];
    case "Missed": return [el("span", {class: "quiet"}, `${count(event.events)} more`)];
    default: return [event.what];
  }
}
