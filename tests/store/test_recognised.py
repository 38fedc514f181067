"""What pages are recognised by, as it was written."""

import random
import sqlite3
from contextlib import closing
from operator import itemgetter
from pathlib import Path

import pytest
from support.stored_pages import add_pages, answer, turn

from minicrawl.sizes import Sizes
from minicrawl.store.recognised import Fingerprint, RecentPage
from minicrawl.store.writer import Writer

SKETCH = bytes(range(40))
URLS = [f"http://a.test/{number}" for number in range(6)]
PRINTS = {
    4: Fingerprint(4, 1, 11, SKETCH, None, None),  # the first that says it
    1: Fingerprint(1, 1, 11, SKETCH, 4, None),  # the same bytes
    2: Fingerprint(2, 2, 12, SKETCH[::-1], 4, 3),  # nearly the same words
    0: Fingerprint(0, -3, -13, None, None, None),  # too little text
}


def written(store: Path) -> Writer:
    """The pages had their first answers in the order 4, 1, 2, 0, 3."""
    writer = Writer(store)
    add_pages(writer, URLS)
    with writer.transaction():
        writer.page_rows.save_turns([turn(page, fetch=answer()) for page in (4, 1, 2, 0, 3)])
        writer.save_fingerprints(PRINTS)
    return writer


@pytest.mark.parametrize("seed", range(3))
def test_fingerprints_are_as_row_by_row_whatever_the_numbers(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    numbers = [-(2**63), 2**63 - 1, -1, 0, *draw.sample(range(10**12), 60)]
    payloads = [None, -(2**63), 2**63 - 1, *(draw.randrange(-(2**63), 2**63) for _ in range(9))]
    kept = [
        (
            number,
            draw.randrange(2**31),
            draw.choice(payloads),
            draw.choice([None, bytes(40), draw.randbytes(40)]),
            *draw.choice([(None, None), (4, None), (4, 3)]),
        )
        for number in numbers
    ]
    store = tmp_path / "crawl.db"
    Writer(store).close()
    with closing(sqlite3.connect(store)) as db, db:
        db.executemany(
            """INSERT INTO fetches (id, page, payload, sketch, leader, distance, status, fetched_at, seconds, bytes)
            VALUES (?, ?, ?, ?, ?, ?, 200, 0, 0, 0)""",
            kept,
        )
    with Writer(store, Sizes(rows=draw.choice([1, 7, 64]))) as writer:
        found = [
            (*row, sketch.tobytes())
            for block in writer.recognised.fingerprints()
            for *row, sketch in zip(
                block.page.tolist(),
                block.payload.tolist(),
                block.leads.tolist(),
                block.sketch,
                strict=True,
            )
        ]
    assert found == [
        (
            page,
            payload,
            leader is None and sketch is not None,
            sketch or bytes(40),
        )
        for _, page, payload, sketch, leader, _ in sorted(kept, key=itemgetter(0))
        if payload is not None
    ]


def test_fingerprints_of_one_page_and_counts_of_duplicates(tmp_path: Path) -> None:
    with written(tmp_path / "crawl.db") as writer:
        recognised = writer.recognised
        assert [recognised.fingerprint(page) for page in range(6)] == [PRINTS.get(page) for page in range(6)]
        assert (recognised.duplicate_counts(), recognised.duplicates_of(4)) == ((1, 1), (1, 1))
        assert recognised.duplicates_of(1) == (0, 0)
        assert [recognised.said_first(payload) for payload in (11, 12, -13, 14)] == [[4], [2], [0], []]
        with writer.transaction():
            writer.save_fingerprints({1: None, 2: PRINTS[2]._replace(leader=None, distance=None)})
        assert recognised.duplicate_counts() == (0, 0)
        assert recognised.fingerprint(1) is None


def test_pages_read_lately_come_in_their_order_with_their_urls(tmp_path: Path) -> None:
    pages = [RecentPage(number, page, None, b"1234", True) for number, page in enumerate((5, 0, 2))]
    with written(tmp_path / "crawl.db") as writer:
        with writer.transaction():
            writer.add(RecentPage, reversed(pages))
        assert list(writer.recognised.recent_pages()) == [(page, URLS[page.page]) for page in pages]
        with writer.transaction():
            writer.remove(RecentPage, [(1,)])
        assert [page.page for page, _ in writer.recognised.recent_pages()] == [5, 2]


def test_an_alternate_keeps_the_page_that_named_it_first(tmp_path: Path) -> None:
    with written(tmp_path / "crawl.db") as writer:
        with writer.transaction():
            writer.page_rows.save_alternates([(1, 3), (1, 2)])
        with writer.transaction():
            writer.page_rows.save_alternates([(0, 3)])
        assert writer.page_table.alternates() == [2, 3]
        assert [writer.page_table.named_by(page) for page in (3, 4)] == [URLS[1], None]
