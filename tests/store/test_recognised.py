"""What pages are recognised by, as it was written."""

import random
import sqlite3
from contextlib import closing
from operator import itemgetter
from pathlib import Path

import pytest

from minicrawl.sizes import Sizes
from minicrawl.store.writer import Writer


@pytest.mark.parametrize("seed", range(3))
def test_fingerprints_are_as_row_by_row_whatever_the_numbers(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    numbers = [-(2**63), 2**63 - 1, -1, 0, *draw.sample(range(10**12), 60)]
    payloads = [None, -(2**63), 2**63 - 1, *(draw.randrange(-(2**63), 2**63) for _ in range(9))]
    pairs = [(None, None), (4, None), (4, 3)]
    sketches = [None, bytes(40), draw.randbytes(40)]
    kept = [
        (number, draw.randrange(2**31), draw.choice(payloads), draw.choice(sketches), *draw.choice(pairs))
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
            row
            for block in writer.recognised.fingerprints()
            for row in zip(
                block.page.tolist(), block.payload.tolist(), block.leads.tolist(), map(bytes, block.sketch), strict=True
            )
        ]
    assert found == [
        (page, payload, leader is None and sketch is not None, sketch or bytes(40))
        for _, page, payload, sketch, leader, _ in sorted(kept, key=itemgetter(0))
        if payload is not None
    ]
