"""The room that requests in flight leave for more."""

import asyncio
import itertools
from typing import Any, cast

from minicrawl.crawler.hosts.host import Host
from minicrawl.crawler.loop.in_flight import InFlight
from minicrawl.crawler.net.open_files import Room
from minicrawl.crawler.requests.request import Request

NUMBERS = itertools.count()


class Asked:
    """As much of a request as counts here."""

    def __init__(self, *, answers: bool | None = True, is_page: bool = True, takes_slot: bool = True) -> None:
        self.host = Host(id=0, name="a.test", delay=0.0, most=1, answers=answers)
        self.is_page, self.takes_slot = is_page, takes_slot
        self.url = f"http://a.test/{next(NUMBERS)}"


class Crawl:
    """Requests in flight, each until it is cancelled or `end` is set."""

    def __init__(self, *, requests: int = 2, attempts: int = 20, one_by_one: bool = False) -> None:
        self.end = asyncio.Event()
        self.changes = 0
        self.flying = InFlight(Room(requests, attempts, 0), soon=None, one_by_one=one_by_one, on_change=self.change)

    def change(self) -> None:
        self.changes += 1

    async def wait(self) -> None:
        await self.end.wait()

    def spawn(self, **what: Any) -> None:
        self.flying.spawn(self.wait(), cast("Request", Asked(**what)))


def test_hosts_that_have_not_answered_take_no_slot() -> None:
    async def run() -> None:
        crawl = Crawl()
        for answers in (None, False):
            crawl.spawn(answers=answers)
        crawl.spawn(is_page=False, takes_slot=False)
        assert crawl.flying.has_room
        crawl.spawn()
        crawl.spawn()
        assert not crawl.flying.has_room
        assert crawl.flying.pages == 4
        crawl.flying.abort()

    asyncio.run(run())


def test_a_crawl_that_stops_waits_for_pages_alone() -> None:
    async def run() -> None:
        crawl = Crawl()
        crawl.spawn()
        crawl.spawn(answers=None)
        crawl.spawn(is_page=False)
        crawl.flying.stop(has_enough=False)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert (crawl.flying.pages, crawl.changes) == (2, 1)
        crawl.flying.stop(has_enough=True)
        crawl.end.set()
        while crawl.flying:
            await asyncio.sleep(0)
        assert (crawl.flying.pages, crawl.flying.failure) == (0, None)

    asyncio.run(run())


def test_failure_of_a_request_is_kept() -> None:
    async def run() -> None:
        crawl = Crawl()

        async def fail() -> None:
            raise ZeroDivisionError

        crawl.flying.spawn(fail(), cast("Request", Asked()))
        while crawl.flying:
            await asyncio.sleep(0)
        assert isinstance(crawl.flying.failure, ZeroDivisionError)

    asyncio.run(run())
