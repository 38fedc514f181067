// The processes of the crawl: what each does, its speed, CPU and memory, and the requests in flight.

import {card, el, known, setText, shortened} from "./dom.js";
import {amount, clock, count, day, duration, isOn, percent, printable, rate} from "./format.js";
import {Table} from "./table.js";

const LOOKS = 40;

export class Crawlers {
  constructor(app) {
    this.app = app;
    this.stored = new Map(); // readings of the partitions' stores, by number
    this.past = new Map(); // [seconds, pages, CPU] of each process at the last looks, by name
    const number = (title, key, text = count) => ({title, numeric: true, text: (one) => figure(one[key], text), sort: (one) => one[key] ?? -1});
    this.table = new Table("Processes", [
      {title: "Process", text: (one) => one.name, sort: (one) => one.name},
      {title: "Does", text: (one) => one.doing + (one.since ? ` since ${clock(one.since)}` : ""), sort: (one) => one.doing},
      number("In flight", "in_flight"), number("Pages", "pages"), number("Pages / s", "speed", rate),
      number("Bytes", "bytes", amount), number("CPU", "share", (share) => percent(share, 0)), number("CPU so far", "cpu", duration), number("Memory", "memory", amount), number("PID", "pid", String),
    ], (one) => one.name, "No crawl runs.");
    this.requests = new Table("Requests in flight", [
      {title: "Process", text: (one) => one.process, sort: (one) => one.process},
      {title: "URL", wide: true, of: (one) => one.url, node: (one) => known(one.url, shortened(one.url))},
      {title: "Host", text: (one) => printable(host(one.url)), sort: (one) => host(one.url)},
      {title: "Since", text: (one) => clock(one.since), sort: (one) => one.since}, number("For", "seconds", duration),
      {title: "Waits for", text: (one) => one.waits_for ?? "its answer", sort: (one) => one.waits_for ?? ""},
    ], (one) => one.url, "Nothing just now.");
    this.partitions = new Table("Partitions", [
      number("Partition", "number", String),
      {title: "Machine", text: (one) => printable(one.machine ?? "this one"), sort: (one) => one.machine ?? ""},
      {title: "Does", text: (one) => one.does, sort: (one) => one.does},
      number("Read", "read"), number("Waiting", "unread"), number("Mirrors", "mirrors"), number("To send", "waiting"),
      {title: "Last commit", text: (one) => day(one.last_commit), sort: (one) => one.last_commit ?? 0},
      number("Process", "pid", String), number("Died", "deaths"),
    ], (one) => one.number, "They have not begun yet.");
    this.sum = el("p", {});
    this.parts = card("Partitions", this.sum, el("p", {class: "quiet"},
      "Waiting: pages to be read. Mirrors: URLs of other partitions that it has links to. To send: rows that these have not confirmed. Died: processes in this run, each of which was started again."), this.partitions.node);
    this.parts.hidden = true;
    this.nodes = [card("Processes", this.table.node), this.parts, card("Requests in flight, the oldest first", this.requests.node)];
  }

  take(now) {
    if (now.crawl !== "running") return;
    for (const {name, pid, pages, cpu} of processes(now)) {
      const past = this.past.get(name);
      if (!past || past.pid !== pid || (past.at(-1)[1] === undefined) !== (pages === undefined)) this.past.set(name, Object.assign([[now.at, pages, cpu]], {pid}));
      else if (past.at(-1)[0] < now.at) past.push([now.at, pages, cpu]);
      if (past?.length > LOOKS) past.shift();
    }
  }

  // Values that a running crawl does not report come from the partitions' stores.
  async read() {
    this.stored = new Map((await this.app.get("/api/partitions")).partitions.map((one) => [one.number, one]));
    if (this.app.look) this.show(this.app.look);
  }

  fail(sentence) {
    setText(this.sum, printable(sentence));
  }

  show(now) {
    this.table.show(isOn(now) ? processes(now).map((one) => ({...one, ...this.lately(one.name)})) : []);
    const kind = now.partitions ? "partition" : "worker";
    const process = ({worker}) => (worker === null || worker === undefined ? "main" : `${kind} ${worker}`);
    this.requests.show(now.requests?.map((one) => ({...one, process: process(one), since: now.at - one.seconds})) ?? []);
    this.parts.hidden = !now.partitions;
    if (now.partitions) this.showPartitions(now);
  }

  // Speed and share of a core over the last looks.
  lately(name) {
    const past = this.past.get(name) ?? [];
    if (past.length < 2) return {};
    const [[began, pages, cpu], [ended, pagesNow, cpuNow]] = [past[0], past.at(-1)];
    return {speed: pages === undefined ? undefined : (pagesNow - pages) / (ended - began), share: (cpuNow - cpu) / (ended - began)};
  }

  showPartitions(now) {
    const live = new Map(now.partitions.map((one) => [one.number, one]));
    const numbers = [...new Set([...live.keys(), ...this.stored.keys()])].sort((one, other) => one - other);
    const rows = numbers.map((number) => ({...this.stored.get(number), ...live.get(number)}));
    setText(this.sum, `${count(rows.length)} partitions. ${isOn(now) ? "Each has a process of its own." : "No crawl runs."}`);
    this.partitions.show(rows.map((one) => ({...one, unread: one.states ? one.states.waiting ?? 0 : undefined, does: does(one, now)})));
  }
}

// All processes of a running crawl in one form; the main process of partitions fetches nothing.
function processes(now) {
  const {pid, cpu, memory, workers} = now;
  const others = now.partitions?.filter((one) => one.pid) ?? workers;
  const main = others.length ? {doing: "coordinates"} : {doing: now.state, in_flight: now.in_flight, pages: now.fetched, bytes: now.bytes};
  const named = (one) => (now.partitions ? {...one, name: `partition ${one.number}`, doing: one.state, pages: one.fetched} : {...one, name: `worker ${one.number}`});
  return [{name: "main", pid, cpu, memory, ...main}, ...others.map(named)];
}

function host(url) {
  return URL.canParse(url) ? new URL(url).host : "";
}

function figure(number, text) {
  return number === undefined || number === null ? "" : text(number);
}

function does(part, now) {
  if (isOn(now)) return part.state ?? "starting";
  return part.known === undefined ? "not read: its store is on that machine" : "is at rest";
}
