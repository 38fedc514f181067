"""The dashboard of a watched list: what is there, and what a browser shows of it."""

import asyncio
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from support import skipping
from support.axe import axe_source, grave_findings
from support.browsing import dashboard as served
from support.chromium import NEEDS_CHROMIUM, chromium, dashboard, is_just, opened, says
from support.sites import Server, crawl

from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.dashboard.looks import Looks
from minicrawl.dashboard.readings import Readings
from minicrawl.parts.watch.rounds import Watched

HOME = "http://a.test/"
ILL = "http://ill.test/"
PROSE = "".join(f"<p>Paragraph {number} tells of the harbour and its boats.</p>" for number in range(6))
LONG = "word" * 60
HOSTILE = "<img src=x onerror=alert(1)>"


class List:
    """Four watched pages: one changes, one is lost, one has a line that changes at every check, and one is ill."""

    def __init__(self, store: Path) -> None:
        self.store, self.round, self.price = store, 0, "59.00 EUR"
        self.server = Server(
            {
                HOME + "lamp": lambda *_: self.page(f"<p>{self.price}</p>"),
                HOME + "weather": lambda *_: self.page(f"<p>Weather</p><p>{LONG} {'abcdefgh'[self.round] * 3}</p>"),
                HOME + "notice": lambda *_: self.page("") if self.round < 2 else 404,
                ILL: lambda *_: self.page("") if self.round < 2 else httpx.ConnectError("refused"),
            }
        )

    @staticmethod
    def page(more: str) -> httpx.Response:
        return httpx.Response(200, html=f"<title>{HOSTILE}</title><main><h1>Page</h1>{more}{PROSE}</main>")

    def check(self, every: float | None = None) -> None:
        """A round, in a thread of its own, as a browser has the loop of this one."""
        self.round += 1
        watched = Watched(self.store, Seeds([*self.server.site]), {"delay": 0}, {}, (), transport=self.server)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(lambda: skipping.run_apart(watched.check(every))).result()

    def check_often(self) -> None:
        for price in ("59.00 EUR", "49.00 EUR", "49.00 EUR", "49.00 EUR"):
            self.price = price
            self.check()


@pytest.fixture
def pages(tmp_path: Path) -> List:
    return List(tmp_path / "pages.watch.db")


def test_a_list_is_read_with_its_times_states_and_what_was_told(pages: List) -> None:
    pages.check_often()
    before = time.time()
    pages.check(every=3600)
    found = Readings(pages.store).watched()
    assert (found["rounds"], found["count"]) == (5, 4)
    assert before - 1 < found["checked_at"] < time.time() + 1
    assert before - 1 < found["next_at"] - 3600 < found["checked_at"] + 1
    states = {page["url"]: (page["state"], page["habits"]) for page in found["pages"]}
    assert states[HOME + "lamp"] == ("", [])
    assert states[HOME + "notice"] == ("lost", [])
    assert states[HOME + "weather"] == ("", ["Weather"])
    assert states[ILL][0] != ""
    whats = {event["what"] for event in found["events"]}
    assert whats == {"changed", "lost", "unreadable", "habit"}
    (lamp,) = (event for event in found["events"] if event["url"] == HOME + "lamp")
    assert (lamp["removed"], lamp["added"]) == (("59.00 EUR",), ("49.00 EUR",))
    assert lamp["head"].endswith("lamp  price")
    ids = [event["id"] for event in found["events"]]
    assert ids == sorted(ids, reverse=True)


def test_without_every_no_check_is_planned(pages: List) -> None:
    pages.check(every=3600)
    pages.check()
    assert Readings(pages.store).watched()["next_at"] is None


def test_a_look_tells_a_watched_list_from_a_crawl(pages: List, tmp_path: Path) -> None:
    pages.check()
    pages.check()
    assert Looks(Readings(pages.store)).look()["watched"] == 2
    crawl({HOME: []}, tmp_path / "crawl.db", [HOME])
    assert Looks(Readings(tmp_path / "crawl.db")).look()["watched"] is None


async def test_a_list_is_read_anew_as_soon_as_a_look_has_told_of_a_check(pages: List) -> None:
    pages.check()
    async with served(pages.store) as browser:
        assert (await browser.now())["watched"] == 1
        assert (await browser.ask("/api/watched")).json["rounds"] == 1
        await asyncio.to_thread(pages.check)
        while (await browser.now())["watched"] == 1:
            await asyncio.sleep(0)
        while (found := (await browser.ask("/api/watched")).json)["is_late"]:
            await asyncio.sleep(0)
        assert found["rounds"] == 2


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as started:
        yield started


@pytest.mark.slow
@NEEDS_CHROMIUM
@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_a_browser_shows_the_list_and_each_new_check(browser: Any, pages: List, scheme: str, width: int) -> None:
    """By keyboard, on a phone too, and nothing in it is markup. Nothing serious for axe-core, where that is there."""
    pages.check_often()
    size = {"width": width, "height": 800}
    with (
        dashboard(pages.store) as (address, _),
        opened(browser, address, viewport=size, color_scheme=scheme, reduced_motion="reduce") as page,
    ):
        says(page, "#view-watched .sentence", "4 pages checked 4 times, the last time on")
        says(page, "#view-watched .sentence", "No next check is planned")
        is_just(page, "#state", "Not checking")
        assert page.locator("[role=tab]:visible").all_inner_texts() == ["Watched"]
        assert page.locator("button:visible", has_text="Stop").count() == 0
        says(page, ".told del", "59.00 EUR")
        says(page, ".told ins", "49.00 EUR")
        says(page, ".told", "lost: the answer was 404 Not Found")
        says(page, ".told", HOSTILE)
        says(page, "#view-watched td", "after “Weather”")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.locator("#tab-watched").focus()
        page.keyboard.press("ArrowRight")
        says(page, "#tab-watched[aria-selected=true]", "Watched")
        pages.price = "39.00 EUR"
        pages.check(every=60)
        says(page, ".told ins", "39.00 EUR")
        says(page, "#view-watched .sentence", "The next check is due on")
        axe_source()
        assert grave_findings(page) == []
