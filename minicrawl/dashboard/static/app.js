// The page: asks the server for the state of the crawl, twice a second while visible, and updates the views.

import {get, post, Failure} from "./api.js";
import {byId, el, setText} from "./dom.js";
import {clock, isOn, isWatched, printable} from "./format.js";
import {Overview} from "./overview.js";
import {Pages} from "./pages.js";
import {Sites} from "./sites.js";
import {Issues} from "./issues.js";
import {Watched} from "./watched.js";
import {Setup} from "./setup.js";
import {Why} from "./why.js";
import {Log} from "./log.js";

const LOOKS = {running: 500, busy: 1000, resting: 2000, none: 1000};
const [READINGS, AWAITED, OLD] = [5000, 1000, 10]; // ms, ms, seconds
const STATES = {
  starting: "Starting", running: "Running", paused: "Paused", stopping: "Stopping", ended: "Not running",
  busy: "Busy", none: "No crawl yet",
};

const app = {
  look: null, get: figures, do: (message) => command(message), start: (message) => command(message, "/api/start"), notify, open, read,
};
const views = [
  ["overview", "Overview", new Overview(app)],
  ["pages", "Pages", new Pages(app)],
  ["sites", "Sites", new Sites(app)],
  ["watched", "Watched", new Watched(app)],
  ["audit", "Audit", new Issues(app)],
  ["why", "Why", new Why(app)],
  ["log", "Log", new Log(app)],
  ["setup", "Set up", new Setup(app)],
];
let [shown, after, timer, isAsking, isLost, isAwaited, lastRead, reading] = [views[0], 0, null, false, false, false, 0, 0];
let done = 0; // number of commands answered
const old = new Map(); // [Unix seconds, is late] of readings in view that are not of just now, by path
const asOf = el("p", {class: "as-of", role: "status"});

// A reading: the last one, while the server works out the next.
async function figures(path, query) {
  const {as_of: at, is_late: isLate, ...found} = await get(path, query);
  if (isLate || (app.look && isOn(app.look) && Date.now() / 1000 - at > OLD)) old.set(path, [at, isLate]);
  else old.delete(path);
  return found;
}

// Sends a command and shows its effect. Returns its answer; undefined if it failed.
async function command(message, path = "/api/control") {
  try {
    const answer = await post(path, message);
    done += 1;
    soon(0);
    return answer;
  } catch (failure) {
    notify(failure.message, true);
    return undefined;
  }
}

let isFirst = true;
let hide = null;
function notify(sentence, isError = false) {
  const notice = byId("notice");
  clearTimeout(hide);
  setText(notice, printable(sentence));
  notice.classList.toggle("error", isError);
  notice.hidden = !sentence;
  if (!isLost) hide = setTimeout(() => { notice.hidden = true; }, isError ? 12000 : 5000);
}

function soon(milliseconds) {
  clearTimeout(timer);
  timer = setTimeout(look, milliseconds);
}

async function look() {
  if (document.hidden) return; // a hidden page sends no requests
  if (isAsking) return soon(20);
  isAsking = true;
  let next = 1000;
  const before = done;
  try {
    const now = await get("/api/now", {after, hosts: shown[2].needsHosts ? 1 : 0});
    // A look from before the last command may show an old value where a slider shows the new one.
    const isOvertaken = before !== done;
    if (!isOvertaken) take(now);
    if (isLost) {
      isLost = false;
      notify("");
    }
    next = app.look && !isOvertaken ? LOOKS[app.look.crawl] : 0;
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    isLost = true;
    notify(failure.message, true);
    lose();
    if (failure.status === 401) next = 5000;
  } finally {
    isAsking = false;
    soon(next);
  }
}

function take(now) {
  const {events} = now;
  // Another dashboard may listen here by now, with numbers of its own.
  if (app.look && now.dashboard !== app.look.dashboard) {
    after = 0;
    app.look = null;
    return;
  }
  const isNew = app.look?.watched !== now.watched; // a round of checks has ended
  app.look = now;
  if (events.length) after = events[events.length - 1].number;
  setText(byId("store"), printable(now.store));
  byId("store").title = printable(now.store);
  const isList = isWatched(now);
  setText(byId("state"), isList ? (isOn(now) ? "Checking" : "Not checking") : STATES[now.state] ?? now.state);
  byId("state").className = `state ${now.state}`;
  byId("actions").hidden = isList || !isOn(now);
  if (isNew) choose(isList);
  byId("pause").hidden = now.state === "paused";
  byId("resume").hidden = now.state !== "paused";
  byId("stop").disabled = byId("pause").disabled = now.state === "stopping";
  byId("resume").disabled = false;
  document.title = `${byId("state").textContent} – minicrawl`;
  document.body.classList.remove("lost");
  if (now.crawl === "none" && isFirst && !location.hash) location.hash = "setup";
  isFirst = false;
  for (const [, , view] of views) view.take?.(now, events);
  shown[2].show?.(now);
  if ((isOn(now) || isAwaited) && !reading && performance.now() - lastRead > (isAwaited ? AWAITED : READINGS)) read();
}

// The store of a watched list has one view, and others have all but that.
function choose(isList) {
  for (const [id] of views) byId(`tab-${id}`).hidden = isList !== (id === "watched");
  if (isList !== (shown[0] === "watched")) location.replace(isList ? "#watched" : "#overview");
  else if (isList) read();
}

function lose() {
  setText(byId("state"), "No connection");
  byId("state").className = "state lost";
  document.body.classList.add("lost");
  document.title = "No connection – minicrawl";
  for (const id of ["pause", "resume", "stop"]) byId(id).disabled = true;
}

// Slow readings are requested less often, and only for the visible view. Their figures stay until there are new ones.
async function read() {
  const view = shown[2];
  lastRead = performance.now();
  isAwaited = false;
  reading += 1;
  try {
    await view.read?.();
    view.at = Date.now() / 1000;
    view.panel.removeAttribute("aria-busy");
    if (view !== shown[2]) return;
    const times = [...old.values()];
    isAwaited = times.some(([, isLate]) => isLate);
    setText(asOf, times.length ? `Figures as of ${clock(Math.min(...times.map(([at]) => at)))}${isAwaited ? "; new ones are on their way" : ""}.` : "");
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    isAwaited = failure.status === 503; // it is still being computed
    if (!failure.status) return;
    if (!isAwaited) view.panel.removeAttribute("aria-busy");
    if (view.at && !view.open) setText(asOf, `Figures as of ${clock(view.at)}: ${printable(failure.message)}.`);
    else view.fail ? view.fail(failure.message) : notify(failure.message, true);
  } finally {
    reading -= 1;
  }
}

function go(name, argument) {
  const view = views.find(([id]) => id === name) ?? views[0];
  shown = view;
  for (const [id, , other] of views) {
    const isShown = id === view[0];
    byId(`tab-${id}`).setAttribute("aria-selected", String(isShown));
    byId(`tab-${id}`).tabIndex = isShown ? 0 : -1;
    other.panel.hidden = !isShown;
  }
  old.clear();
  setText(asOf, "");
  if (view[2].read && !view[2].at) view[2].panel.setAttribute("aria-busy", "true"); // it shows where figures will be
  byId(`tab-${view[0]}`).scrollIntoView({block: "nearest", inline: "nearest"});
  view[2].open?.(argument);
  if (app.look) view[2].show?.(app.look);
  read();
}

// Shows the view behind a #; if it is visible already, it is reloaded.
function open(hash) {
  const before = location.href;
  location.hash = hash;
  if (location.href === before) follow();
}

function follow() {
  const [name, argument] = location.hash.slice(1).split(/=(.*)/s);
  go(name, argument === undefined ? undefined : decoded(argument));
}

// Text typed behind the # may be malformed.
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function build() {
  byId("main").append(asOf);
  for (const [id, title, view] of views) {
    const choose = () => { location.hash = id; };
    byId("tabs").append(el("button", {id: `tab-${id}`, type: "button", role: "tab", hidden: id === "watched", "aria-controls": `view-${id}`, onclick: choose}, title));
    view.panel = el("div", {id: `view-${id}`, role: "tabpanel", "aria-labelledby": `tab-${id}`, class: "view"}, ...view.nodes);
    byId("main").append(view.panel);
  }
  byId("tabs").addEventListener("keydown", step);
  byId("pause").addEventListener("click", () => command({do: "pause"}));
  byId("resume").addEventListener("click", () => command({do: "resume"}));
  byId("stop").addEventListener("click", async () => {
    if (await command({do: "stop"})) notify("Stopping: it finishes requests in flight, then settles the ranking. Nothing is lost.");
  });
  addEventListener("hashchange", follow);
  addEventListener("keydown", press);
  byId("help").addEventListener("click", () => byId("keys").showModal());
  document.addEventListener("visibilitychange", () => soon(0));
  follow();
  look();
}

// Arrow keys go from tab to tab, as in all lists of tabs.
function step(event) {
  const turns = {ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity};
  if (!(event.key in turns)) return;
  event.preventDefault();
  const there = views.filter(([id]) => !byId(`tab-${id}`).hidden);
  const from = there.findIndex(([id]) => document.activeElement === byId(`tab-${id}`));
  const index = (from < 0 ? there.indexOf(shown) : from) + turns[event.key];
  const [id] = there[Math.min(Math.max(index, 0), there.length - 1)];
  location.hash = id;
  byId(`tab-${id}`).focus();
}

// Keys of the whole page, where nothing is typed.
function press(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
  if (event.key === "?") byId("keys").showModal();
  else return;
  event.preventDefault();
}

build();
