// A crawl by Crawlee with Cheerio: every page of the hosts of the URLs; with "all", of any host.
//     node crawlee_crawl.mjs NODE_MODULES same-hostname|all URL...

import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, strategy, ...urls] = process.argv.slice(2);
const require = createRequire(join(folder, "x.js"));
const { CheerioCrawler, Configuration, ProxyConfiguration, log } = require("@crawlee/cheerio");

log.setLevel(log.LEVELS.OFF);
const proxy = process.env.http_proxy;
const crawler = new CheerioCrawler(
  {
    minConcurrency: 16,
    maxConcurrency: 16,
    maxRequestRetries: 0,
    proxyConfiguration: proxy && new ProxyConfiguration({ proxyUrls: [proxy] }),
    requestHandler: ({ enqueueLinks }) => enqueueLinks({ strategy, selector: "a, area" }),
  },
  new Configuration({ persistStorage: false }),
);
await crawler.run(urls);
