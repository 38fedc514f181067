// All hosts: their known pages, their activity, and their waits with reason and end.

import {card, el, setText} from "./dom.js";
import {clock, count, printable} from "./format.js";
import {Table} from "./table.js";

const WHY = {
  delay: "delay", "crawl-delay": "Crawl-delay of its robots.txt", slow: "it is slow", failures: "failures in a row",
  rest: "it asked for a rest", address: "delay of its address",
};
const ORDER = ["asked", "opening", "waiting", "ready", "banned", "idle"];

export class Hosts {
  constructor(app) {
    this.app = app;
    this.needsHosts = true;
    this.stored = [];
    this.count = el("p", {role: "status"}, "The store is being read.");
    this.filter = el("input", {type: "search", placeholder: "Part of a name", oninput: () => this.draw()});
    this.table = new Table("Hosts", [
      {title: "Host", wide: true, text: (one) => printable(one.name), sort: (one) => one.name},
      {title: "Does", text: (one) => does(one), sort: (one) => ORDER.indexOf(one.doing)},
      {title: "Known", numeric: true, text: (one) => count(one.known), sort: (one) => one.known},
      {title: "Read", numeric: true, text: (one) => count(one.read), sort: (one) => one.read},
      {title: "Waiting", numeric: true, text: (one) => count(one.waiting), sort: (one) => one.waiting},
      {title: "Given up", numeric: true, text: (one) => count(one.given_up), sort: (one) => one.given_up},
      {title: "Delay", numeric: true, text: (one) => (one.delay ? `${Number(one.delay.toPrecision(3))} s` : ""), sort: (one) => one.delay ?? 0},
      {title: "", of: (one) => [one.name, one.doing === "banned"], node: (one) => this.ban(one)},
    ], (one) => one.name);
    this.nodes = [card("Hosts", this.count, el("label", {class: "filter"}, "Show hosts with ", this.filter), this.table.node)];
  }

  async read() {
    const {hosts, count: all} = await this.app.get("/api/hosts");
    this.stored = hosts;
    setText(this.count, `${count(all)} hosts are known${all > hosts.length ? `; shown are the ${count(hosts.length)} with the most known pages` : ""}.`);
    this.draw();
  }

  fail(sentence) {
    setText(this.count, sentence);
  }

  show() {
    this.draw();
  }

  draw() {
    const now = this.app.look;
    const live = new Map((now?.hosts ?? []).map((one) => [one.host, one]));
    const banned = new Set(now?.banned ?? []);
    const rows = this.stored.map((one) => ({...one, ...live.get(one.name), doing: banned.has(one.name) ? "banned" : live.get(one.name)?.doing ?? ""}));
    for (const [name, one] of live) {
      if (!this.stored.some((row) => row.name === name)) rows.push({name, known: 0, read: 0, waiting: 0, given_up: 0, ...one});
    }
    const wanted = this.filter.value.toLowerCase();
    this.table.show(rows.filter((one) => one.name.includes(wanted)));
  }

  ban(host) {
    const [word, what] = host.doing === "banned" ? ["Unban", "unban"] : ["Ban", "ban"];
    const click = async () => {
      if (await this.app.do({do: what, host: host.name})) {
        this.app.notify(what === "ban" ? `Nothing is asked of ${host.name} any more; its pages wait.` : `${host.name} is asked again.`);
      }
    };
    return el("button", {type: "button", class: "small", "aria-label": `${word} ${printable(host.name)}`, onclick: click}, word);
  }
}

function does(host) {
  if (host.doing === "waiting") return `waits until ${clock(host.until)}: ${WHY[host.why] ?? host.why}`;
  if (host.doing === "asked") return "is asked";
  if (host.doing === "opening") return "its robots.txt or address is asked for";
  return host.doing;
}
