// The crawl in one view: whether it runs and how far, its best pages, what holds it up, what failed; and its controls.

import {Failure} from "./api.js";
import {card, el, fill, isReport, pagesOf, setText, titled, toPages} from "./dom.js";
import {about, amount, clock, count, counted, day, duration, held, isOn, percent, printable, rate, weight} from "./format.js";
import {Chart} from "./chart.js";
import {Slider} from "./slider.js";
import {Table} from "./table.js";

const WHY = {
  "nothing-left": "nothing is left to fetch", pages: "the page limit is reached", time: "the time is up",
  bytes: "the byte limit is reached", coverage: "the coverage is reached",
  patience: "only pages of ill hosts are left, and no longer waited for", interrupted: "it was stopped", killed: "it was killed",
};
const AIMS = {
  pages: ["Pages", count], time: ["Time", duration], bytes: ["Bytes", amount], until_coverage: ["Coverage", percent],
};
const HOSTS = {
  asked: "are asked", opening: "need robots.txt or an address", ready: "are ready", banned: "are banned", idle: "have nothing to fetch",
  delay: "wait for their delay", "crawl-delay": "wait for the Crawl-delay of their robots.txt", slow: "wait because they are slow",
  ill: "are ill, and rest", rest: "wait because they asked for a rest", address: "wait for the delay of their address",
};
const OF_OPERATORS = isReport ? ["Pages a second", "In flight"] : []; // a report tells readers what was found, not how
const [BEST, FAILED] = [10, ["error", "gone", "disallowed"]];

export class Overview {
  constructor(app) {
    this.app = app;
    this.figures = new Figures();
    this.sentence = el("p", {class: "sentence"});
    this.best = new Table("The best pages", [
      {title: "Page", wide: true, of: (page) => [page.url, page.title], node: (page) => titled(page)},
      {title: "Importance", numeric: true, text: (page) => weight(page.importance)},
    ], (page) => page.url, "No page has been read yet.");
    this.coverage = new Chart("Coverage", "share of importance", percent);
    this.ofCoverage = card("Coverage", this.coverage.node);
    this.hosts = el("ul", {class: "plain tally"});
    this.failed = el("ul", {class: "plain tally"});
    this.aims = el("div", {class: "aims"});
    this.limits = new Limits(app);
    this.rest = new Rest(app);
    this.progress = card("Progress", this.aims, this.limits.node);
    this.sliders = [
      new Slider(app, "workers", "Processes", [...Array(17).keys()], (n) => (n ? count(n) : "0 (in the main process)"), "one for each partition"),
      new Slider(app, "concurrency", "Requests at once", [1, 2, 4, 8, 16, 32, 64, 128, 256, 512], count),
      new Slider(app, "delay", "Delay between two requests to a host", [0, 0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 15, 30, 60], (s) => `${s} s`),
    ];
    this.seeds = seeds(app);
    this.refusal = el("p", {class: "quiet"}, "Partitions keep their settings during a run: stop it, and 'minicrawl crawl' continues with other options.");
    this.ofHosts = card("What hosts are doing", this.hosts, el("a", {href: "#sites"}, "Sites and hosts"));
    this.ofFailures = card("What failed", this.failed);
    this.nodes = [
      this.sentence,
      this.rest.node,
      this.figures.node,
      el("div", {class: "columns"},
        card("Best pages", this.best.node, el("a", {href: pagesOf()}, "All pages")),
        this.progress, this.ofCoverage, this.ofHosts, this.ofFailures,
        card("Controls", this.refusal, ...this.sliders.map((slider) => slider.node), this.seeds),
      ),
    ];
  }

  async read() {
    this.best.show((await this.app.get("/api/top", {n: BEST})).pages);
    try {
      const {states, points} = await this.app.get("/api/course");
      const [first, last] = [points[0], points[points.length - 1]];
      const words = last ? `${day(first.at)} to ${day(last.at)}: ${count(last.fetched)} answers in ${duration(last.seconds)}.` : "";
      this.coverage.show([["about", "about"], ["at least", "coverage"], ["at most", "shown"]].map(([name, of]) => ({name, points: points.map((point) => [point.seconds, point[of]])})), words);
      const failed = states.filter(({state}) => FAILED.includes(state)).map(({state, reason, meaning, pages}) => el("li", {}, el("span", {}, toPages({state, reason}, printable(reason)), meaning ? `: ${meaning}` : null), el("b", {}, count(pages))));
      fill(this.failed, failed, "Nothing.");
    } catch (failure) {
      if (!(failure instanceof Failure) || failure.status !== 409) throw failure;
      this.ofCoverage.hidden = this.ofFailures.hidden = true; // partitions have no such figures together
    }
  }

  fail() {} // there is no store yet

  show(now) {
    setText(this.sentence, isReport && now.state === "running" ? "" : sentence(now));
    if (now.crawl === "none") return;
    this.figures.show(now);
    this.rest.show(now);
    this.showAims(now);
    this.limits.show(now);
    const isFixed = Boolean(now.partitions);
    this.refusal.hidden = !isFixed;
    this.seeds.hidden = isFixed && !isOn(now);
    for (const slider of this.sliders) slider.show(now.settings, isFixed);
    const hosts = Object.entries(now.host_states ?? {}).sort((one, other) => other[1] - one[1]);
    fill(this.hosts, hosts.map(([name, number]) => el("li", {}, HOSTS[name] ?? name, el("b", {}, count(number)))), "Nothing just now.");
    this.ofHosts.hidden = isReport || !hosts.length;
    this.progress.hidden = isReport || now.crawl !== "running" && !now.aims.length;
  }

  showAims(now) {
    const bars = now.aims.map((aim) => {
      const [title, text] = AIMS[aim.name];
      const share = Math.min(aim.done / aim.of, 1);
      const left = aim.left === null ? "" : aim.left > 0 ? `, ${about(aim.left)} left` : ", reached";
      const label = `${title}: ${text(aim.done)} of ${text(aim.of)}${left}`;
      return el("div", {class: "aim"}, el("span", {}, label), el("progress", {max: "1", value: share, "aria-label": label}));
    });
    fill(this.aims, bars, now.crawl === "running" ? "No limits: it runs until nothing is left to fetch." : "");
  }
}

function sentence(now) {
  switch (now.state) {
    case "none": return "There is no crawl here yet.";
    case "starting": return "It is reading the seeds.";
    case "paused": return `Paused${now.in_flight ? `; ${counted(now.in_flight, "request")} being finished` : ""}. The clocks of all limits have stopped.`;
    case "stopping": return now.in_flight ? `Stopping: ${counted(now.in_flight, "request")} being finished.` : "Stopping: it is settling the ranking, or updating the search index.";
    case "busy": return "Another program is writing to the store and does not answer: a crawl that is starting or ending, or a command.";
    case "ended": {
      const ill = now.ill_pages ? `; ${counted(now.ill_pages, "page")} of ${counted(now.ill_hosts, "ill host")} wait` : "";
      return `${isReport ? "The crawl has ended" : "No crawl is running"}${now.reason ? `: ${WHY[now.reason] ?? now.reason}` : ""}${ill}.`;
    }
  }
  if (now.silence) return `No host has answered since ${clock(now.silence.since)}; trying again every ${Math.round(now.silence.pause)} s.`;
  return now.crawl === "busy" ? "The crawl has not answered for a moment." : "";
}

// What a crawl at rest would do next, and the button for it.
class Rest {
  constructor(app) {
    const start = async () => {
      this.button.disabled = true;
      if (await app.start({seeds: [], settings: {}})) app.notify("The crawl continues, also when you close this page or the dashboard.");
      this.button.disabled = false;
    };
    this.app = app;
    this.button = el("button", {type: "submit", onclick: start}, "Continue");
    this.words = el("span");
    this.node = el("p", {class: "rest", hidden: true}, this.button, this.words);
  }

  show(now) {
    this.node.hidden = !this.app.start || now.state !== "ended" || Boolean(now.partitions);
    if (this.node.hidden) return;
    const {waiting} = now;
    this.button.hidden = !waiting;
    const pace = now.settings.delay ? `asking each host at most every ${now.settings.delay} s` : "without delay";
    setText(this.words, waiting ? `reads the ${waiting === 1 ? "page that waits" : `${count(waiting)} pages that wait`}, the most important first, ${pace}, until nothing is left or you stop it. Set up has limits and other options.`
      : "No page waits. 'minicrawl refresh' reads pages again; more seeds go in under Controls.");
  }
}

class Figures {
  constructor() {
    const names = ["Pages fetched", "Pages a second", "Bytes", "Time", "Known", "Read", "Coverage", "In flight"];
    const links = {Known: {}, Read: {where: "state IN ('fetched', 'alias')"}};
    this.values = names.map((name) => (links[name] ? toPages(links[name], "") : el("span")));
    this.notes = names.map(() => el("dd", {class: "quiet"}));
    this.node = el("dl", {class: "figures"}, ...names.map((name, index) => !OF_OPERATORS.includes(name) && el("div", {class: "figure"}, el("dt", {}, name), el("dd", {}, this.values[index]), this.notes[index])));
  }

  show(now) {
    const all = now.earlier ?? {runs: 0, fetched: 0, bytes: 0, seconds: 0};
    const before = (number, text) => (all.runs ? `${text(number)} in all runs` : "");
    const shown = [
      [count(now.fetched), before(all.fetched + now.fetched, count)],
      [rate(now.speed.pages), `${amount(now.speed.bytes)}/s`],
      [amount(now.bytes), before(all.bytes + now.bytes, amount)],
      [duration(now.seconds), before(all.seconds + now.seconds, duration)],
      [count(now.known), "pages"],
      [count(now.read), now.known ? percent(now.read / now.known) : ""],
      now.coverage === null ? ["–", now.partitions ? "not known: not all partitions are read here" : "not known just now"] : held(now),
      [count(now.in_flight), doing(now.doing)],
    ];
    shown.forEach(([value, note], index) => {
      setText(this.values[index], value);
      setText(this.notes[index], note);
    });
  }
}

function doing(hosts) {
  const parts = ["ready", "waiting"].filter((name) => hosts?.[name]).map((name) => `${count(hosts[name])} ${name}`);
  return parts.length ? `hosts: ${parts.join(", ")}` : "";
}

class Limits {
  constructor(app) {
    const fields = {pages: ["Pages", "10000"], time: ["Time", "30m"], bytes: ["Bytes", "2GB"], until_coverage: ["Coverage", "90%"]};
    this.inputs = Object.fromEntries(Object.entries(fields).map(([name, [, hint]]) => [name, el("input", {name, placeholder: `none (${hint})`, autocomplete: "off"})]));
    const labels = Object.entries(fields).map(([name, [title]]) => el("label", {}, title, this.inputs[name]));
    const set = async (event) => {
      event.preventDefault();
      const changed = Object.entries(this.inputs).filter(([, input]) => input.value !== input.dataset.now);
      if (!changed.length) return;
      const settings = Object.fromEntries(changed.map(([name, input]) => [name, input.value.trim() || null]));
      if (await app.do({do: "set", settings})) {
        for (const input of Object.values(this.inputs)) input.value = input.dataset.now = "";
        app.notify("Limits set.");
      }
    };
    this.form = el("form", {class: "limits", onsubmit: set}, ...labels, el("button", {type: "submit"}, "Set limits"));
    this.node = el("details", {}, el("summary", {}, "Change limits"), this.form);
  }

  show(now) {
    this.node.hidden = now.crawl !== "running";
    for (const [name, input] of Object.entries(this.inputs)) {
      if (this.form.contains(document.activeElement) || (input.value && input.value !== input.dataset.now)) continue;
      const limit = now.limits?.[name] ?? null;
      input.value = input.dataset.now = limit === null ? "" : String(limit);
    }
  }
}

function seeds(app) {
  const text = el("textarea", {rows: "2", placeholder: "https://example.org/", "aria-describedby": "seeds-hint", autocomplete: "off", spellcheck: "false"});
  const add = async (event) => {
    event.preventDefault();
    const lines = text.value.split(/\s+/).filter(Boolean);
    if (!lines.length) return;
    const answer = await app.do({do: "add", seeds: lines});
    if (!answer) return;
    text.value = "";
    app.notify(`${counted(answer.new, "new seed")}${answer.running ? "" : "; no crawl is running, so this is for the next one"}.`);
  };
  return el("form", {class: "seeds", onsubmit: add}, el("label", {}, "Add seeds", text),
    el("span", {class: "quiet", id: "seeds-hint"}, "URLs or hosts, one per line"), el("button", {type: "submit"}, "Add"));
}
