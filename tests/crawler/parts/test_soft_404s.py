"""Pages that turn out to be soft 404s, and to be none after all: both books are as if it had been known at once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.intakes import HOME, answer, crawl_all, intake_of, page_of
from support.sites import Site

from minicrawl.crawler.books.invariants import violations
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.outcomes.outcome import Outcome
from minicrawl.crawler.parts.soft_404s import SoftErrors
from minicrawl.crawler.recognise.duplicates import Duplicates
from minicrawl.crawler.recognise.soft404 import Judged
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import Fetched, ParsedPage, State
from minicrawl.store.reader import open_store

A, B, C = (f"{HOME}{name}" for name in "abc")
WEB: Site = {HOME: [A, B], A: [C, HOME], B: 404, C: [A]}


class Verdicts:
    """Says of pages what it is given, once."""

    def __init__(self) -> None:
        self.next = Judged()
        self.seeds: list[bool] = []

    def read(self, page: int, fetched: Fetched, *, is_there: bool, heading: str = "") -> Judged:
        self.seeds.append(is_there)
        return self.next

    def note_answer(self, fetched: Fetched, now: float) -> Judged:
        return self.next

    def is_soft_404(self, page: int, url: str) -> bool:
        return page in self.next.lost


class Judging:
    def __init__(self, store: Path) -> None:
        self.intake: Intake = intake_of(store, discovery=1.0, probe=False)
        self.intake.start([HOME], 0.0)
        crawl_all(self.intake, WEB)
        visits, self.verdicts = self.intake.visits, Verdicts()
        self.errors = SoftErrors(
            self.verdicts,  # type: ignore[arg-type]
            self.intake.state,
            visits.aliases,
            Duplicates([], lambda page: None),
        )

    def judge(self, *, lost: tuple[str, ...] = (), regained: tuple[str, ...] = ()) -> None:
        """By the answer to a probe."""
        pages = (tuple(page_of(self.intake, url) for url in urls) for urls in (lost, regained))
        self.verdicts.next = Judged(*pages)
        self.errors.on_probe(Fetched(f"{HOME}nothing", status=200), 0.0)
        self.intake.commit({})

    def recognised(self, page: int, fetched: Fetched) -> bool:
        """Whether it is a soft 404 at its turn."""
        outcome = Outcome(State.FETCHED if fetched.status == 200 else State.ERROR, "ok")
        return self.errors.recognise(Turn(page, fetched._replace(digest=1), ParsedPage(), outcome, 0.0))

    def state(self, url: str) -> tuple[str, str, list[str]]:
        """State, reason, and what links of the page count."""
        pages, page = self.intake.state.pages, page_of(self.intake, url)
        outlinks = [
            self.intake.state.urls.url(target) for target in self.intake.state.writer.link_table.outlinks(page).tolist()
        ]
        return pages.last_state(page), pages.last_turn(page).reason, outlinks


@pytest.fixture
def judging(tmp_path: Path) -> Iterator[Judging]:
    judging = Judging(tmp_path / "crawl.db")
    yield judging
    judging.intake.state.writer.close()
    with open_store(tmp_path / "crawl.db") as store:
        assert list(violations(store)) == []


def test_a_page_that_was_read_before_is_an_error_whose_links_do_not_count(judging: Judging) -> None:
    inlinks = judging.intake.state.accounts.inlinks
    c = page_of(judging.intake, C)
    assert (judging.state(A), int(inlinks[c])) == (("fetched", "ok", [C, HOME]), 1)
    judging.judge(lost=(A,))
    assert (judging.state(A), int(inlinks[c])) == (("error", "soft-404", []), 0)
    assert judging.intake.state.tally.failures == {"http-404": 1, "soft-404": 1}


def test_one_that_is_none_after_all_has_its_links_again(judging: Judging) -> None:
    before = judging.state(A)
    judging.judge(lost=(A,))
    judging.judge(regained=(A,))
    assert judging.state(A) == before
    assert judging.intake.state.tally.failures["soft-404"] == 0


def test_the_page_whose_turn_it_is_is_left_to_its_turn(judging: Judging) -> None:
    """And a seed is surely there."""
    a, home = page_of(judging.intake, A), page_of(judging.intake, HOME)
    judging.verdicts.next = Judged((a,))
    assert judging.recognised(a, answer(WEB, A)[0])
    assert judging.state(A)[:2] == ("fetched", "ok")
    assert not judging.recognised(home, answer(WEB, HOME)[0])
    assert judging.verdicts.seeds == [False, True]
    assert not judging.recognised(a, Fetched(A, status=404))
    judging.intake.commit({})
