// References resolved and links found as browsers do: see links.py.
//     node links.mjs NODE_MODULES jsdom|parse5|cheerio < QUESTION

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.argv[2], "x.js"));
const { references, pages } = JSON.parse(readFileSync(0, "utf8"));
const SOURCES = { a: "href", area: "href", frame: "src", iframe: "src" };
const resolve = (make, reference, base) => {
  try {
    return make(reference, base ?? undefined).href;
  } catch {
    return null;
  }
};
const joined = (make, found, base, url) => {
  const start = base === undefined ? url : (resolve(make, base, url) ?? url);
  return found.map((one) => resolve(make, one, start)).filter((one) => one !== null);
};

function jsdom() {
  const { JSDOM, VirtualConsole } = require("jsdom");
  const virtualConsole = new VirtualConsole();
  const { URL } = new JSDOM("").window;
  return [
    (reference, base) => new URL(reference, base),
    (url, contentType, body) => {
      const dom = new JSDOM(body, { url, contentType, virtualConsole });
      const { document } = dom.window;
      const links = [...document.querySelectorAll("a[href], area[href]")].map((one) => one.href);
      const frames = [...document.querySelectorAll("frame[src], iframe[src]")].map((one) => one.src);
      dom.window.close();
      return [...links, ...frames];
    },
  ];
}

async function parse5() {
  const { parse } = await import(require.resolve("parse5"));
  const whatwg = require("whatwg-url");
  const sniff = require("html-encoding-sniffer");
  const make = (reference, base) => new whatwg.URL(reference, base);
  return [
    make,
    (url, contentType, body) => {
      const label = /charset=([^;]+)/i.exec(contentType)?.[1];
      const text = new TextDecoder(sniff(body, { transportLayerEncodingLabel: label })).decode(body);
      const found = [];
      let base;
      const walk = (node) => {
        const value = (name) => node.attrs?.find((one) => one.name === name)?.value;
        if (node.tagName === "base") base ??= value("href");
        const reference = SOURCES[node.tagName] && value(SOURCES[node.tagName]);
        if (reference !== undefined) found.push(reference);
        (node.childNodes ?? []).forEach(walk);
      };
      walk(parse(text, { scriptingEnabled: false }));
      return joined(make, found, base, url);
    },
  ];
}

function cheerio() {
  const { loadBuffer } = require("cheerio");
  const make = (reference, base) => new URL(reference, base);
  return [
    make,
    (url, _, body) => {
      const $ = loadBuffer(body);
      const found = Object.entries(SOURCES).flatMap(([tag, name]) =>
        $(`${tag}[${name}]`).map((_, one) => $(one).attr(name)).get(),
      );
      return joined(make, found, $("base[href]").attr("href"), url);
    },
  ];
}

const [make, extract] = await { jsdom, parse5, cheerio }[process.argv[3]]();
const resolved = references.map(([reference, base]) => resolve(make, reference, base));
const started = process.cpuUsage();
const found = pages.map(([url, kind, body]) => {
  try {
    return extract(url, kind, Buffer.from(body, "base64"));
  } catch {
    return null;
  }
});
const { user, system } = process.cpuUsage(started);
console.log(JSON.stringify({ resolved, found, seconds: (user + system) / 1e6 }));
