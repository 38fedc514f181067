// What an audit found: in a sentence, what to do first, and each rule with its findings.

import {card, el, isReport, known, outside, shortened} from "./dom.js";
import {count, counted, printable} from "./format.js";
import {Table} from "./table.js";

function target(url) {
  return isReport || !/^https?:/.test(url) ? outside(url, shortened(url)) : known(url, shortened(url));
}

// A page, or a class of pages with one for an example.
function where({where: words, target: url}) {
  return words ? el("div", {}, shortened(words), ", such as ", target(url)) : target(url);
}

function sources({examples, sources: all}) {
  const more = all > examples.length ? [el("div", {}, `and ${count(all - examples.length)} more`)] : [];
  return el("div", {}, ...examples.map((url) => el("div", {}, target(url))), ...more);
}

// Columns of findings, each with what tells whether it says anything of one.
const COLUMNS = [
  [{title: "Where", wide: true, node: where}, () => true],
  [{title: "What", wide: true, text: (found) => shortened(found.detail)}, (found) => found.detail],
  [{title: "At stake", numeric: true, text: (found) => found.at_stake}, () => true],
  [{title: "Found on", wide: true, node: sources}, (found) => found.sources],
];

function issue({rule, severity, found: says, why, how, at_stake: stake, findings, causes: all}) {
  const columns = COLUMNS.filter(([, has]) => findings.some(has)).map(([column]) => column);
  const table = new Table(rule, columns, (found) => `${found.where} ${found.target}`);
  table.most = findings.length;
  table.show(findings);
  return el("details", {class: "issue", "data-rule": rule},
    el("summary", {}, `${printable(says)}. `, el("small", {class: "quiet"}, el("span", {class: `grave-${severity}`}, severity), ` ${printable(rule)}, ${stake} at stake`)),
    el("p", {}, printable(why)), how ? el("p", {}, el("b", {}, "How to fix it: "), printable(how)) : null, table.node,
    all > findings.length ? el("p", {class: "quiet"}, `And ${count(all - findings.length)} more, of less importance.`) : null);
}

export function issues({summary, do_first: first, issues: found, counts, checked, not_checked: lacks}) {
  const numbers = Object.entries(counts).map(([severity, number]) => counted(number, severity)).join(", ");
  const words = `${numbers}, by ${count(found.length)} of ${counted(checked, "rule")}; within each severity, what has most at stake comes first.`;
  const rest = Object.entries(lacks);
  return card("Issues", el("p", {class: "sentence"}, printable(summary)), first ? el("p", {}, printable(first)) : null,
    found.length ? el("p", {class: "quiet"}, words) : null, ...found.map(issue), rest.length ? el("details", {},
    el("summary", {}, `Not checked: ${counted(rest.length, "rule")}`),
    el("dl", {class: "facts"}, ...rest.flatMap(([rule, why]) => [el("dt", {}, printable(rule)), el("dd", {}, printable(why))]))) : null);
}

export class Issues {
  constructor(app) {
    this.app = app;
    this.found = el("div", {class: "issues"}, card("Issues", el("p", {role: "status"}, "Auditing the pages read so far.")));
    this.nodes = [this.found];
  }

  async read() {
    const found = await this.app.get("/api/issues");
    const text = JSON.stringify(found.issues);
    if (text === this.text) return;
    const open = new Set([...this.found.querySelectorAll("details[open]")].map((each) => each.dataset.rule));
    this.found.replaceChildren(issues(found));
    for (const each of this.found.querySelectorAll("details")) each.open = open.has(each.dataset.rule);
    this.text = text;
  }

  fail(sentence) {
    this.text = null;
    this.found.replaceChildren(card("Issues", el("p", {class: "quiet"}, printable(sentence))));
  }
}
