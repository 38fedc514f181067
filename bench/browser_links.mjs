// What a browser makes of pages: a line of JSON {file, url, content_type} in, a line {encoding, links} out.
// Section numbers are those of the WHATWG HTML standard. See browser_links.py.

import { readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.argv[2], "x.js"));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);
const { parse, html } = await load("parse5");
const sniffed = (await load("html-encoding-sniffer")).default;
const whatwgUrl = await load("whatwg-url");
const { legacyHookDecode } = await load("@exodus/bytes/encoding.js");

const parseURL = whatwgUrl.parseURL ?? whatwgUrl.default.parseURL;
const serializeURL = whatwgUrl.serializeURL ?? whatwgUrl.default.serializeURL;

const LINKS = { a: "href", area: "href", frame: "src", iframe: "src", link: "href" };
const COUNTED = ["canonical", "next", "prev"];
const UNCOUNTED = ["nofollow", "ugc", "sponsored"];

// The charset parameter of a header, as the MIME Sniffing standard reads it.
function charset(contentType) {
  const match = /;[\t\n\r ]*charset=(?:"((?:\\.|[^"\\])*)"?|([^;]*))/i.exec(contentType ?? "");
  return match ? (match[1] ?? match[2].trim()) : undefined;
}

function encodingOf(bytes, label) {
  try {
    return sniffed(bytes, { transportLayerEncodingLabel: label });
  } catch {
    return "windows-1252"; // the sniffer 6.0.0 stumbles over <meta content="... charset"> that ends there
  }
}

// Elements in tree order. The contents of a template are no children of it.
function* elements(root) {
  const waiting = [...root.childNodes].reverse();
  while (waiting.length) {
    const node = waiting.pop();
    if (node.tagName) yield node;
    for (let i = (node.childNodes?.length ?? 0) - 1; i >= 0; i--) waiting.push(node.childNodes[i]);
  }
}

function attribute(element, name) {
  // parse5 splits xlink:href into a prefix and a name (13.2.6.1, adjust foreign attributes).
  return element.attrs.find((each) => (each.prefix ? `${each.prefix}:${each.name}` : each.name) === name)?.value;
}

function links(document, url, encoding) {
  const found = [...elements(document)];
  const isHtml = (element) => element.namespaceURI === html.NS.HTML;
  // 4.2.3: the first base element with an href; the page's own URL where that fails, or is a data: or javascript: URL.
  let base = url;
  const said = found.find((each) => isHtml(each) && each.tagName === "base" && attribute(each, "href") !== undefined);
  if (said) {
    const parsed = parseURL(attribute(said, "href"), { baseURL: url, encoding });
    if (parsed && !["data", "javascript"].includes(parsed.scheme)) base = parsed;
  }
  const targets = new Set();
  for (const element of found) {
    let reference;
    if (isHtml(element) && Object.hasOwn(LINKS, element.tagName)) reference = attribute(element, LINKS[element.tagName]);
    else if (element.namespaceURI === html.NS.SVG && element.tagName === "a")
      reference = attribute(element, "href") ?? attribute(element, "xlink:href"); // SVG 2, Linking
    if (reference === undefined) continue;
    const relations = (attribute(element, "rel") ?? "").toLowerCase().split(/[\t\n\f\r ]+/);
    if (element.tagName === "link" && !COUNTED.some((each) => relations.includes(each))) continue;
    if (UNCOUNTED.some((each) => relations.includes(each))) continue;
    const target = parseURL(reference, { baseURL: base, encoding });
    if (target && ["http", "https"].includes(target.scheme)) targets.add(serializeURL(target, true));
  }
  return [...targets];
}

for await (const line of createInterface({ input: process.stdin })) {
  const { file, url, content_type: contentType } = JSON.parse(line);
  const bytes = new Uint8Array(readFileSync(file));
  const encoding = encodingOf(bytes, charset(contentType));
  const document = parse(legacyHookDecode(bytes, encoding), { scriptingEnabled: false });
  // URL standard: the replacement encoding and UTF-16 have no encoder, UTF-8 takes their place.
  const output = /^(utf-16|replacement)/i.test(encoding) ? "utf-8" : encoding;
  const answer = JSON.stringify({ encoding, links: links(document, parseURL(url), output) }) + "\n";
  writeSync(1, answer);
}
