"""Cost of a page: CPU, memory and pages a second of crawlers on one host without politeness.

The cost of a page where nothing but the crawler is slow: all pages of one host from a server in memory on loopback,
up to 16 requests at a time, no delay, one crawler after the other, each three times or, where a crawl takes more than
10 s of CPU, once.

- Pages are HTML that the server sent with 200, each counted once, so no crawler is taken at its word; other answers
  are errors, redirects, styles and pages sent again.
- CPU is of all processes of the crawler, its start included, MB of its largest process; 12 MB is the least that can be
  told. The server's is not in it.
- Crawlers do different things: minicrawl keeps pages' links, ranks them and can go on after a kill; Scrapy keeps its
  queue (JOBDIR); wget, wget2 and HTTrack save the pages; Crawlee, spider-rs and the httpx loop keep nothing.
- wget asks for one page at a time. Scrapy tuned by hand takes links by lxml alone and makes no request for one it has
  seen.
- Documentation in packages: eric-ide (GPL-3.0-or-later), pygame (LGPL-2.1); Debian's
  python3.11-doc (PSF-2.0) and postgresql-doc-15 (PostgreSQL).
"""

from collections.abc import Callable, Iterator

from public.bench import Bench, Crawler, Suite, ours, tables
from public.peers import Peer
from public.results import OURS, PEER, Column, Row, Table
from public.webs import DEBIAN, LOCAL, PACKAGES, Web, documentation, generated

SCRAPY = Peer("Scrapy", "PyPI", ("scrapy>=2.13,<3",), "BSD-3-Clause")
CRAWLEE = Peer("Crawlee", "npm", ("@crawlee/cheerio@^3.13",), "Apache-2.0")
_PEERS = (
    SCRAPY,
    Peer("httpx loop", "PyPI", ("httpx>=0.28,<1", "selectolax>=1,<2"), "BSD-3-Clause, MIT"),
    Peer("Crawlee for Python", "PyPI", ("crawlee[parsel]>=1,<2",), "Apache-2.0"),
    CRAWLEE,
    Peer("spider-rs", "npm", ("@spider-rs/spider-rs@^0.0.163", "@spider-rs/spider-rs-linux-x64-gnu"), "MIT"),
    Peer("wget", "Debian", ("wget",), "GPL-3.0-or-later"),
    Peer("wget2", "Debian", ("wget2",), "GPL-3.0-or-later"),
    Peer("HTTrack", "Debian", ("httrack",), "GPL-3.0-or-later"),
)
_OURS: tuple[str, ...] = (*ours("crawl", "{seeds}", "--quiet", "--allow-private", "--delay", "0", "--per-host", "16"),)
_OURS += ("--scope", "host", "--store", "{folder}/crawl.db", "--workers")
_SAVING = ("--quiet", "--recursive", "--directory-prefix", "{folder}", "{seeds}")
_WGET2 = ("--level=0", "--max-threads=16", "--follow-tags=a/href,area/href,frame/src,iframe/src")
# It takes little of a server and of a site unless it is asked for more. Priority 1: HTML alone.
_HTTRACK: tuple[str, ...] = ("httrack", "{seeds}", "--disable-security-limits", "--max-rate=0", "--depth=999999")
_HTTRACK += ("--sockets=16", "--connection-per-second=0", "--priority=1", "--quiet", "--path", "{folder}")
_CRAWLERS = (
    Crawler("minicrawl", "", "", (*_OURS, "0")),
    Crawler("minicrawl --workers 1", "", "", (*_OURS, "1")),
    Crawler("Scrapy", "Scrapy", "scrapy_crawl", ("{folder}", "plain", LOCAL, "{seeds}")),
    Crawler("Scrapy tuned by hand", "Scrapy", "scrapy_crawl", ("{folder}", "tuned", LOCAL, "{seeds}")),
    Crawler("Crawlee for Python", "Crawlee for Python", "crawlee_crawl", ("{folder}", "{seeds}")),
    Crawler("Crawlee", "Crawlee", "crawlee_crawl", ("same-hostname", "{seeds}")),
    Crawler("spider-rs", "spider-rs", "spider_crawl", ("{seeds}",)),
    Crawler("httpx loop", "httpx loop", "httpx_crawl", ("{seeds}",)),
    Crawler("wget", "wget", "", ("wget", *_SAVING, "--level=inf", "--follow-tags=a,area,frame,iframe")),
    Crawler("wget2", "wget2", "", ("wget2", *_SAVING, *_WGET2)),
    Crawler("HTTrack", "HTTrack", "", _HTTRACK),
)
_LONG = 10.0
"""CPU s of a crawl that is not made again."""
_COLUMNS = (
    Column("pages", "more", 0),
    Column("other answers", "", 0),
    Column("CPU, ms a page", "less", 2),
    Column("MB", "less", 0),
    Column("pages/s", "more", 0),
)


def _run(bench: Bench) -> Iterator[Table]:
    webs: dict[str, Callable[[], Web]] = {
        "Documentation of eric and pygame": lambda: documentation(PACKAGES, bench.cache, LOCAL),
        "Of Python and PostgreSQL": lambda: documentation(DEBIAN, bench.cache, LOCAL),
    }
    if bench.is_quick:
        webs = {"A hundred generated pages": lambda: generated(0, 2, 100)}
    yield from tables(webs, lambda title, web: _table(bench, title, web))


def _table(bench: Bench, title: str, web: Web) -> Table:
    """The crawlers that are there, each three times, or once where that takes long."""
    rows = []
    for crawler in bench.there(_CRAWLERS):
        runs: list[tuple[float, ...]] = []
        while len(runs) < (1 if bench.is_quick else 3) and (crawled := bench.crawl(crawler, web)):
            asked, spent = crawled
            pages = len({url.removesuffix("index.html") for url, status in asked if status == 200 and web.is_html(url)})
            cost = 1e3 * spent.cpu / max(pages, 1)
            runs.append((pages, len(asked) - pages, cost, spent.peak_mb, pages / spent.seconds))
            if spent.cpu > _LONG:
                break
        if runs:
            rows.append(Row.of(crawler.row, PEER if crawler.peer else OURS, *zip(*runs, strict=True)))
    return Table(title, _COLUMNS, rows)


SUITE = Suite("speed", "Speed", __doc__, _PEERS, _run)
