// Everything known of one URL, and the commands for it.

import {card, el, known, outside, toPages, whyOf} from "./dom.js";
import {amount, count, counted, day, duration, isLost, percent, printable, small, weight} from "./format.js";

export class Why {
  constructor(app) {
    this.app = app;
    this.input = el("input", {type: "text", name: "url", placeholder: "https://example.org/page", autocomplete: "off", spellcheck: "false", inputmode: "url"});
    const ask = (event) => {
      event.preventDefault();
      app.open(whyOf(this.input.value.trim()));
    };
    this.found = el("div", {"aria-live": "polite"});
    this.nodes = [card("Why", el("form", {class: "ask", onsubmit: ask}, el("label", {}, "URL", this.input), el("button", {type: "submit"}, "Explain")), this.found)];
  }

  open(url) {
    if (url) this.input.value = url;
    else this.input.focus({preventScroll: true});
  }

  async read() {
    const url = this.input.value.trim();
    if (!url) return;
    const found = await this.app.get("/api/why", {url});
    if (this.input.value.trim() !== url) return; // another page was asked about meanwhile
    const text = JSON.stringify(found);
    if (text !== this.text) this.found.replaceChildren(...this.explained(found));
    this.text = text;
  }

  fail(sentence) {
    this.text = null;
    this.found.replaceChildren(el("p", {class: "quiet"}, printable(sentence)));
  }

  explained(found) {
    const again = async () => {
      if (await this.app.do({do: "again", url: found.url})) this.app.notify("It is next on its host.");
    };
    const facts = found.host ? pageFacts(found) : [];
    const sources = links("Some of the pages that link to it", found.linked_from);
    return [
      el("h3", {}, printable(found.title) || printable(found.url)),
      el("p", {}, outside(found.url, printable(found.url))),
      el("p", {class: "sentence"}, sentence(found)),
      found.host ? el("p", {}, el("button", {type: "button", class: "small", onclick: again}, "Fetch it again")) : null,
      ...(isLost(found) ? sources : []),
      el("dl", {class: "facts"}, ...[...facts, ...rules(found)].filter(([, value]) => value !== null && value !== "" && value !== undefined)
        .flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])),
      ...(isLost(found) ? [] : sources),
      ...links("Some of the pages it links to", found.links_to),
    ].filter(Boolean);
  }
}

const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);

function sentence(found) {
  const why = printable(found.rule ?? found.meaning ?? found.reason);
  switch (found.state) {
    case "fetched": return `Read ${day(found.fetched_at)}. ${printable(capital(found.meaning ?? ""))}.`;
    case "waiting": return isIll(found) ? `It waits because its host is ${cause(found.host.health)}. Its turn comes when its host is well.` : `It waits: ${why}.`;
    case "disallowed": return `Refused by robots.txt: ${why}.`;
    case "alias": return `It stands for another page: ${printable(found.meaning ?? found.reason)}.`;
    case "error": return `Given up ${found.attempts ? `after ${count(found.attempts)} ${found.attempts === 1 ? "try" : "tries"}` : "at once"}: ${why}.`;
    case "gone": return `It was read before and is gone: ${why}.`;
    default: return `Not known: ${why}.`;
  }
}

const isIll = ({host}) => ["ill", "gone"].includes(host?.health?.state);
const cause = ({kind, meaning, reason}) => `${kind}: ${printable(meaning ?? reason)}`;

// The story of a host that is or was ill.
function health(found) {
  const of = found.host.health;
  if (!of?.since) return null;
  if (!isIll(found)) return `well again since ${day(of.well_at)}; from ${day(of.since)} ${cause(of)}`;
  return `since ${day(of.since)} ${cause(of)}; tried ${counted(of.tries, "time")}, next ${day(of.next_at)}; ${counted(of.waiting, "page")} waiting`;
}

function pageFacts(found) {
  return [
    ["State", [toPages({state: found.state}, found.state), ", ", toPages({reason: found.reason}, printable(found.reason))]],
    ["Rank", `${count(found.rank)} of ${count(found.known_pages)}`],
    ["Importance", weight(found.importance)],
    ...(found.jump ? jumpFacts(found) : []),
    ["Links", `${count(found.inlinks)} in, ${count(found.outlinks)} out`],
    ["Depth", `${count(found.depth)} links from a seed`],
    ["Found on", found.found_on ? known(found.found_on, printable(found.found_on)) : "a seed, or a sitemap"],
    ["Leads to", found.leads_to ? printable(found.leads_to) : null],
    ["Answer", found.status ? [toPages({status: found.status}, String(found.status)), `, ${printable(found.content_type ?? "")}, ${amount(found.bytes ?? 0)} in ${duration(found.seconds ?? 0)}`] : null],
    ["Before it", found.queue ? `${count(found.queue.before)} pages with more cash, ${count(found.queue.before_on_host)} of them on its host` : null],
    ["Same as", found.duplicate_of ? known(found.duplicate_of.url, printable(found.duplicate_of.url)) : null],
    ["Partition", found.partition === undefined ? null : String(found.partition)],
    ["Host", [toPages({host: found.host.name}, printable(found.host.name)), `: ${small(found.host.delay)} s between two requests`]],
    ["Its health", health(found)],
  ];
}

function jumpFacts({importance, jump}) {
  const {site, linked_by, linked_first} = jump;
  const first = (name) => (name ? `, first ${printable(name)}` : "");
  const trusted = site && `${site.is_seed ? "; it is a seed's" : ""}; trusted by ${counted(site.trusted_by, "site")}${first(site.trusted_first)}`;
  return [
    ["Site", site ? [toPages({site: site.name}, printable(site.name)), ` has ${weight(site.trust)} of all trust${trusted}`] : null],
    ["Other sites", linked_by ? `${counted(linked_by, "site")} ${linked_by === 1 ? "links" : "link"} to this page${first(linked_first)}` : "none links to this page itself"],
    ["Walkers", importance ? `jump here: ${percent(jump.by_jumps / importance, 0)} of its importance; the rest comes by links` : null],
  ];
}

function rules(found) {
  return [
    ["robots.txt", `${found.robots.verdict}${found.robots.rule ? `: ${printable(found.robots.rule)}` : ""}`],
    ["Trap", found.trap ? `${found.trap.rule}: ${printable(found.trap.pattern)}` : null],
    ["Sitemap", found.sitemap ? printable(found.sitemap) : null],
  ];
}

function links(title, urls) {
  if (!urls?.length) return [];
  return [el("h3", {}, title), el("ul", {class: "plain"}, ...urls.map((url) => el("li", {}, known(url, printable(url)))))];
}
