"""A generated web: the answer of every URL, and the true importance of every page.

Pure and seeded: the same arguments make the same web to the byte. See `weaving` for its contents. Its calendar ends
after 240 months in each direction, so that the web is finite and its truth exact; with traps, which `generate` adds on
request, it has no end.

It is served over real HTTP on loopback: all hosts on one port, told apart by the Host header. The server runs in the
caller's event loop. A crawl reaches it with connect_to=(ConnectTo(None, None, "127.0.0.1", port),), allow_private=True.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random

import numpy as np
from aiohttp import web as http

from minicrawl.demo.resources import CALENDAR_MONTHS, Page, Reply, Resource, month_page, relative, rendered, trap_page
from minicrawl.demo.weaving import SEEDS, Loom
from minicrawl.errors import SettingError
from minicrawl.rank import Graph, pagerank


@dataclass(frozen=True)
class DemoWeb:
    """A web of `hosts`, largest first, to be crawled from `seeds`: the home pages of the largest."""

    hosts: tuple[str, ...]
    seeds: tuple[str, ...]
    calendar: str
    """URL prefix of the calendar's months, which are made on demand."""
    closed: frozenset[str]
    """URL prefixes that robots.txt forbids."""
    _resources: Mapping[str, Resource] = field(repr=False)
    traps: str | None = None
    """URL prefix under which pages are made up without end; None: there are no such."""

    @classmethod
    def generate(cls, seed: int = 0, hosts: int = 40, pages: int = 4000, *, traps: bool = False) -> "DemoWeb":
        """A web with so many hosts and pages; redirects, files, the calendar and such come on top.

        traps: add traps, and let the calendar go on for ever; there is no truth then. Raises SettingError.
        """
        if hosts < 2:
            raise SettingError(f"a demo web needs at least 2 hosts, not {hosts}")
        if pages < 10 * hosts:
            raise SettingError(f"a demo web needs 10 pages per host: at least {10 * hosts}, not {pages}")
        loom = Loom(Random(seed), hosts, pages)
        loom.weave()
        prefix = loom.set_traps() if traps else None
        return cls(
            tuple(loom.hosts),
            tuple(f"http://{host}/" for host in loom.hosts[:SEEDS]),
            loom.calendar,
            frozenset(loom.closed),
            loom.resources,
            prefix,
        )

    def respond(self, url: str) -> Reply:
        """The answer to a GET of a normalised URL."""
        resource = self.resource(url)
        if resource is None:
            body = b"<!doctype html><title>Not found</title><p>There is no such page."
            return Reply(404, {"Content-Type": "text/html; charset=utf-8"}, body)
        if isinstance(resource, Reply):
            return resource
        if isinstance(resource, tuple):
            target, status = resource
            return Reply(status, {"Location": relative(target, url)}, b"")
        headers = {"Content-Type": f"text/html; charset={resource.charset}"}
        return Reply(200, headers, rendered(resource).encode(resource.charset), resource.delay_seconds)

    def truth(self) -> dict[str, float]:
        """Exact importance of every URL that a complete crawl gets to know, sum 1.

        PageRank with damping .85 over counted links: distinct URLs but the page's own, no nofollow. Redirects and print
        versions (rel=canonical) are aliases and have 0: they pass all their rank on to the page that they stand for,
        with their part of the jumps. Links are counted before that, so links to a page and to its alias are two, and
        a link to the page's own print version leads back to the page. Files and URLs that robots.txt forbids are
        pages without links. Jumps, and the rank of pages without links, go to all known URLs alike but dead ones, which
        have 0.
        """
        outlinks, aliases = self._walked()
        pages = [url for url in outlinks if url not in aliases]
        number = {url: page for page, url in enumerate(pages)}
        for url in aliases:
            number[url] = number[_followed(url, aliases)]
        graph = Graph.from_links([[number[target] for target in outlinks[url]] for url in pages])
        urls_of_page = np.bincount([number[url] for url in outlinks]).astype(np.float64)
        is_dead = np.array([not url.startswith(tuple(self.closed)) and self.resource(url) is None for url in pages])
        urls_of_page[is_dead] = 0.0
        ranks = np.where(is_dead, 0.0, pagerank(graph, preference=urls_of_page, tolerance=1e-13))
        ranks /= ranks.sum()
        return {url: 0.0 if url in aliases else ranks.item(number[url]) for url in outlinks}

    def pages(self) -> list[Page]:
        """The HTML pages, without those made up on demand."""
        return [resource for resource in self._resources.values() if isinstance(resource, Page)]

    def resource(self, url: str) -> Resource | None:
        """The resource at a normalised URL; None if there is none."""
        resource = self._resources.get(url)
        if resource is None and url.startswith(self.calendar):
            return month_page(self.calendar, url, CALENDAR_MONTHS if self.traps is None else None)
        if resource is None and self.traps is not None and url.startswith(self.traps):
            return _trap_page(self.traps, url)
        return resource

    def _walked(self) -> tuple[dict[str, list[str]], dict[str, str]]:
        """Counted outlinks of every known URL, in the order of discovery; and the targets of aliases."""
        queue = list(self.seeds)
        outlinks: dict[str, list[str]] = {url: [] for url in queue}
        aliases: dict[str, str] = {}
        for url in queue:
            outlinks[url], alias = self._read(url)
            found = list(outlinks[url])
            # A redirect that leads back to where it came from is an error, so a page without links.
            if alias is not None and _followed(alias, aliases) != url:
                aliases[url] = alias
                found.append(alias)
            for target in found:
                if target not in outlinks:
                    outlinks[target] = []
                    queue.append(target)
        return outlinks, aliases

    def _read(self, url: str) -> tuple[list[str], str | None]:
        """Counted outlinks of a URL, and the URL that it stands for, if any."""
        resource = None if url.startswith(tuple(self.closed)) else self.resource(url)
        if isinstance(resource, tuple):
            return [], resource[0]
        return (resource.outlinks(), resource.canonical) if isinstance(resource, Page) else ([], None)


def _followed(url: str, aliases: Mapping[str, str]) -> str:
    """The URL at the end of the aliases of `url`."""
    while url in aliases:
        url = aliases[url]
    return url


def _trap_page(prefix: str, url: str) -> Page | None:
    found = trap_page(url.removeprefix(prefix))
    if found is None:
        return None
    title, says, paths = found
    page = Page(url, title, says=says)
    for path in paths:
        page.link(f"{prefix}{path}", "More")
    return page


_ADDRESS = "127.0.0.1"
_SHUTDOWN_SECONDS = 1.0


def serving(web: DemoWeb, port: int = 0) -> AbstractAsyncContextManager[int]:
    """Serve `web` during the block, and yield the port. 0: any free one.

    Raises OSError if the port is not available.
    """
    return serving_answers(lambda url, _: web.respond(url), port)


@asynccontextmanager
async def serving_answers(respond: Callable[[str, Mapping[str, str]], Reply], port: int = 0) -> AsyncIterator[int]:
    """`serving` for a function that answers a GET of a URL with header fields."""

    async def answer(request: http.BaseRequest) -> http.Response:
        reply = respond(f"http://{request.host.lower()}{request.raw_path}", request.headers)
        if reply.delay_seconds:
            await asyncio.sleep(reply.delay_seconds)
        return http.Response(status=reply.status, headers=reply.headers, body=reply.body)

    runner = http.ServerRunner(http.Server(answer, access_log=None), shutdown_timeout=_SHUTDOWN_SECONDS)
    await runner.setup()
    try:
        site = http.TCPSite(runner, _ADDRESS, port)
        await site.start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


def overlap(ranking: Sequence[str], truth: Mapping[str, float], k: int) -> float:
    """Share of the k truly most important URLs that are among the first k of `ranking`."""
    best = sorted(truth, key=lambda url: (-truth[url], url))[:k]
    return len(set(best) & set(ranking[:k])) / k


def masses(order: Iterable[str], truth: Mapping[str, float]) -> list[float]:
    """Cumulative importance of the first 0, 1, 2 ... fetched pages, each counted once.

    order: URLs in the order they were fetched; truth: importance of every URL of the web, sum 1. Compare only sums from
    here: added up in another order they differ in the last digits.
    """
    return list(accumulate((truth.get(url, 0.0) for url in dict.fromkeys(order)), initial=0.0))


def mass_curve(order: Iterable[str], truth: Mapping[str, float], shares: Iterable[float]) -> list[float | None]:
    """Importance fetched after each fraction in `shares` of the web's pages; None if the crawl did not get there.

    order, truth: as for `masses`.
    """
    held = masses(order, truth)
    counts = [round(share * len(truth)) for share in shares]
    return [held[count] if count < len(held) else None for count in counts]


def pages_until_mass(order: Iterable[str], truth: Mapping[str, float], share: float) -> int | None:
    """The number of fetched pages that first held `share` of all importance; None if they never did.

    order, truth: as for `masses`.
    """
    return next((count for count, mass in enumerate(masses(order, truth)) if mass >= share), None)
