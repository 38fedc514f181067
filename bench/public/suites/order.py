"""Order of a crawl: the share of all importance in the first pages of crawlers, on webs whose importance is known.

How much of all importance the first pages hold, in percent, for a crawler that is stopped early. Importance is
PageRank (damping .85, jumps to all pages alike) of the whole web, which no crawler knows beforehand.

- The truth is computed from the served pages with links found by lxml; redirects lead to their target. Pages are
  counted as the server was asked for them, each once; answers that are no page of the web count for nobody.
- Every crawler gets the same seeds, has up to 16 requests at a time and no delay, and reaches all hosts by one proxy.
  minicrawl runs with its defaults, and once more with the walker that the truth has.
- crawl4ai's best first needs a scorer: that of path depth, as no topic is given; it begins at a page of links to the
  seeds.
- Bounds: any known page by chance, and an oracle that takes the most important known page, which is nearly all that is
  possible.
- Where there are three webs, figures are medians over them; all are drawn from fixed seeds.
"""

import heapq
import random
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from public.bench import Bench, Crawler, Suite, ours, tables
from public.peers import Peer
from public.results import BOUND, OURS, PEER, Column, Row, Table
from public.suites.speed import CRAWLEE, SCRAPY
from public.webs import DEBIAN, PACKAGES, Web, documentation, generated, walked

from minicrawl.opic.arrays import FloatArray
from minicrawl.rank import Graph

SHARES = (0.01, 0.05, 0.1, 0.25, 0.5)
_DRAWS = 5
_PEERS = (
    SCRAPY,
    CRAWLEE,
    Peer("crawl4ai", "PyPI", ("crawl4ai>=0.8,<1",), "Apache-2.0"),
    Peer("wget", "Debian", ("wget",), "GPL-3.0-or-later"),
)
_OURS = (*ours("crawl"), "{seeds}", "--quiet", "--delay", "0", "--per-host", "16", "--store", "{folder}/crawl.db")
_OURS += ("--pages", "{pages}", "--deny", "^https:")
_WGET: tuple[str, ...] = ("wget", "--quiet", "--recursive", "--level=inf", "--span-hosts", "--domains=test", "{seeds}")
_WGET += ("--follow-tags=a,area,frame,iframe", "--directory-prefix", "{folder}")
_START = "http://start.test/"
_CRAWLERS = (
    Crawler("minicrawl", "", "", _OURS),
    Crawler("minicrawl --jump pages", "", "", (*_OURS, "--jump", "pages")),
    Crawler("Scrapy breadth first", "Scrapy", "scrapy_crawl", ("{folder}", "breadth-first", "any", "{seeds}")),
    Crawler("Scrapy in its own order", "Scrapy", "scrapy_crawl", ("{folder}", "plain", "any", "{seeds}")),
    Crawler("Crawlee", "Crawlee", "crawlee_crawl", ("all", "{seeds}")),
    Crawler("crawl4ai best first", "crawl4ai", "crawl4ai_crawl", ("{pages}", _START)),
    Crawler("wget", "wget", "", _WGET),
)


def held(order: Sequence[int], importance: FloatArray) -> list[float]:
    """Percent of all importance in the first pages of an order, at each of SHARES of all pages; less where it ends."""
    sums = np.concatenate([[0.0], np.cumsum(importance[np.asarray(order, dtype=np.int64)])])
    counts = [min(round(share * len(importance)), len(order)) for share in SHARES]
    return [100.0 * float(sums[count]) for count in counts]


def _run(bench: Bench) -> Iterator[Table]:
    webs: dict[str, Callable[[], list[Web]]] = {
        "40 generated sites, 4,700 pages": lambda: [generated(0, 40, 4000)],
        "A hundred small sites, 2,700 pages: three webs": lambda: [
            generated(seed, 100, 2000) for seed in range(10, 13)
        ],
        "Documentation of eric and pygame": lambda: [documentation(PACKAGES, bench.cache)],
        "Documentation of Python and PostgreSQL": lambda: [documentation(DEBIAN, bench.cache)],
    }
    if bench.is_quick:
        webs = {"Two generated sites": lambda: [generated(0, 2, 100)]}
    yield from tables(webs, lambda title, found: _table(bench, title, found))


def _table(bench: Bench, title: str, webs: Sequence[Web]) -> Table:
    rows: dict[tuple[str, str], list[list[float]]] = {}
    for web in webs:
        for name, kind, shares in _orders(bench, web):
            rows.setdefault((name, kind), []).append(shares)
    columns = tuple(Column(f"{share:.0%} of the pages", "more", 1) for share in SHARES)
    return Table(title, columns, [Row.of(name, kind, *zip(*of, strict=True)) for (name, kind), of in rows.items()])


def _orders(bench: Bench, web: Web) -> Iterator[tuple[str, str, list[float]]]:
    """Each crawler's and each simulated order: name, kind, percent held at each of SHARES."""
    truth = walked(web)
    number = {url: page for page, url in enumerate(truth.urls)}
    links = "".join(f'<a href="{url}">{url}</a>' for url in web.seeds)
    started = Web(web.seeds, {**web.replies, _START: (200, {"Content-Type": "text/html"}, links.encode())})
    for crawler in bench.there(_CRAWLERS):
        # Some of what a crawler asks for is no page of the web.
        if crawled := bench.crawl(crawler, started, round(1.3 * SHARES[-1] * len(number))):
            order = [number[url] for url in dict.fromkeys(url for url, _ in crawled[0]) if url in number]
            yield crawler.row, PEER if crawler.peer else OURS, held(order, truth.importance)
    seeds = [number[url] for url in web.seeds]
    for seed in range(_DRAWS):
        yield "any known page", BOUND, held(_at_random(truth.graph, seeds, random.Random(seed)), truth.importance)
    best = _by_worth(truth.graph, seeds, (-truth.importance).tolist())
    yield "the most important known page: told by an oracle", BOUND, held(best, truth.importance)


def _at_random(graph: Graph, seeds: Sequence[int], draw: random.Random) -> list[int]:
    """Pages as they are visited, from seeds, any known one next."""
    waiting, known, order = list(seeds), set(seeds), list[int]()
    while waiting:
        at = draw.randrange(len(waiting))
        waiting[at], waiting[-1] = waiting[-1], waiting[at]
        order.append(page := waiting.pop())
        new = set(_links(graph, page)) - known
        waiting += sorted(new)
        known |= new
    return order


def _by_worth(graph: Graph, seeds: Sequence[int], key: Sequence[float]) -> list[int]:
    """Pages as they are visited, from seeds, the known one with the least key next."""
    waiting, known, order = sorted((key[page], page) for page in seeds), set(seeds), list[int]()
    while waiting:
        order.append(page := heapq.heappop(waiting)[1])
        for target in set(_links(graph, page)) - known:
            known.add(target)
            heapq.heappush(waiting, (key[target], target))
    return order


def _links(graph: Graph, page: int) -> list[int]:
    found: list[int] = graph.targets[graph.indptr[page] : graph.indptr[page + 1]].tolist()
    return found


SUITE = Suite("order", "Order", __doc__, _PEERS, _run)
