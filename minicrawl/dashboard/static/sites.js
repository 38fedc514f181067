// Sites by importance; and hosts: their known pages, their activity, and their waits with reason and end.

import {card, el, isReport, setText, toPages} from "./dom.js";
import {clock, count, counted, printable, small, took, weight} from "./format.js";
import {Table} from "./table.js";

const ONE = {delay: "delay", "crawl-delay": "Crawl-delay of its robots.txt", slow: "it is slow", ill: "it is ill", rest: "it asked for a rest", address: "delay of its address"};
const ORDER = ["asked", "opening", "waiting", "ready", "banned", "idle"];

export class Sites {
  constructor(app) {
    this.app = app;
    this.needsHosts = true;
    this.stored = [];
    this.count = el("p", {role: "status"}, "Reading the store.");
    this.filter = el("input", {type: "search", placeholder: "Part of a name", oninput: () => this.show()});
    const pages = (title, key, filter, minor = false) => ({title, minor, numeric: true, of: (one) => [one.name, one[key]], node: (one) => toPages({host: one.name, ...filter}, count(one[key])), sort: (one) => one[key]});
    const number = (title, key, text = count, minor = false) => ({title, minor, numeric: true, text: (one) => (one[key] === undefined || one[key] === null ? "–" : text(one[key])), sort: (one) => one[key] ?? 0});
    this.table = new Table("Hosts", [
      {title: "Host", wide: true, text: (one) => printable(one.name), sort: (one) => one.name},
      ...(isReport ? [] : [
        {title: "Does", text: (one) => does(one), sort: (one) => `${ORDER.indexOf(one.doing)} ${one.why ?? ""}`},
        {title: "Until", minor: true, text: (one) => (one.until ? clock(one.until) : ""), sort: (one) => one.until ?? 0},
      ]),
      pages("Known", "known", {}, true), pages("Read", "read", {where: "state IN ('fetched', 'alias')"}, true), pages("Waiting", "waiting", {state: "waiting"}),
      pages("Given up", "given_up", {where: "state IN ('error', 'disallowed', 'gone')"}),
      ...(isReport ? [] : [number("Delay", "delay", (s) => `${small(s)} s`, true)]), number("Answers in", "seconds", took, true), {title: "Ill", text: (one) => (one.ill ? `${one.ill}${one.reason ? ` (${printable(one.reason)})` : ""}` : ""), sort: (one) => one.ill ?? ""},
      ...(app.do ? [{title: "Ban", of: (one) => [one.name, one.doing === "banned"], node: (one) => this.ban(one)}] : []),
    ], (one) => one.name);
    this.sites = new Table("Sites", [
      {title: "Site", wide: true, of: (one) => one.site, node: (one) => toPages({site: one.site}, printable(one.site)), sort: (one) => one.site},
      number("Importance", "importance", weight), number("Trust", "trust", weight, true), number("Hosts", "hosts", count, true), number("Known", "known", count, true), number("Read", "read"),
      number("Waiting", "waiting", count, true), number("Failed", "failed"),
    ], (one) => one.site, "No hosts yet.");
    this.nodes = [card("Sites, the most important first", this.sites.node),
      card("Hosts", this.count, el("label", {class: "filter"}, "Show hosts with ", this.filter), this.table.node)];
  }

  async read() {
    this.sites.show((await this.app.get("/api/sites")).sites);
    const {hosts, count: all} = await this.app.get("/api/hosts");
    this.stored = hosts;
    setText(this.count, `${counted(all, "known host")}${all > hosts.length ? `, the ${count(hosts.length)} with the most pages here` : ""}.`);
    this.show();
  }

  fail(sentence) {
    setText(this.count, sentence);
  }

  show() {
    const now = this.app.look;
    const live = new Map((now?.hosts ?? []).map((one) => [one.host, one]));
    const banned = new Set(now?.banned ?? []);
    const rows = this.stored.map((one) => ({...one, ...atRest(one), ...live.get(one.name), ...(banned.has(one.name) ? {doing: "banned", until: null} : {})}));
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
        this.app.notify(what === "ban" ? `${host.name} gets no more requests; its pages wait.` : `${host.name} gets requests again.`);
      }
    };
    return el("button", {type: "button", class: "small", "aria-label": `${word} ${printable(host.name)}`, onclick: click}, word);
  }
}

// A host that is in no look, by what the store says.
function atRest({ill, next, rests_until: rests}) {
  const now = Date.now() / 1000;
  if (ill) return {doing: "waiting", why: "ill", until: next > now ? next : null};
  return rests > now ? {doing: "waiting", why: "rest", until: rests} : {doing: ""};
}

function does({doing, why}) {
  return {asked: "is asked", opening: "asks for its robots.txt or address", waiting: `waits: ${ONE[why] ?? why}`}[doing] ?? doing;
}
