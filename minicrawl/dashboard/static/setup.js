// Starting a crawl: a process of its own, which outlives the dashboard.

import {card, choice, el, setText} from "./dom.js";
import {isOn} from "./format.js";

// [name, title, hint, kind or choices]
const FIELDS = [
  ["pages", "Stop after pages", "10000"], ["time", "Stop after a time", "30m"], ["bytes", "Stop after bytes", "2GB"],
  ["until_coverage", "Stop at a coverage", "90%"],
  ["scope", "Which links to follow", "", ["", "any", "site", "host", "prefix", "linked"]], ["max_depth", "Most links from a seed", "none"],
  ["delay", "Delay to a host, seconds", "1"], ["concurrency", "Requests at once", "64"], ["workers", "Processes", "0"],
  ["contact", "Contact for site owners", "crawl@example.org"],
];
const FLAGS = [
  ["search", "Keep a search index"],
  ["allow_private", "Allow this machine and private addresses"],
];

export class Setup {
  constructor(app) {
    this.app = app;
    this.seeds = el("textarea", {rows: "5", placeholder: "https://example.org/", autocomplete: "off", spellcheck: "false"});
    this.inputs = new Map(FIELDS.map(([name, , hint, choices]) => [name, choices
      ? choice(choices.map((value) => [value, value || "as before, or any"]))
      : el("input", {name, placeholder: hint, autocomplete: "off"})]));
    this.flags = new Map(FLAGS.map(([name]) => [name, el("input", {type: "checkbox", name})]));
    this.button = el("button", {type: "submit"}, "Start");
    this.words = el("p", {class: "sentence"});
    const fields = FIELDS.map(([name, title]) => el("label", {}, title, this.inputs.get(name)));
    const flags = FLAGS.map(([name, title]) => el("label", {class: "flag"}, this.flags.get(name), title));
    this.form = el("form", {class: "setup", onsubmit: (event) => this.start(event)},
      el("label", {}, "Seeds: URLs or hosts, one per line", this.seeds), el("div", {class: "fields"}, ...fields),
      el("div", {class: "fields"}, ...flags), this.button);
    this.nodes = [card("Set up", this.words, this.form)];
  }

  show(now) {
    this.isNew = now.crawl === "none";
    const ofParts = "The crawl is in partitions: 'minicrawl crawl' continues it, and takes more seeds and other options.";
    setText(this.words, now.partitions && !isOn(now) ? ofParts : isOn(now) ? "A crawl is running here. Change its settings and add seeds under Overview."
      : this.isNew ? "There is no crawl here yet: name the pages to start from." : "The crawl continues where it stopped. Empty fields stay as they were; limits hold for one run.");
    this.form.hidden = isOn(now) || Boolean(now.partitions);
    setText(this.button, this.isNew ? "Start" : "Continue");
  }

  async start(event) {
    event.preventDefault();
    const given = [...this.inputs].map(([name, input]) => [name, input.value.trim()]).filter(([, value]) => value);
    const flags = [...this.flags].filter(([, input]) => input.checked).map(([name]) => [name, true]);
    const seeds = this.seeds.value.split(/\s+/).filter(Boolean);
    this.button.disabled = true;
    const answer = await this.app.start({seeds, settings: Object.fromEntries([...given, ...flags])});
    this.button.disabled = false;
    if (!answer) return;
    this.seeds.value = "";
    this.app.notify("The crawl has started. It continues when you close this page or the dashboard.");
    location.hash = "overview";
  }
}
