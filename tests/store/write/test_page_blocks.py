"""Copies of the columns of pages: which of them hold, and what has been touched since."""

import random
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from support.sites import rows
from support.stored_pages import NEWCOMER, accounts_of, add_pages, turn

from minicrawl.store.rows import Restated
from minicrawl.store.upkeep import backup
from minicrawl.store.writer import Writer

URLS = [f"http://a.test/{page}" for page in range(40)]
FORM = "as bytes"


def copied(writer: Writer, first: int, pages: int, said: bytes = b"as they are") -> None:
    with writer.transaction():
        writer.page_blocks.save(first, pages, said, FORM)


def touched(writer: Writer, *pages: int) -> None:
    with writer.transaction():
        writer.page_rows.save_accounts(accounts_of(pages, NEWCOMER))


def found(writer: Writer, form: str = FORM) -> dict[int, list[int]]:
    """The copies that hold, by first page, with what has been touched since."""
    return {block.first: block.stale.tolist() for block in writer.page_blocks.all(writer.size(), form)}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Two copies of ten pages each; since the first page 3 has been touched, and then 7 and 12 since both."""
    path = tmp_path / "crawl.db"
    with Writer(path) as writer:
        add_pages(writer, URLS)
        copied(writer, 0, 10)
        touched(writer, 3)
        copied(writer, 10, 10)
        touched(writer, 7, 12)
    return path


def test_copies_hold_but_for_what_was_touched_since(store: Path) -> None:
    with Writer(store) as writer:
        assert found(writer) == {0: [3, 7], 10: [12]}
        assert {first: (kept.pages, kept.stale) for first, kept in writer.page_blocks.kept.items()} == {
            0: (10, 2),
            10: (10, 1),
        }
        assert writer.page_blocks.flaws == []


def test_nothing_is_noted_of_a_store_without_copies(tmp_path: Path) -> None:
    with Writer(tmp_path / "crawl.db") as writer:
        add_pages(writer, URLS)
        touched(writer, 1, 2)
        assert found(writer) == {}
        assert (writer.meta("touched"), rows(writer.path, "SELECT * FROM touched")) == (None, [])


def test_whatever_changes_a_row_is_noted(store: Path) -> None:
    deeds: dict[int, Callable[[int], None]] = {
        20: lambda page: writer.page_rows.save_turns([turn(page)]),
        21: lambda page: writer.page_rows.forget_answers([page]),
        22: lambda page: writer.page_rows.save_states([Restated(page, "error", "http-500")]),
        23: lambda page: writer.page_rows.ask_again([page], [], []),
        24: lambda page: writer.page_rows.save_accounts(accounts_of([page])),
    }
    with Writer(store) as writer:
        copied(writer, 20, 10)
        for page, deed in deeds.items():
            with writer.transaction():
                deed(page)
        assert found(writer)[20] == list(deeds)


# What is done to the file behind the back of minicrawl, and what counts then. Transactions 2 and 3 have touched pages.
HARM = {
    "UPDATE page_blocks SET packed = x'00' WHERE first = 0": {10: [12]},
    "UPDATE page_blocks SET packed = substr(packed, 1, 5) WHERE first = 10": {0: [3, 7]},
    "UPDATE page_blocks SET packed = x'' WHERE first = 10": {0: [3, 7]},
    "UPDATE page_blocks SET first = 20 WHERE first = 10": {0: [3, 7]},
    "UPDATE page_blocks SET pages = 9 WHERE first = 10": {0: [3, 7]},
    "UPDATE page_blocks SET pages = 99 WHERE first = 10": {0: [3, 7]},
    "UPDATE page_blocks SET pages = -9 WHERE first = 10": {0: [3, 7]},
    "UPDATE page_blocks SET number = 2 WHERE first = 0": {10: [12]},
    "UPDATE page_blocks SET number = 9 WHERE first = 0": {10: [12]},
    "UPDATE page_blocks SET checksum = 9 WHERE first = 0": {10: [12]},
    "UPDATE meta SET value = '00' WHERE key = 'hash_key'": {},  # as of another store
    "UPDATE meta SET value = 4 WHERE key = 'touched'": {},
    "UPDATE meta SET value = 'many' WHERE key = 'touched'": {},
    "DELETE FROM meta WHERE key = 'touched'": {},
    "DELETE FROM touched WHERE number = 3": {},
    "DELETE FROM touched WHERE number = 2": {10: [12]},
    "DELETE FROM touched": {},
    "UPDATE touched SET pages = substr(pages, 1, 4) WHERE number = 3": {},
    "UPDATE touched SET pages = substr(pages, 1, 3) WHERE number = 2": {10: [12]},
    "UPDATE touched SET pages = x'ffffffff' WHERE number = 2": {10: [12]},
    "UPDATE touched SET number = 7 WHERE number = 3": {},
    "DELETE FROM page_blocks WHERE first = 0": {10: [12]},
}


@pytest.mark.parametrize(("deed", "holds"), HARM.items())
def test_a_copy_that_is_not_certain_does_not_count(tmp_path: Path, deed: str, holds: dict[int, list[int]]) -> None:
    path = tmp_path / f"{len(list(tmp_path.iterdir()))}.db"
    with Writer(path) as writer:
        add_pages(writer, URLS)
        copied(writer, 0, 10)
        touched(writer, 3)
        copied(writer, 10, 10)
        touched(writer, 7, 12)
    rows(path, deed)
    with Writer(path) as writer:
        assert found(writer) == holds
        assert len(writer.page_blocks.flaws) == len(rows(path, "SELECT * FROM page_blocks")) - len(holds)
        assert sorted(writer.page_blocks.kept) == sorted(holds)
        for _ in range(4):  # nor does it count later, when its number has come again
            touched(writer, 8, 18)
            assert found(writer) in ({}, {first: sorted([*stale, first + 8]) for first, stale in holds.items()})


def test_a_copy_in_another_form_does_not_count(store: Path) -> None:
    with Writer(store) as writer:
        assert found(writer, "otherwise") == {}
        assert writer.page_blocks.flaws == [
            "the copy of pages from 0 on is not whole",
            "the copy of pages from 10 on is not whole",
        ]


def test_what_is_rolled_back_was_neither_touched_nor_copied(store: Path) -> None:
    with Writer(store) as writer:
        with pytest.raises(ZeroDivisionError), writer.transaction():
            writer.page_rows.save_accounts(accounts_of([5], NEWCOMER))
            writer.page_blocks.save(20, 10, b"", FORM)
            raise ZeroDivisionError
        assert found(writer) == {0: [3, 7], 10: [12]}
        touched(writer, 11)
        assert found(writer) == {0: [3, 7], 10: [11, 12]}


def test_the_store_of_a_backup_that_was_put_back_has_its_own_copies(store: Path, tmp_path: Path) -> None:
    """A number that both have counted is not taken for the same."""
    kept = tmp_path / "kept.db"
    backup(store, kept)
    with Writer(store) as writer:
        touched(writer, 1)
        copied(writer, 0, 10, b"later")
    with Writer(kept) as writer:
        touched(writer, 2)
        assert found(writer) == {0: [2, 3, 7], 10: [12]}
        assert next(writer.page_blocks.all(writer.size(), FORM)).packed == b"as they are"


@pytest.mark.parametrize("seed", range(5))
def test_random_steps_are_remembered(tmp_path: Path, seed: int) -> None:
    """Copies of what every page was last touched by: where one is not stale, that is what the page has now."""
    rng, path, size = random.Random(seed), tmp_path / "crawl.db", len(URLS)
    now = [0] * size
    with Writer(path) as writer:
        add_pages(writer, URLS)
    writer = Writer(path)
    for step in range(1, 120):
        what = rng.random()
        if what < 0.1:
            writer.close()
            writer = Writer(path)
        if what < 0.3 and step > 5:
            first = 8 * rng.randrange(5)
            end = min(first + rng.choice([3, 8]), size)
            copied(writer, first, end - first, bytes(now[first:end]))
        else:
            pages = rng.sample(range(size), rng.choice([0, 1, 1, 5]))
            is_lost = rng.random() < 0.2
            try:
                with writer.transaction():
                    writer.page_rows.save_accounts(accounts_of(pages, NEWCOMER))
                    if is_lost:
                        raise ZeroDivisionError
            except ZeroDivisionError:
                pages = []
            for page in pages:
                now[page] = step
        for first, packed, stale in writer.page_blocks.all(size, FORM):
            fresh = [page for page in range(first, first + len(packed)) if page not in stale]
            assert [packed[page - first] for page in fresh] == [now[page] for page in fresh]
            assert len(stale) < len(packed) or len(packed) < 9
        assert writer.page_blocks.flaws == []
    oldest = min((number for (number,) in rows(path, "SELECT number FROM page_blocks")), default=0)
    assert all(number > oldest for (number,) in rows(path, "SELECT number FROM touched"))
    writer.close()


def test_a_copy_from_another_store_does_not_count(store: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    with Writer(other) as writer:
        add_pages(writer, URLS)
    with sqlite3.connect(other) as db:
        db.execute("ATTACH ? AS source", (str(store),))
        for table in ("page_blocks", "touched"):
            db.execute(f"INSERT INTO {table} SELECT * FROM source.{table}")
        db.execute("INSERT INTO meta SELECT * FROM source.meta WHERE key = 'touched'")
    db.close()
    with Writer(other) as writer:
        assert found(writer) == {}
        assert len(writer.page_blocks.flaws) == 2
