"""A website is a literal; the same literal is a graph.

    {"http://a.test/": ["http://a.test/x", "http://b.test/"], "http://a.test/x": 404, "http://b.test/": "http://a.test/"}

A list: an HTML page with these links. A number: an answer with this status. A string: a redirect to there.
Anything else is a 404. An exception is raised; a function is given the request and how often the URL was asked for by
now, and says the reply, or the whole answer. With these a site is no graph.
"""

import asyncio
import random
import sqlite3
from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar, overload

import httpx
import pytest
from support.intakes import PATIENT, at_once
from support.skipping import run

from minicrawl.api import acrawl
from minicrawl.crawler.books.invariants import violations
from minicrawl.demo import resources
from minicrawl.model import CrawlReport
from minicrawl.settings import SETTINGS
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.reader import open_store
from minicrawl.web.urls.front import is_home
from minicrawl.web.urls.keys import site_of

EVERYTHING: dict[str, Any] = {"ask": ("",)} if "ask" in SETTINGS else {}
"""Settings by which a crawl also reads what says nothing new, where a part judges that."""
HOME = "http://a.test/"
Reply = list[str] | int | str | Exception | Callable[[httpx.Request, int], Any]
Site = dict[str, Any]  # of replies; two sites of pages alone are to be one by "|"


class Server(httpx.MockTransport):
    """Serves a site, and remembers what was asked for: pages, robots.txt files, what is `beside`; all, and when."""

    def __init__(
        self, site: Mapping[str, Any], robots: Reply = 404, *, absent: Reply = 404, beside: Mapping[str, Any] = {}
    ) -> None:
        """absent: the reply for what is not there. beside: replies that are no pages, be they robots.txt files."""
        self.site, self.robots, self.absent, self.beside = dict(site), robots, absent, beside
        self.asked: list[str] = []
        self.asked_robots: list[str] = []
        self.asked_beside: list[str] = []
        self.requests: list[httpx.Request] = []
        self.times: list[tuple[float, str]] = []
        super().__init__(self._answer)

    @property
    def all_asked(self) -> list[str]:
        return [url for _, url in self.times]

    @property
    def by_host(self) -> dict[str, list[float]]:
        """When each host was asked."""
        hosts = [request.url.host for request in self.requests]
        return {host: [at for of, (at, _) in zip(hosts, self.times, strict=True) if of == host] for host in hosts}

    @property
    def gaps(self) -> list[float]:
        """Seconds between two requests to one host."""
        return [later - earlier for times in self.by_host.values() for earlier, later in pairwise(times)]

    def _answer(self, request: httpx.Request) -> httpx.Response:
        url = str(request.url)
        self.requests.append(request)
        self.times.append((asyncio.get_running_loop().time(), url))
        reply: Any
        if url in self.beside:
            asked, reply = self.asked_beside, self.beside[url]
        elif request.url.path == "/robots.txt":
            asked, reply = self.asked_robots, text(self.robots) if isinstance(self.robots, str) else self.robots
        else:
            asked, reply = self.asked, self.site.get(url, self.absent)
        asked.append(url)
        if callable(reply):
            reply = reply(request, asked.count(url))
        match reply:
            case httpx.Response():
                return reply
            case Exception():
                raise reply
            case int():
                return httpx.Response(reply)
            case str():
                return httpx.Response(301, headers={"location": reply})
        return httpx.Response(200, html=html(reply))


def text(content: str, kind: str = "text/plain") -> Callable[[httpx.Request, int], httpx.Response]:
    """The reply that is a file."""
    return lambda *_: httpx.Response(200, text=content, headers={"Content-Type": kind})


def page(*links: str, headers: Any) -> Callable[[httpx.Request, int], httpx.Response]:
    """The reply that is a page with these fields in its header."""
    return lambda *_: httpx.Response(200, html=html(list(links)), headers=headers)


Kind = TypeVar("Kind", bound=Server)


def html(links: list[str]) -> str:
    """A page with these links; what starts with '<' stands as it is. One without any is empty."""
    return "".join(link if link.startswith("<") else f'<a href="{link}">to</a>' for link in links)


def served(site: Mapping[str, Any], url: str) -> resources.Reply:
    """The answer that a server of the demo is to give."""
    match site.get(url, 404):
        case int(status):
            return resources.Reply(status, {}, b"")
        case str(target):
            return resources.Reply(301, {"Location": target}, b"")
        case links:
            return resources.Reply(200, {"Content-Type": "text/html"}, html(links).encode())


def canonical(url: str) -> str:
    """The element of a page that says it stands for this URL."""
    return f'<link rel="canonical" href="{url}">'


@overload
def crawl(site: Kind, store: Path, seeds: list[str], **settings: Any) -> tuple[CrawlReport, Kind]: ...
@overload
def crawl(site: Mapping[str, Any], store: Path, seeds: list[str], **settings: Any) -> tuple[CrawlReport, Server]: ...
def crawl(site: Any, store: Path, seeds: list[str], **settings: Any) -> tuple[CrawlReport, Any]:
    """Crawl a site with one request at a time and no delay. Waits for nothing: see `skipping`.

    With a share for pages never read, the others are read again at once.
    """
    server = site if isinstance(site, Server) else Server(site)
    options = {"delay": 0.0, "concurrency": 1} | at_once(settings) | settings
    if settings.get("discovery", 1.0) < 1.0:
        options = {"timing": PATIENT} | options
    return run(acrawl(seeds, store, transport=server, **options), grace=0.0), server


def crawled_once(site: Any, seeds: list[str], **settings: Any) -> Any:
    """A fixture of a module: the store of a crawl, which is made once."""

    @pytest.fixture(scope="module")
    def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
        crawl(site, path := tmp_path_factory.mktemp("crawled") / "crawl.db", seeds, **settings)
        return path

    return store


def crawled_anew(site: Any, seeds: list[str], **settings: Any) -> Any:
    """A fixture: the store of a crawl, which each test has for itself."""

    @pytest.fixture
    def store(tmp_path: Path) -> Path:
        crawl(site, path := tmp_path / "crawl.db", seeds, **settings)
        return path

    return store


def rows(store: Path, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """What a query says of a store, or does to it."""
    with sqlite3.connect(store) as db:
        found = db.execute(query, values).fetchall()
    db.close()
    return found


def states(store: Path) -> dict[str, str]:
    """State and reason of each page, by URL."""
    return dict(rows(store, "SELECT url, state || ' ' || reason FROM pages"))


def ranks(store: Path) -> dict[str, float]:
    """Importance of each page, by URL."""
    return dict(rows(store, "SELECT url, importance FROM ranks"))


def faults_in(store: Path, sizes: Sizes = STANDARD_SIZES) -> list[str]:
    """What the audit finds wrong with a store."""
    with open_store(store, sizes) as reader:
        return list(violations(reader))


def texts_in(store: Path) -> dict[str, str]:
    """The text that is kept of each page, by URL. Nothing may be wrong with the store."""
    with open_store(store) as reader:
        assert list(violations(reader)) == []
        found = {page.url: reader.text(page.url) for page in reader.pages()}
    return {url: kept.text for url, kept in found.items() if kept is not None}


def random_site(seed: int, pages: int = 60, hosts: int = 4) -> tuple[dict[str, list[str]], list[str]]:
    """A seeded site over several hosts, and its seeds: every page has up to 8 links, some have none."""
    rng = random.Random(seed)
    urls = [f"http://h{rng.randrange(hosts)}.test/{page}" for page in range(pages)]
    site: dict[str, list[str]] = {}
    for url in urls:
        site[url] = [urls[min(int(rng.paretovariate(0.7)) - 1, pages - 1)] for _ in range(rng.randrange(9))]
    return site, urls[-3:]


def wide_site(seed: int, pages: int = 200, hosts: int = 5) -> tuple[dict[str, list[str]], list[str]]:
    """A seeded site of which every page is reached, and most are known long before they are read; and its seed."""
    rng = random.Random(seed)
    words = ["".join(rng.choices("abcdefghijklmnop", k=8)) for _ in range(pages)]  # numbers may be taken for a trap
    urls = [f"http://h{page % hosts}.test/{word}" for page, word in enumerate(words)]
    site = {url: [urls[min(int(rng.paretovariate(0.7)), pages) - 1] for _ in range(4)] for url in urls}
    for page in range(1, pages):
        site[urls[(page - 1) // 4]].append(urls[page])
    return site, urls[:1]


def web_of_sites(seed: int, redirects: float = 0.0) -> tuple[Site, list[str]]:
    """Ten sites of one to fifteen pages that link to one another, and two seeds; a share of the pages redirects."""
    draw = random.Random(seed)
    sizes = [draw.randrange(1, 16) for _ in range(10)]
    urls = [
        f"http://s{site}.test/{f'p{page}' if page else ''}" for site, size in enumerate(sizes) for page in range(size)
    ]
    web: Site = {url: draw.sample(urls, draw.randrange(5)) for url in urls}
    web |= {url: draw.choice(urls) for url in urls[1:] if draw.random() < redirects}
    return web, urls[:2]


def named_sites(seed: int, sites: int = 9) -> tuple[dict[str, list[str] | str], list[str]]:
    """Sites of some pages, some on two hosts, that link to one another; some pages redirect, also to other sites, and
    all of some sites do to one."""
    draw = random.Random(seed)
    urls = [
        f"http://{'www.' if page % 3 == 2 else ''}s{site}.test/{f'p{page}' if page else ''}"
        for site in range(sites)
        for page in range(draw.randrange(1, 12))
    ]
    web: dict[str, list[str] | str] = {}
    names = {f"http://n{name}.test/{at}": f"http://s{name % 2}.test/" for name in range(4) for at in range(2)}
    for number, url in enumerate(urls):
        own = [other for other in urls if site_of(other) == site_of(url)]
        links = draw.sample(own, min(len(own), 4)) + draw.sample([*urls, *names], draw.choice([0, 0, 1, 3]))
        links += draw.sample(urls, 5) + list(names)[::3] if not number else draw.sample(list(names), number % 3)
        redirects = number and draw.random() < 0.1 and not is_home(url)
        web[url] = urls[draw.randrange(number)] if redirects else links  # one before it: no chain of these comes back
    return web | names, urls[:2]
