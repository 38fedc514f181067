"""Requests for pages, and probes in their place."""

from collections.abc import Iterator
from pathlib import Path
from typing import Self

import pytest
from support.intakes import HOME
from support.sites import rows

from minicrawl.crawler.intake import Intake
from minicrawl.crawler.visits.step import Opening, Step
from minicrawl.crawler.visits.visit import LastProbes, PageTurn, Probe
from minicrawl.model import Fetched
from minicrawl.settings import CrawlSettings
from minicrawl.store.writer import Writer

A, B = HOME + "a", HOME + "b"
PROBED = HOME + "cannot-exist"


class Probing(Step):
    """Wants one URL of every origin, once."""

    probes_last = True

    def __init__(self) -> None:
        self.wanted = {HOME.rstrip("/"): PROBED}
        self.answers: list[Fetched] = []

    @classmethod
    def of(cls, opening: Opening) -> Self:
        return cls()

    def on_probe(self, fetched: Fetched, title: str | None, now: float) -> None:
        self.answers.append(fetched)


class Asking:
    """Requests for three pages of a host, begun and answered by hand."""

    def __init__(self, store: Path) -> None:
        settings = CrawlSettings.of({"delay": 0.0, "ignore_robots": True})
        self.intake = Intake(Writer(store), settings, 0.0, kinds=[Probing])
        self.intake.start([HOME, A, B], 0.0)
        probes = self.intake.steps.find(Probing)
        assert probes is not None
        self.probes = probes

    def turn(self, page: int) -> PageTurn:
        return PageTurn(self.intake.visits, lambda url: True, page)

    def next(self, now: float = 0.0) -> PageTurn:
        page = self.intake.state.frontier.best_page(now)
        assert page is not None
        return self.turn(page)

    def state(self, url: str) -> tuple[str, str]:
        self.intake.commit({})
        (found,) = rows(self.intake.state.writer.path, "SELECT state, reason FROM pages WHERE url = ?", url)
        return found[0], found[1]


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Asking]:
    asking = Asking(tmp_path / "crawl.db")
    yield asking
    asking.intake.state.writer.close()


def test_a_probe_takes_the_turn_and_the_page_waits_on(asking: Asking) -> None:
    request = asking.next()
    probe = request.in_place()
    assert isinstance(probe, Probe)
    assert (probe.url, probe.page) == (PROBED, request.page)
    assert request.in_place() is request  # it is wanted once
    probe.begin(0.0)
    probe.fetched = Fetched(PROBED, status=404)
    probe.on_answer(1.0)
    assert asking.probes.answers == [probe.fetched]
    assert asking.next(1.0).page == request.page
    assert asking.state(request.url) == ("waiting", "seed")


def test_an_origin_without_a_page_left_is_probed_once_nothing_else_is_left(asking: Asking) -> None:
    intake, frontier = asking.intake, asking.intake.state.frontier
    last = LastProbes(intake.visits, lambda url: True)
    while (page := frontier.best_page(0.0)) is not None:
        frontier.hand_out(page, 0.0)
        intake.state.hosts.spare(asking.turn(page).turn, 0.0, 0.0)
    assert frontier.best_errand(0.0) is None
    assert last.on_nothing_left(0.0)
    due = frontier.best_errand(0.0)
    assert due is not None
    probe = due[1]
    assert isinstance(probe, Probe)
    assert probe.url == PROBED
    probe.begin(0.0)
    probe.put_back(5.0, 0.0)  # it waits itself
    assert not last.on_nothing_left(1.0)
    assert frontier.best_errand(4.0) is None
    probe.begin(5.0)
    probe.fetched = Fetched(PROBED, status=404)
    probe.on_answer(6.0)
    assert asking.probes.answers == [probe.fetched]
    assert not last.on_nothing_left(6.0)
    assert frontier.is_empty()


def test_a_page_that_is_put_back_has_had_no_turn(asking: Asking) -> None:
    request = asking.next()
    request.begin(0.0)
    request.put_back(7.0, 1.0)
    assert asking.intake.state.frontier.best_page(7.9) is None
    assert asking.next(8.0).page == request.page
    assert asking.state(request.url) == ("waiting", "seed")


def test_in_a_turn_that_failed_the_page_fails_that_is_the_best_by_then(asking: Asking) -> None:
    """While the address of a host was looked up, another page may have become worth more."""
    request = asking.next()
    intake = asking.intake
    frontier = intake.state.frontier
    other = next(page for page in range(3) if page != request.page)
    turn = frontier.begin(request.host, asking.turn(other), 0.0)
    frontier.put_first(other, 0.0)
    request.fail(turn, "dns", 1.0)
    assert (request.page, request.url) == (other, intake.state.urls.url(other))
    assert not frontier.in_flight
    assert intake.state.pages.failures == {"dns": 1}
    assert asking.state(request.url) == ("error", "dns")
