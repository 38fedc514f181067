// Elements made without markup: any text from the web stays text.

import {printable} from "./format.js";

export const isReport = Boolean(byId("answers")); // what can be asked for is in the file already

// el("p", {class: "note"}, "text", node, ...)
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "value" || key === "checked") node[key] = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

// Changes only what differs, so that a screen reader or a selection keeps its place.
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Replaces the content of a node; a muted word if there is none.
export function fill(node, children, nothing) {
  const name = node.matches("ul, ol") ? "li" : "p";
  node.replaceChildren(...(children.length ? children : [el(name, {class: "quiet"}, nothing)]));
}

// Puts a line for each key into a node, in order. Only lines that come, go or move change, so that focus stays.
export function arrange(node, lines, keys, lineOf) {
  const stay = new Set(keys);
  for (const [key, line] of lines) {
    if (!stay.has(key)) {
      line.remove();
      lines.delete(key);
    }
  }
  let next = node.firstChild;
  for (const key of stay) {
    if (!lines.has(key)) lines.set(key, lineOf(key));
    const line = lines.get(key);
    if (line === next) next = next.nextSibling;
    else node.insertBefore(line, next);
  }
}

// A choice of several: [[value, text], ...].
export function choice(options, onchange) {
  return el("select", {onchange}, ...options.map(([value, text]) => el("option", {value}, text)));
}

export function byId(id) {
  return document.getElementById(id);
}

// A URL that breaks at its slashes.
function folders(text) {
  return text.split("/").flatMap((part, index) => (index ? ["/", el("wbr"), part] : [part]));
}

// A link to a page of the web: http and https only, without a referrer.
export function outside(url, text = url) {
  if (!/^https?:\/\//i.test(url)) return el("span", {}, text);
  return el("a", {href: url, target: "_blank", rel: "noopener noreferrer nofollow", class: "url"}, ...folders(text));
}

export function whyOf(url) {
  return `#why=${encodeURIComponent(url)}`;
}

// A link to the view of a page.
export function known(url, text = url) {
  return isReport ? outside(url, text) : el("a", {href: whyOf(url), class: "url", title: url}, ...folders(text));
}

// The address of the pages that a filter selects: pagesOf({where}), or by columns: pagesOf({state: "waiting", host}).
export function pagesOf({where, ...columns} = {}) {
  const terms = Object.entries(columns).map(([name, value]) => `${name} = ${/^\d+$/.test(value) ? value : `'${String(value).replaceAll("'", "''")}'`}`);
  const given = Object.entries({where: [where, ...terms].filter(Boolean).join(" AND ")}).filter(([, text]) => text);
  return `#pages=${encodeURIComponent(new URLSearchParams(given))}`;
}

// A link to these pages, such as a number of them.
export function toPages(filter, text) {
  return isReport ? el("span", {}, text) : el("a", {href: pagesOf(filter)}, text);
}

// A URL as long as can be read: of a longer one the beginning and the end.
export function shortened(url, most = 160) {
  const letters = [...printable(url)];
  return letters.length > most ? `${letters.slice(0, most - 51).join("")}…${letters.slice(-50).join("")}` : letters.join("");
}

// A page in a table: its title, which leads to its view, and its URL, which leads to itself. more: what else is to be said.
export function titled({url, title}, more = null) {
  const named = title ? outside(url, shortened(url)) : null;
  return el("div", {class: "titled"}, known(url, printable(title) || shortened(url)), named || more ? el("div", {class: "quiet"}, named, named && more ? " · " : null, more) : null);
}

export function card(title, ...children) {
  return el("section", {class: "card"}, el("h2", {}, title), ...children);
}
