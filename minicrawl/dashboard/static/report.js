// The report: the dashboard's views of a store, one below the other, from answers in the file; and what the audit found.

import {byId, card, el, outside, shortened} from "./dom.js";
import {count, counted, printable} from "./format.js";
import {Overview} from "./overview.js";
import {Pages} from "./pages.js";
import {Sites} from "./sites.js";
import {Table} from "./table.js";

const answers = JSON.parse(byId("answers").textContent);
const app = {look: answers["/api/now"], get: async (path) => answers[path]};

function target(url) {
  return outside(url, shortened(url));
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
  return el("details", {class: "issue"},
    el("summary", {}, `${printable(says)}. `, el("small", {class: "quiet"}, el("span", {class: `grave-${severity}`}, severity), ` ${printable(rule)}, ${stake} at stake`)),
    el("p", {}, printable(why)), how ? el("p", {}, el("b", {}, "How to fix it: "), printable(how)) : null, table.node,
    all > findings.length ? el("p", {class: "quiet"}, `And ${count(all - findings.length)} more, of less importance.`) : null);
}

function issues({summary, do_first: first, issues: found, counts, checked, not_checked: lacks}) {
  const numbers = Object.entries(counts).map(([severity, number]) => counted(number, severity)).join(", ");
  const words = `${numbers}, by ${count(found.length)} of ${counted(checked, "rule")}; within each severity, what has most at stake comes first.`;
  const rest = Object.entries(lacks);
  return card("Issues", el("p", {class: "sentence"}, printable(summary)), first ? el("p", {}, printable(first)) : null,
    found.length ? el("p", {class: "quiet"}, words) : null, ...found.map(issue), rest.length ? el("details", {},
    el("summary", {}, `Not checked: ${counted(rest.length, "rule")}`),
    el("dl", {class: "facts"}, ...rest.flatMap(([rule, why]) => [el("dt", {}, printable(rule)), el("dd", {}, printable(why))]))) : null);
}

async function build() {
  byId("main").append(issues(answers.issues));
  const pages = new Pages(app);
  pages.n = answers["/api/pages"].pages.length;
  for (const view of [new Overview(app), pages, new Sites(app)]) {
    byId("main").append(el("div", {class: "view"}, ...view.nodes));
    await view.read();
    view.show?.(app.look);
  }
}

// On paper nothing can be asked for.
addEventListener("beforeprint", () => document.querySelectorAll("button.more").forEach((button) => {
  while (!button.hidden) button.click();
}));

build();
