"""What comes before what: every page is handed out once, whatever must be known of its host first."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from minicrawl.crawler.intake import Intake
from minicrawl.crawler.request_kinds import requests_of
from minicrawl.crawler.requests.due import DueRequests
from minicrawl.crawler.requests.request import Request
from minicrawl.model import Fetched, Located
from minicrawl.opic import STRATEGIES
from minicrawl.opic.window import parse_window
from minicrawl.settings import CrawlSettings
from minicrawl.store.writer import Writer

A = "http://a.test/"
SEEDS = [f"http://{host}.test/{page}" for page in range(2) for host in "abc"]


class Source:
    """Everybody is there, and has nothing; but names in `missing` are not known."""

    def __init__(self, missing: str = "") -> None:
        self.missing = missing

    async def locate(self, url: str) -> Located:
        return Located(reason="dns") if url[7] in self.missing else Located("192.0.2.1")

    async def robots(self, url: str) -> Fetched:
        return Fetched(url, status=404)


class Asking:
    """A crawl whose requests are begun and answered one by one, the pages with 404."""

    def __init__(self, store: Path, missing: str = "", per_host: int = 1) -> None:
        self.writer = Writer(store)
        settings = CrawlSettings(delay=1.0, per_host=per_host, ip_delay=0.0)
        strategy, window = STRATEGIES["breadth-first"], parse_window("basic", 1.0)
        self.intake = Intake(self.writer, settings, strategy, window, 0.0, locates=True)
        self.intake.start(SEEDS, 0.0)
        self.requests: DueRequests = requests_of(self.intake, settings)
        self.source = Source(missing)
        self.handed_out: list[int] = []

    def begun(self, now: float) -> list[Request]:
        """All that is asked for at this time."""
        begun: list[Request] = []
        while (due := self.requests.next(now, attempts=True)) is not None:
            request = self.requests.begun(due, now)
            if request is not None:
                begun.append(request)
        return begun

    def answer(self, request: Request, now: float) -> None:
        if request.is_page:
            request.fetched = Fetched(request.url, status=404)
        else:
            with pytest.raises(StopIteration):  # nothing waits: the source answers at once
                request.ask(self.source, lambda arrival: None).send(None)  # type: ignore[arg-type]
        request.on_answer(now)


@pytest.fixture(params=[1, 2])
def asking(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Asking]:
    asking = Asking(tmp_path / "crawl.db", per_host=request.param)
    yield asking
    asking.writer.close()


def test_a_host_is_located_then_asked_for_its_robots_txt_then_for_pages(asking: Asking) -> None:
    """Meanwhile its pages are not on offer, though it may be asked for two things at a time."""
    kinds: list[list[str]] = []
    for now in range(0, 40, 4):
        begun = asking.begun(float(now))
        kinds.append(sorted({type(request).__name__ for request in begun}))
        assert len(begun) <= 6
        for request in begun:
            asking.answer(request, now + 0.5)
    assert kinds[:3] == [["LookUp"], ["RobotsErrand"], ["PageTurn"]]
    visited = asking.intake.state.accounts.book.visited
    assert visited[: len(SEEDS)].all()


def test_every_page_is_handed_out_once(asking: Asking) -> None:
    pages: list[int | None] = []
    for now in range(0, 40, 4):
        for request in asking.begun(float(now)):
            if request.is_page:
                pages.append(request.page)
            asking.answer(request, now + 0.5)
    assert sorted(page for page in pages if page is not None) == list(range(len(SEEDS)))


def test_a_host_without_address_takes_its_pages_with_it(tmp_path: Path) -> None:
    asking = Asking(tmp_path / "crawl.db", missing="a")
    for now in range(0, 40, 4):
        for request in asking.begun(float(now)):
            asking.answer(request, now + 0.5)
    asking.intake.commit({})
    assert asking.intake.state.tally.failures == {"dns": 2, "http-404": 4}
    assert not asking.intake.state.frontier.in_flight
    asking.writer.close()
