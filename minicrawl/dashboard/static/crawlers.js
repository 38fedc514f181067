// Every process of the crawl: what it does, since when, and how much it has done.

import {card, el, setText} from "./dom.js";
import {amount, clock, count, duration, isOn} from "./format.js";
import {Table} from "./table.js";

export class Crawlers {
  constructor() {
    this.main = el("p", {});
    this.table = new Table("Crawlers", [
      {title: "Crawler", numeric: true, text: (one) => String(one.number), sort: (one) => one.number},
      {title: "Process", numeric: true, text: (one) => String(one.pid), sort: (one) => one.pid},
      {title: "Does", text: (one) => one.doing, sort: (one) => one.doing},
      {title: "Since", text: (one) => clock(one.since), sort: (one) => one.since},
      {title: "In flight", numeric: true, text: (one) => count(one.in_flight), sort: (one) => one.in_flight},
      {title: "Pages", numeric: true, text: (one) => count(one.pages), sort: (one) => one.pages},
      {title: "Bytes", numeric: true, text: (one) => amount(one.bytes), sort: (one) => one.bytes},
      {title: "CPU", numeric: true, text: (one) => duration(one.cpu), sort: (one) => one.cpu},
    ], (one) => one.number, "No crawlers of their own: the main process fetches and parses itself, or no crawl runs.");
    this.nodes = [card("Crawlers", this.main, this.table.node)];
  }

  show(now) {
    setText(this.main, isOn(now) ? `Main process ${now.pid}: ${duration(now.cpu)} of CPU so far. The slider of processes is under Coordinator.` : "No crawl runs.");
    this.table.show(isOn(now) ? now.workers : []);
  }
}
