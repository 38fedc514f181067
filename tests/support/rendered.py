"""Sites whose pages are made by scripts, on loopback, and what a Chromium makes of them."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from support.needs import needs
from support.raw_server import Server

from minicrawl.api import acrawl
from minicrawl.crawler.sources.local import fetch_options
from minicrawl.model import Fetched
from minicrawl.settings import CrawlSettings
from minicrawl.timing import Timing
from minicrawl.web.http.fetch import Fetcher

HOST = "http://h.test"
Reply = str | bytes | tuple[str, str] | tuple[str, str, str] | Callable[[], Awaitable[str]] | int


with_chromium = needs("chromium")


def slow_with_chromium(test: Callable[..., object]) -> Callable[..., object]:
    """Mark a test that renders pages."""
    marked: Callable[..., object] = pytest.mark.slow(with_chromium(test))
    return marked


async def never() -> str:
    """A reply that does not come."""
    await asyncio.sleep(3600)
    return ""


def script(code: str) -> str:
    """A page that says "before", and runs a script."""
    return f"<!doctype html><body><p>before</p><script>{code}</script>"


class Site(Server):
    """Answers by URL, whatever name it is asked by: HTML; (type, content), also with a header more; a number: a status;
    a function. `asked`: URLs in order; `times`: when that was, by the loop's clock; `headers`: of each.
    """

    def __init__(self, replies: dict[str, Reply], *, tls: bool = False) -> None:
        super().__init__(self._answers, tls=tls)
        self.replies = replies
        self.scheme = "https" if tls else "http"
        self.asked: list[str] = []
        self.times: list[float] = []
        self.headers: list[bytes] = []

    async def _answers(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = await self.head(reader)
            target, host = head.split()[1].decode(), head.partition(b"Host: ")[2].split()[0].decode()
            url = f"{self.scheme}://{host}{target}"
            self.asked.append(url)
            self.times.append(asyncio.get_running_loop().time())
            self.headers.append(head)
            writer.write(_written(await self._reply(url)))
            await writer.drain()

    async def _reply(self, url: str) -> str | bytes | tuple[str, ...] | int:
        reply = self.replies[url] if url in self.replies or hasattr(self.replies, "__missing__") else 404
        return await reply() if callable(reply) else reply


def _written(reply: str | bytes | tuple[str, ...] | int) -> bytes:
    if isinstance(reply, bytes):
        return reply
    if isinstance(reply, int):
        return b"HTTP/1.1 %d No\r\nContent-Length: 0\r\n\r\n" % reply
    kind, content, *more = ("text/html", reply) if isinstance(reply, str) else reply
    body = content.encode()
    fields = "".join(f"{field}\r\n" for field in (f"Content-Type: {kind}", f"Content-Length: {len(body)}", *more))
    return f"HTTP/1.1 200 OK\r\n{fields}\r\n".encode() + body


def to(url: str) -> bytes:
    """The answer that redirects to a URL."""
    return f"HTTP/1.1 302 Found\r\nLocation: {url}\r\nContent-Length: 0\r\n\r\n".encode()


def shown(settings: CrawlSettings, *pages: tuple[str, str], seconds: float = 10.0) -> list[Fetched]:
    """What a renderer makes of pages that were fetched, one after the other: URL and HTML of each. seconds: for a page
    to get ready."""

    from minicrawl.parts.render.renderer import Renderer

    async def run() -> list[Fetched]:
        async with Fetcher(fetch_options(settings)) as fetcher:
            renderer = Renderer(settings, fetcher, seconds)
            try:
                return [
                    (await renderer.rendered(Fetched(url, 200, html.encode(), "text/html; charset=utf-8")))[0]
                    for url, html in pages
                ]
            finally:
                await renderer.aclose()

    return asyncio.run(run())


def crawled(site: Site, store: Path, *seeds: str, timing: Timing = Timing(), **settings: object) -> Site:  # noqa: B008 - frozen
    """Crawl a site with all names on its port; `timing` as in the crawl."""

    async def run() -> None:
        async with site:
            given = {"delay": 0.0, "traps": False, "connect_to": f"::127.0.0.1:{site.port}", "allow_private": True}
            await acrawl(list(seeds) or [f"{HOST}/"], store, timing=timing, **given | settings)  # type: ignore[arg-type]

    asyncio.run(run())
    return site


def descendants(process: int) -> dict[int, str]:
    """The processes that a process has started, and those that these have: number and name. Dead ones are none."""
    parents: dict[int, int] = {}
    names: dict[int, str] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (folder / "stat").read_text().partition("(")[2].rpartition(")")
        except OSError:
            continue
        state, parent = rest.split()[:2]
        parents[int(folder.name)] = int(parent)
        if state not in "ZX":
            names[int(folder.name)] = name
    found = {}
    for number, name in names.items():
        above = parents[number]
        while above not in (0, 1, process):
            above = parents.get(above, 0)
        if above == process:
            found[number] = name
    return found


def kill_browsers() -> int:
    """Kill -9 every Chromium that this process has started, and say how many processes that were."""
    killed = 0
    for process, name in descendants(os.getpid()).items():
        if "chrom" in name:
            with contextlib.suppress(ProcessLookupError):  # it has ended with its browser, which was just killed
                os.kill(process, signal.SIGKILL)
                killed += 1
    return killed


def kill_renderers() -> int:
    """Kill -9 every process of a Chromium of this process that has a page, and say how many these were."""
    killed = 0
    for process in descendants(os.getpid()):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            if b"--type=renderer" in Path(f"/proc/{process}/cmdline").read_bytes():
                os.kill(process, signal.SIGKILL)
                killed += 1
    return killed


def is_alive(process: int) -> bool:
    """Whether a process runs; one that is dead and that nobody has asked after does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
