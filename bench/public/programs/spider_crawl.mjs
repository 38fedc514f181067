// A crawl by spider-rs, as it comes: every page of the URL's host.
//     node spider_crawl.mjs NODE_MODULES URL

import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, url] = process.argv.slice(2);
const { Website } = createRequire(join(folder, "x.js"))("@spider-rs/spider-rs");

await new Website(url).build().crawl();
