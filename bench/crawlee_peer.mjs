// The same crawl by Crawlee with Cheerio: every page of the URL's origin. Run by peers.py.
//     node bench/crawlee_peer.mjs NODE_MODULES URL REQUESTS_AT_ONCE

import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, url, atOnce] = process.argv.slice(2);
const require = createRequire(join(folder, "x.js"));
const { CheerioCrawler, Configuration, log } = require("@crawlee/cheerio");

log.setLevel(log.LEVELS.OFF);
const crawler = new CheerioCrawler(
  {
    minConcurrency: Number(atOnce),
    maxConcurrency: Number(atOnce),
    maxRequestRetries: 0,
    requestHandler: ({ enqueueLinks }) =>
      enqueueLinks({ strategy: "same-origin", selector: "a, area" }),
  },
  new Configuration({ persistStorage: false }),
);
await crawler.run([url]);
