"""What a run says of itself: the figures of the books, worked out another way."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.intakes import crawl_all, intake_of
from support.sites import random_site

from minicrawl.crawler.books.stored_forms import wrong_meta
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.progress import RunProgress
from minicrawl.model import Fetched


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def intake(tmp_path: Path) -> Iterator[Intake]:
    site, seeds = random_site(6)
    intake = intake_of(tmp_path / "crawl.db", discovery=1.0)
    intake.start(seeds, 0.0)
    crawl_all(intake, {url: 404 if url.endswith("7") else links for url, links in site.items()}, most=30)
    yield intake
    intake.state.writer.close()


def test_progress_is_what_the_store_says_once_all_is_committed(intake: Intake) -> None:
    clock = Clock()
    progress = RunProgress(intake, clock, started=90.0)
    for fetched in (Fetched("u", status=200, size=7), Fetched("u", status=404, size=5), Fetched("u", reason="dns")):
        progress.add(fetched)
    now, store = progress.now(None), intake.state.writer
    states = store.page_table.counts()
    assert (now.fetched, now.bytes, now.seconds) == (2, 12, 10.0)
    assert now.known == sum(states.values()) == store.size()
    read = sum(count for (state, _), count in states.items() if state in ("fetched", "alias"))
    assert now.never_read == now.known - read
    assert now.errors == {reason: count for (state, reason), count in states.items() if state == "error"}
    assert now.hosts_ready + now.hosts_waiting <= len(intake.state.frontier.hosts)


def test_sums_are_of_all_runs_whenever_one_is_killed(intake: Intake) -> None:
    writer, runs, fetched = intake.state.writer, 0, 0
    for number in range(1, 6):
        progress = RunProgress(intake, Clock(), started=90.0)
        assert progress.earlier[:3] == (runs, fetched, 5 * fetched)
        for _ in range(number):
            progress.add(Fetched("u", status=200, size=5))
        if number % 2:  # of one that is killed before its first commit nothing is there to be told
            for _ in range(2):
                with writer.transaction():
                    writer.save_meta(progress.meta(None, None, 0.0))
            runs, fetched = runs + 1, fetched + number
    assert list(wrong_meta(writer)) == []
