"""The outbox: rows are there until they are confirmed, and survive a death."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from minicrawl.crawler.sharing import Outbox
from minicrawl.errors import StoreError
from minicrawl.store.partitions.records import Records, Sums, packed, unpacked
from minicrawl.store.transfers import NeighbourRow
from minicrawl.store.writer import Writer


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
        StoreError, match="partition 1 has taken 2 messages of this one, which has made only 1: this store"
    ):
        outbox.confirm(1, 2)
