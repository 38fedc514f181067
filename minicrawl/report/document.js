"use strict";
// Sorts and filters what the document has in any case; whatever it reads stays text.
const all = (selector, within = document) => [...within.querySelectorAll(selector)];

const place = new Map(all("tbody tr").map((row, number) => [row, number]));

function valueOf(row, column, isNumber) {
  const text = row.cells[column].textContent.trim();
  if (!isNumber) return text.toLowerCase() || null;
  const number = parseFloat(text.replace(/[^\d.e+-]/g, ""));
  return Number.isNaN(number) ? null : number;
}

function sort(table, column) {
  const heads = [...table.tHead.rows[0].cells], head = heads[column];
  const isNumber = head.classList.contains("number");
  const before = head.getAttribute("aria-sort");
  const isFalling = before ? before === "ascending" : isNumber; // numbers begin with the largest
  heads.forEach((each) => each.removeAttribute("aria-sort"));
  head.setAttribute("aria-sort", isFalling ? "descending" : "ascending");
  const rows = [...table.tBodies[0].rows].map((row) => [valueOf(row, column, isNumber), row]);
  const sign = isFalling ? -1 : 1;
  rows.sort(([a, one], [b, other]) => {
    if (a === null || b === null) return (a === null) - (b === null); // empty cells are last both ways
    return sign * (isNumber ? a - b : a.localeCompare(b)) || place.get(one) - place.get(other);
  });
  table.tBodies[0].append(...rows.map(([, row]) => row));
}

for (const table of all("table")) {
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(table, column));
    head.append(button);
  });
}

function show(rows, text) {
  // Show the rows that have every word of the text, and return their number.
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const row of rows) {
    const said = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => said.includes(word));
    shown += row.hidden ? 0 : 1;
  }
  return shown;
}

const filters = document.getElementById("filters"), issues = all(".issue");
const said = new Map(issues.map((issue) => [issue, issue.querySelector(".count").textContent]));
const [severity, rule, text, open] = ["severity", "rule", "text", "open"].map((id) => document.getElementById(id));

function counted(number, what) {
  return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}

function filter() {
  let targets = 0, rules = 0;
  for (const issue of issues) {
    const isAsked = (!severity.value || issue.classList.contains(severity.value))
      && (!rule.value || issue.id === `rule-${rule.value}`);
    const shown = isAsked ? show(all("tbody tr", issue), text.value) : 0;
    issue.hidden = !shown;
    issue.querySelector(".count").textContent = `${text.value ? `${shown} of ` : ""}${said.get(issue)}`;
    if (shown && (text.value || rule.value)) issue.open = true;
    targets += shown;
    rules += shown ? 1 : 0;
  }
  filters.querySelector("output").textContent = `Shown: ${counted(targets, "target")} of ${counted(rules, "rule")}`;
}

if (filters) {
  filters.hidden = false;
  [severity, rule, text].forEach((control) => control.addEventListener("input", filter));
  open.addEventListener("click", () => {
    const some = issues.filter((issue) => !issue.hidden), isOpen = some.every((issue) => issue.open);
    some.forEach((issue) => { issue.open = !isOpen; });
  });
}

for (const controls of all("section .controls:not(#filters)")) {
  const rows = all("tbody tr", controls.nextElementSibling);
  controls.hidden = false;
  controls.querySelector("input").addEventListener("input", (event) => {
    controls.querySelector("output").textContent = `${show(rows, event.target.value)} of ${rows.length} are shown`;
  });
}

let closed = [];
addEventListener("beforeprint", () => {
  closed = all("details:not([open])");
  closed.forEach((each) => { each.open = true; });
});
addEventListener("afterprint", () => closed.forEach((each) => { each.open = false; }));
