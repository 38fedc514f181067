"""Mirrors: what they gather is handed over at a commit, all of it and once."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.intakes import answer, intake_of, next_page, page_of
from support.sites import rows

from minicrawl.crawler.intake import Intake
from minicrawl.crawler.sharing import Mirrors, Share
from minicrawl.opic.book import UNIT
from minicrawl.store.partitions.records import Records, unpacked

A, B, C = "http://a.test/", "http://b.test/", "http://b.test/c"
WEB = {A: [B, C, "http://a.test/2"], "http://a.test/2": [B]}
SHARE = Share(0, lambda url: int("b.test" in url))


def opened(store: Path) -> Intake:
    return intake_of(store, share=SHARE, scope="any", jump="pages", discovery=1.0, traps=False)


@pytest.fixture
def intake(tmp_path: Path) -> Iterator[Intake]:
    found = opened(tmp_path / "0.db")
    found.start([A], 0.0)
    yield found
    found.state.writer.close()


def mirrors_of(intake: Intake) -> Mirrors:
    assert intake.state.mirrors is not None
    return intake.state.mirrors


def turn(intake: Intake) -> None:
    page = next_page(intake.state.frontier, 0.0)
    assert page is not None
    intake.visits.absorb(page, *answer(WEB, intake.state.urls.url(page)), 0.0)


def sent(intake: Intake) -> list[Records]:
    assert intake.state.outbox is not None
    return [unpacked([row.records])[0] for row in intake.state.outbox.rows(1)]


def test_mirror_is_never_asked_for_and_all_that_it_gathers_is_handed_over(intake: Intake) -> None:
    turn(intake)
    accounts, mirror = intake.state.accounts, page_of(intake, B)
    assert mirrors_of(intake).is_mirror(mirror)
    cash = accounts.book.cash.item(mirror)
    assert cash == 17 * UNIT // 20 // 3
    intake.commit({})
    (first,) = sent(intake)
    assert (first.urls, first.found_on) == ([B, C], [A, A])
    assert first.received.tolist() == [cash, cash]
    assert (first.inlinks.tolist(), first.depth.tolist(), first.chain_length.tolist()) == ([1, 1], [1, 1], [0, 0])
    assert (accounts.book.cash[mirror], accounts.book.forwarded[mirror]) == (0, cash)
    turn(intake)
    assert next_page(intake.state.frontier, 0.0) is None
    intake.commit({})
    _, second = sent(intake)
    assert (second.urls, second.found_on, second.inlinks.tolist()) == ([B], [""], [1])
    intake.commit({})
    assert len(sent(intake)) == 2


def test_what_is_not_due_waits_over_commits_and_deaths(tmp_path: Path) -> None:
    intake = opened(tmp_path / "0.db")
    intake.start([A], 0.0)
    mirrors_of(intake).is_due = lambda: False
    turn(intake)
    intake.commit({})
    assert sent(intake) == []
    assert rows(tmp_path / "0.db", "SELECT page, home, inlinks, depth FROM mirrors") == [
        (1, 1, 0, None),
        (2, 1, 0, None),
    ]
    intake.state.writer.close()
    again = opened(tmp_path / "0.db")
    again.start([], 0.0)
    again.commit({})
    (found,) = sent(again)
    assert (found.urls, found.found_on, found.inlinks.tolist()) == ([B, C], [A, A], [1, 1])
    again.state.writer.close()


def test_what_virtual_visits_bring_waits_until_the_ranking_is_settled(tmp_path: Path) -> None:
    web = {A: ["http://a.test/2"], "http://a.test/2": [A, B]}
    intake = opened(tmp_path / "0.db")
    intake.start([A], 0.0)
    for _ in web:
        page = next_page(intake.state.frontier, 0.0)
        assert page is not None
        intake.visits.absorb(page, *answer(web, intake.state.urls.url(page)), 0.0)
    intake.commit({})
    (first,) = sent(intake)
    intake.ranking.settle_fully()
    intake.commit({})
    intake.commit({})
    assert len(sent(intake)) == 1
    mirrors_of(intake).hands_over_all = True
    intake.commit({})
    _, second = sent(intake)
    assert (second.urls, second.inlinks.tolist()) == ([B], [0])
    mirror = page_of(intake, B)
    assert second.received[0] > 0
    assert first.received[0] + second.received[0] == intake.state.accounts.book.forwarded[mirror]
    intake.state.writer.close()
