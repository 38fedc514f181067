"""Mirrors, outboxes and voices: what they gather is handed over at a commit, all of it and once."""

import random
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from support.intakes import answer, intake_of, next_page, page_of
from support.sites import rows

from minicrawl.crawler.intake import Intake
from minicrawl.crawler.sharing import Mirrors, Outbox, Share, SharedVoices
from minicrawl.errors import StoreError
from minicrawl.opic.book import UNIT
from minicrawl.store.transfers import NeighbourRow, Records, Sums, packed, unpacked
from minicrawl.store.writer import Writer

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
    assert mirrors_of(intake).flags()[mirror]
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


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[Writer]:
    with closing(Writer(tmp_path / "crawl.db")) as opened:
        yield opened


def record(url: str, received: int = 1) -> Records:
    one = np.array([1])
    return Records([url], [""], np.array([received]), one, one, one, one)


def commit(outbox: Outbox, writer: Writer) -> None:
    with writer.transaction():
        outbox.save(writer)
    outbox.committed()


def test_row_may_be_sent_from_its_commit_on_until_it_is_confirmed(writer: Writer) -> None:
    outbox = Outbox(writer)
    outbox.add([2], [1], record("http://a.test/"))
    assert outbox.rows(2) == ()
    commit(outbox, writer)
    b, c = record("http://b.test/", received=7), record("http://c.test/")
    outbox.add([2, 0], [1, 2], unpacked([*packed(b, [1]), *packed(c, [1])])[0])
    commit(outbox, writer)
    assert [(row.home, row.number, row.received) for row in outbox.rows(2)] == [(2, 1, 1), (2, 2, 7)]
    assert unpacked([outbox.rows(2)[1].records])[0].urls == ["http://b.test/"]
    assert sorted(outbox.homes()) == [0, 2]
    outbox.confirm(2, 1)
    outbox.confirm(2, 1)
    assert [row.number for row in outbox.rows(2)] == [2]
    again = Outbox(writer)  # as a new process finds it: the confirmation was not committed
    assert [row.number for row in again.rows(2)] == [1, 2]
    commit(outbox, writer)
    again = Outbox(writer)
    assert [row.number for row in again.rows(2)] == [2]
    again.confirm(2, 2)
    commit(again, writer)
    again.add([2], [1], record("http://d.test/"))
    commit(again, writer)
    assert [row.number for row in Outbox(writer).rows(2)] == [3]


def test_numbers_of_rows_that_were_taken_are_kept_and_how_much_was_carried(writer: Writer) -> None:
    outbox = Outbox(writer)
    outbox.add([4], [1], record("http://a.test/"))
    for number, (credit, debit) in enumerate([(20, 0), (0, 3), (7, 0)], start=1):
        outbox.note_taken(5, number, Sums(credit - debit, credit, debit))
    commit(outbox, writer)
    again = Outbox(writer)
    assert (again.taken(5), again.taken(4)) == (3, 0)
    assert again.neighbours == outbox.neighbours == {4: NeighbourRow(4, 1, 0, 1), 5: NeighbourRow(5, 0, 3, 0, 0, 27, 3)}


def test_store_that_is_older_than_its_neighbours_is_refused(writer: Writer) -> None:
    outbox = Outbox(writer)
    outbox.add([1], [1], record("http://a.test/"))
    commit(outbox, writer)
    with pytest.raises(
        StoreError, match="partition 1 has taken 2 messages from this one, which has sent only 1: this store"
    ):
        outbox.confirm(1, 2)


NOTHING = np.zeros((0, 3), dtype=np.int64)


def test_a_home_has_heard_what_mirrors_count_however_often_that_changes() -> None:
    """And either of them, begun again with the rows that it has written, is as it was."""
    rng = random.Random(1)
    stored: list[Counter[int]] = [Counter(), Counter()]

    def begun_again(which: int) -> SharedVoices:
        rows = [(page, 0, count) for page, count in stored[which].items()]
        return SharedVoices(np.array(rows, dtype=np.int64) if rows else NOTHING)

    def save(which: int, voices: SharedVoices) -> None:
        for page, site, change in voices.take_changed():
            assert site == 0
            stored[which][page] += change

    counts = np.zeros(9, dtype=np.int64)
    for size in (1, 1, 4, 9, 9, 9):
        mirror, home = begun_again(0), begun_again(1)
        counts[:size] = [rng.randrange(3) for _ in range(size)]
        mirrors = np.arange(size)
        mirror.grow(size)
        home.grow(100 + size)
        mirror.note(mirrors, counts[:size])
        unsaid = mirror.unsaid()
        home.take_over(unsaid + 100, mirror.hand_over(unsaid))
        assert not len(mirror.unsaid())
        assert home.heard[100 : 100 + size].tolist() == mirror.heard[:size].tolist() == counts[:size].tolist()
        save(0, mirror)
        save(1, home)
