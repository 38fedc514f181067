// Verdicts by robots-parser: see robots.py.
//     node robots.mjs NODE_MODULES PARSER < QUESTION

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const parse = createRequire(join(process.argv[2], "x.js"))("robots-parser");
const cases = JSON.parse(readFileSync(0, "utf8"));
const started = process.cpuUsage();
const verdicts = cases.map(([text, agent, url]) => {
  const verdict = parse("https://h.test/robots.txt", text).isAllowed(url, agent);
  return verdict === undefined ? null : verdict;
});
const { user, system } = process.cpuUsage(started);
console.log(JSON.stringify({ verdicts, seconds: (user + system) / 1e6 }));
