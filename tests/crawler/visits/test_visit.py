"""The turn of a page, whatever came of it: the books add up, the row says it, and the page waits or does not."""

import itertools
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.intakes import HOME, answer, crawl_all, intake_of, next_page, page_of, take_turn
from support.sites import faults_in, rows

from minicrawl.crawler.outcomes.outcome import NOT_MODIFIED
from minicrawl.crawler.visits.visit import SchemeGuesses
from minicrawl.model import Fetched, ParsedPage, State

URLS = [f"http://h{number % 3}.test/{number}" for number in range(25)]


def random_answer(rng: random.Random, url: str) -> tuple[Fetched, ParsedPage]:
    links = tuple(rng.sample(URLS, rng.randrange(6)))
    page = ParsedPage(links, anchors=("",) * len(links))
    ok = Fetched(url, status=200, content_type="text/html")
    match rng.randrange(8):
        case 0:
            return Fetched(url, status=rng.choice([404, 410, 500, 503])), ParsedPage()
        case 1:
            return Fetched(url, status=301, location=rng.choice(URLS)), ParsedPage()
        case 2:
            return ok, ParsedPage(links, anchors=("",) * len(links), canonicals=(rng.choice(URLS),))
        case 3:
            return Fetched(url, reason=rng.choice(["timeout", "dns", "reset"])), ParsedPage()
        case 4:
            return Fetched(url, status=NOT_MODIFIED, is_conditional=True), ParsedPage()
        case _:
            return ok, page


@pytest.mark.parametrize("seed", range(5))
def test_books_and_rows_agree_after_any_turns(tmp_path: Path, seed: int) -> None:
    """Also where the crawl goes on from the store in between."""
    store, rng, now = tmp_path / "crawl.db", random.Random(seed), 0.0
    for _ in range(3):
        intake = intake_of(store, discovery=0.6, traps=False, now=now)
        intake.start(URLS[:2], now)
        for turn in range(60):
            now += 30.0
            page = next_page(intake.state.frontier, now)
            if page is None:
                continue
            if rng.random() < 0.1:
                intake.visits.absorb_unfetched(page, State.DISALLOWED, "robots", now + 100.0, now)
            else:
                take_turn(intake, page, random_answer(rng, intake.state.urls.url(page)), now)
            if turn % 20 == 7:
                intake.commit({})
        intake.commit({})
        intake.state.writer.close()
        assert faults_in(store) == []


def test_a_page_that_is_as_it_was_spends_its_cash_and_nothing_else_changes(store: Path) -> None:
    web = {HOME: [HOME + "a"], HOME + "a": [HOME]}
    intake = intake_of(store, discovery=0.0, traps=False)
    intake.start([HOME], 0.0)
    crawl_all(intake, web, most=4, clock=itertools.count(1.0))
    query = "SELECT state, reason, inlinks, depth, fetch FROM pages"
    before = rows(store, query), rows(store, "SELECT * FROM links"), rows(store, "SELECT * FROM fetches")
    page = next_page(intake.state.frontier, 9.0)
    assert page is not None
    book, forwarded = intake.state.accounts.book, intake.state.accounts.book.forwarded[page]
    unchanged = Fetched(intake.state.urls.url(page), status=NOT_MODIFIED, is_conditional=True)
    take_turn(intake, page, (unchanged, ParsedPage()))
    intake.commit({})
    assert book.cash_of(np.array([page])).tolist() == [0]
    assert book.forwarded[page] >= forwarded
    assert (rows(store, query), rows(store, "SELECT * FROM links"), rows(store, "SELECT * FROM fetches")) == before
    intake.state.writer.close()


@pytest.mark.parametrize(
    ("reply", "state", "waits"), [([], "fetched", True), (404, "error", False), (410, "error", False)]
)
def test_only_pages_that_were_read_wait_for_another_turn_at_once(
    tmp_path: Path, reply: list[str] | int, state: str, waits: bool
) -> None:
    intake = intake_of(tmp_path / "crawl.db", discovery=0.0, traps=False)
    intake.start([HOME], 0.0)
    take_turn(intake, next_page(intake.state.frontier, 0.0) or 0, answer({HOME: reply}, HOME))
    assert intake.state.pages.last_state(page_of(intake, HOME)) == state
    assert (next_page(intake.state.frontier, 1.0) is not None) is waits
    intake.state.writer.close()


GUESSED, GIVEN = "https://a.test/", "https://b.test/"


class Web:
    """Two known pages, and what becomes known beside them."""

    def __init__(self) -> None:
        self.urls = [GUESSED, GIVEN]
        self.seeds: list[str] = []

    def find(self, urls: list[str]) -> list[int | None]:
        return [self.urls.index(url) if url in self.urls else None for url in urls]

    def url(self, page: int) -> str:
        return self.urls[page]

    def know_seeds(self, urls: list[str], now: float, at_once: int) -> list[int]:
        self.seeds += urls
        return [1]


@pytest.mark.parametrize(
    ("page", "reason", "is_wrong"),
    [
        *((0, reason, True) for reason in ("refused", "tls", "tls-name")),
        *((0, reason, False) for reason in ("http-500", "dns")),
        (1, "refused", False),
    ],
)
def test_wrong_guess_makes_the_page_in_plain_http_a_seed_once(page: int, reason: str, is_wrong: bool) -> None:
    """Other failures, and those of other pages, change nothing."""
    web: Any = Web()
    guesses = SchemeGuesses(web, web)
    guesses.begin([GUESSED, "https://unknown.test/"])
    for now in (0.0, 1.0):
        guesses.doubt(page, reason, now)
    assert (web.seeds, guesses.wrong(page)) == ((["http://a.test/"], reason) if is_wrong else ([], None))
