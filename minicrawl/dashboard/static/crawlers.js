// The processes of the crawl: their tasks, since when, and their work so far. Each partition has a process.

import {card, el, setText} from "./dom.js";
import {amount, clock, count, day, duration, isOn, printable} from "./format.js";
import {Table} from "./table.js";

export class Crawlers {
  constructor(app) {
    this.app = app;
    this.stored = new Map(); // readings of the partitions' stores, by number
    this.main = el("p", {});
    this.table = new Table("Crawlers", [
      {title: "Crawler", numeric: true, text: (one) => String(one.number), sort: (one) => one.number},
      {title: "Process", numeric: true, text: (one) => String(one.pid), sort: (one) => one.pid},
      {title: "Does", text: (one) => one.doing, sort: (one) => one.doing},
      {title: "Since", text: (one) => clock(one.since), sort: (one) => one.since},
      {title: "In flight", numeric: true, text: (one) => count(one.in_flight), sort: (one) => one.in_flight},
      {title: "Pages", numeric: true, text: (one) => count(one.pages), sort: (one) => one.pages},
      {title: "Bytes", numeric: true, text: (one) => amount(one.bytes), sort: (one) => one.bytes},
      {title: "CPU", numeric: true, text: (one) => duration(one.cpu), sort: (one) => one.cpu},
    ], (one) => one.number, "No crawlers of their own: the main process fetches and parses itself, or no crawl runs.");
    const number = (title, key) => ({title, numeric: true, text: (one) => figure(one[key], count), sort: (one) => one[key] ?? -1});
    this.partitions = new Table("Partitions", [
      {title: "Partition", numeric: true, text: (one) => String(one.number), sort: (one) => one.number},
      {title: "Machine", text: (one) => printable(one.machine ?? "this one"), sort: (one) => one.machine ?? ""},
      {title: "Does", text: (one) => one.does, sort: (one) => one.does},
      number("Read", "read"), number("Waiting", "unread"), number("Mirrors", "mirrors"), number("To send", "waiting"),
      {title: "Last commit", text: (one) => day(one.last_commit), sort: (one) => one.last_commit ?? 0},
      number("In flight", "in_flight"), number("In this run", "fetched"),
      {title: "Process", numeric: true, text: (one) => String(one.pid ?? ""), sort: (one) => one.pid ?? -1},
      {title: "CPU", numeric: true, text: (one) => figure(one.cpu, duration), sort: (one) => one.cpu ?? -1},
      number("Died", "deaths"),
    ], (one) => one.number, "They have not begun yet.");
    this.sum = el("p", {});
    this.processes = card("Crawlers", this.main, this.table.node);
    this.parts = card("Partitions", this.sum, el("p", {class: "quiet"},
      "Waiting: pages to be read. Mirrors: URLs of other partitions that it has links to. To send: rows that these have not confirmed. Died: processes in this run, each of which was started again."), this.partitions.node);
    this.parts.hidden = true;
    this.nodes = [this.processes, this.parts];
  }

  // Values that a running crawl does not report come from the partitions' stores.
  async read() {
    if (!this.app.look?.partitions) return;
    const {partitions} = await this.app.get("/api/partitions");
    this.stored = new Map(partitions.map((one) => [one.number, one]));
    this.show(this.app.look);
  }

  fail(sentence) {
    setText(this.sum, printable(sentence));
  }

  show(now) {
    this.processes.hidden = Boolean(now.partitions);
    this.parts.hidden = !now.partitions;
    if (now.partitions) this.showPartitions(now);
    else this.showProcesses(now);
  }

  showPartitions(now) {
    const live = new Map(now.partitions.map((one) => [one.number, one]));
    const numbers = [...new Set([...live.keys(), ...this.stored.keys()])].sort((one, other) => one - other);
    const rows = numbers.map((number) => ({...this.stored.get(number), ...live.get(number)}));
    setText(this.sum, isOn(now) ? `${count(rows.length)} partitions, each in a process of its own. The crawl's own process ${now.pid}: ${duration(now.cpu)} of CPU so far.`
      : `${count(rows.length)} partitions. No crawl runs.`);
    this.partitions.show(rows.map((one) => ({...one, unread: one.states ? one.states.waiting ?? 0 : undefined, does: does(one, now)})));
  }

  showProcesses(now) {
    setText(this.main, isOn(now) ? `Main process ${now.pid}: ${duration(now.cpu)} of CPU so far. The slider of processes is under Coordinator.` : "No crawl runs.");
    this.table.show(isOn(now) ? now.workers : []);
  }
}

function figure(number, text) {
  return number === undefined || number === null ? "" : text(number);
}

function does(part, now) {
  if (isOn(now)) return part.state ?? "starting";
  return part.known === undefined ? "not read: its store is on that machine" : "is at rest";
}
