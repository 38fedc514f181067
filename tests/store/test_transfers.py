"""Rows of a partition's traffic, written and read."""

from contextlib import closing
from pathlib import Path

from minicrawl.store.pages import AccountColumns, NewPage
from minicrawl.store.transfers import MirrorRow, NeighbourRow, OutboxRow
from minicrawl.store.writer import Writer

ACCOUNT = {name: [0, 0] for name in ("inlinks", "visited", "cash", "forwarded", "history", "clock", "chain_length")}
ACCOUNT["depth"] = [1, 1]


def test_outbox_loses_what_was_confirmed_of_one_home(tmp_path: Path) -> None:
    rows = [OutboxRow(home, number, number, b"r") for home in (0, 2) for number in (1, 2, 3)]
    with closing(Writer(tmp_path / "crawl.db")) as writer:
        with writer.transaction():
            writer.add(OutboxRow, rows)
        assert writer.transfers.outbox() == rows
        with writer.transaction():
            writer.remove_sent([(2, 2)])
        assert writer.transfers.outbox() == [*rows[:3], rows[5]]


def test_neighbours_and_mirrors_are_replaced(tmp_path: Path) -> None:
    with closing(Writer(tmp_path / "crawl.db")) as writer:
        with writer.transaction():
            new = [NewPage(0, "http://a.test/", 0, None, "seed"), NewPage(1, "http://b.test/", 1, 0, "link")]
            writer.page_rows.add(new, AccountColumns([0, 1], ACCOUNT))
            writer.put(MirrorRow, [MirrorRow(0, 3, 1, None, 0), MirrorRow(1, 3, 1, None, 0)])
            writer.put(MirrorRow, [MirrorRow(1, 3, 5, 2, 1)])
            writer.put(NeighbourRow, [NeighbourRow(3, 1, 0), NeighbourRow(0, 0, 7)])
            writer.put(NeighbourRow, [NeighbourRow(3, 2, 1)])
        assert writer.transfers.mirrors() == [(MirrorRow(0, 3, 1, None, 0), None), (MirrorRow(1, 3, 5, 2, 1), 0)]
        assert writer.transfers.neighbours() == [NeighbourRow(0, 0, 7), NeighbourRow(3, 2, 1)]
