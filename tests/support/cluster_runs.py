"""Crawls in partitions of a part of the demo's web; and what one process finds there."""

import asyncio
import subprocess
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from support.command_line import answer
from support.gathered import sound_pages
from support.small_web import small_web

from minicrawl.api import acrawl
from minicrawl.cluster.keeper import Ended, Keeper
from minicrawl.control.asking import ask
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.demo.web import DemoWeb, serving
from minicrawl.errors import MinicrawlError
from minicrawl.settings import ConnectTo, CrawlSettings
from minicrawl.store.folder import FILE, Folder, found, made
from minicrawl.store.ranks import RankedPage

WEB = DemoWeb.generate(seed=3, hosts=8, pages=150)
SEEDS = [f"http://h{number}.test/" for number in range(6)]
SETTINGS: dict[str, Any] = dict.fromkeys(("traps", "sitemaps"), False)
SETTINGS |= {"allow_private": True, "delay": 0.0, "scope": "any"}


def keeper_at(folder: Folder, port: int, seeds: list[str], settings: Mapping[str, Any]) -> Keeper:
    """The keeper of a crawl of hosts that a port of loopback answers for."""
    connect_to = (ConnectTo(None, None, "127.0.0.1", port),)
    return Keeper(folder, CrawlSettings.of({**settings, "connect_to": connect_to}), Seeds(seeds))


async def run_in_parts(
    path: Path, count: int, settings: dict[str, Any], beside: Callable[[Keeper], None] = lambda keeper: None
) -> Ended:
    """One run, with an actor for each partition unless `settings` says otherwise. beside: may do something to it."""
    async with serving(WEB) as port:
        keeper = keeper_at(folder_at(path, count), port, list(WEB.seeds), {"workers": count, **settings})
        beside(keeper)
        return await keeper.crawl()


def crawled_in_parts(path: Path, count: int, settings: dict[str, Any]) -> Folder:
    """A crawl that has ended by itself."""
    ended = asyncio.run(run_in_parts(path, count, settings))
    assert ended.reason == "nothing-left"
    return found(path)


def crawled_alone(store: Path, **settings: Any) -> dict[str, RankedPage]:
    """What one process finds, by URL, best first."""

    async def crawl() -> None:
        async with serving(WEB) as port:
            connect_to = (ConnectTo(None, None, "127.0.0.1", port),)
            await acrawl(WEB.seeds, store, connect_to=connect_to, **(SETTINGS | settings))

    asyncio.run(crawl())
    return sound_pages(store)


def crawled_by_command(parent: Path, *words: str) -> tuple[Path, dict[str, Any]]:
    """The folder of a crawl of the small web in two partitions, and what the command has said of it."""
    folder = folder_at(parent / "web", 2).path
    with small_web() as port:
        given = [*SEEDS, "--store", str(folder), "--partitions", "2", "--connect-to", f"::127.0.0.1:{port}", *words]
        return folder, answer("crawl", *given, "--allow-private", "--delay", "0", "-q")


def folder_at(path: Path, partitions: int) -> Folder:
    """The crawl in a folder, or a new one: its key of homes is always the same one, so that nothing is up to chance.

    Each of two or three partitions has some of SEEDS, and of the seeds and the hosts of WEB.
    """
    if (path / FILE).exists():
        return found(path)
    return replace(made(path, partitions), secret=b"a key").keep_ray(None)


def check_same(together: Mapping[str, RankedPage], alone: Mapping[str, RankedPage]) -> None:
    """Assert that several processes have found what one has found, each page by its URL."""
    assert together.keys() == alone.keys()
    for url, page in together.items():
        found, expected = (
            (each.state, each.reason, each.inlinks, each.depth, each.status) for each in (page, alone[url])
        )
        assert found == expected, f"{url}: {found}, not {expected}"
    assert sum(abs(page.importance - alone[url].importance) for url, page in together.items()) <= 1e-6


def until(
    store: Path, driver: "subprocess.Popen[bytes]", is_so: Callable[[list[dict[str, Any]]], bool]
) -> list[dict[str, Any]]:
    """Ask a running crawl for its partitions until they are so."""
    while True:
        assert driver.poll() is None, "the crawl has ended"
        with suppress(MinicrawlError):  # one is not there yet, or the crawl does not listen
            (status,) = ask(store, [{"do": "status"}])
            if is_so(status["partitions"]):
                return list(status["partitions"])
        time.sleep(0.1)
