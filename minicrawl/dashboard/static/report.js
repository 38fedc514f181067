// The report: the dashboard's views of a store, one below the other, from answers in the file; and what the audit found.

import {byId, el} from "./dom.js";
import {issues} from "./issues.js";
import {Overview} from "./overview.js";
import {Pages} from "./pages.js";
import {Sites} from "./sites.js";

const answers = JSON.parse(byId("answers").textContent);
const app = {look: answers["/api/now"], get: async (path) => answers[path]};

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
