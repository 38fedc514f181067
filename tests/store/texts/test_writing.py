"""Texts that commits keep: which, how often, and what is left after a kill."""

import random
from functools import partial
from pathlib import Path

import pytest
from support.dying import killed_at
from support.stored_pages import add_pages

from minicrawl.store.reader import open_store
from minicrawl.store.texts.text_file import text_path
from minicrawl.store.texts.writing import TextWriter
from minicrawl.store.writer import Writer

PAGES = 8
URLS = [f"http://a.test/{page}" for page in range(PAGES)]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with Writer(tmp_path / "crawl.db") as writer:
        add_pages(writer, URLS)
        return writer.path


def commit(writer: Writer, texts: TextWriter, notes: dict[int, bytes]) -> None:
    for page, record in notes.items():
        texts.note(page, record)
    with writer.transaction():
        texts.save(writer)


def kept(store: Path) -> dict[int, bytes]:
    with open_store(store) as reader:
        found = {page: reader.texts.record(page) for page in range(PAGES)}
        assert reader.texts.count() == sum(record is not None for record in found.values())
        starts = [start for _, _, start, _ in reader.texts.rows()]
        assert starts == sorted(starts), "in the order of the file"
    return {page: record for page, record in found.items() if record is not None}


def test_last_text_of_a_page_is_kept_and_none_where_there_is_none_any_more(store: Path) -> None:
    """Random notes in random batches, by runs that end and begin again: what is kept is what was noted last."""
    rng, expected = random.Random(4), dict[int, bytes]()
    for _ in range(12):
        with Writer(store) as writer:
            texts = TextWriter(writer)
            for _ in range(rng.randrange(4)):
                words = [b"", rng.randbytes(rng.randrange(1, 9)), b"the same"]
                notes = {page: rng.choice(words) for page in rng.sample(range(PAGES), 3)}
                commit(writer, texts, notes)
                expected |= notes
        assert kept(store) == {page: record for page, record in expected.items() if record}


def test_text_that_is_as_before_takes_no_room(store: Path) -> None:
    with Writer(store) as writer:
        texts = TextWriter(writer)
        commit(writer, texts, {0: b"one", 1: b"two"})
        before = text_path(store).read_bytes()
        commit(writer, texts, {0: b"one", 1: b"two"})
        assert text_path(store).read_bytes() == before
        commit(writer, texts, {1: b"TWO"})
    assert text_path(store).read_bytes() == before + b"TWO"
    assert kept(store) == {0: b"one", 1: b"TWO"}


def rounds(store: Path, number: int) -> None:
    """Three commits, each with a text for every page."""
    writer = Writer(store)
    texts = TextWriter(writer)
    for round_ in range(3):
        commit(writer, texts, {page: b"%d %d %d" % (number, round_, page) for page in range(PAGES)})


def test_every_text_is_kept_once_whenever_it_is_killed(store: Path) -> None:
    """A process notes texts and commits, and is killed at every step of writing, one after the other."""
    seen = set()
    for step in range(40):
        killed_at(step, ("pread", "pwrite", "fdatasync", "replace", "fsync", "open"), partial(rounds, store, step))
        with Writer(store) as writer:
            TextWriter(writer)
        records = kept(store)
        commits = {record.rpartition(b" ")[0] for record in records.values()}
        assert len(commits) <= 1
        assert len(records) in (0, PAGES)
        seen |= commits
        with open_store(store) as reader:
            size = text_path(store).stat().st_size if text_path(store).exists() else 0
            assert size == reader.texts.size or not reader.texts.size
    assert len(seen) > 3


def test_without_the_file_the_texts_are_given_up(store: Path, caplog: pytest.LogCaptureFixture) -> None:
    with Writer(store) as writer:
        commit(writer, TextWriter(writer), {0: b"one", 1: b"two"})
        text_path(store).unlink()
        texts = TextWriter(writer)
        assert caplog.messages == [f"{text_path(store)} is missing, and with it the texts of 2 pages"]
        commit(writer, texts, {1: b"TWO"})
    assert kept(store) == {1: b"TWO"}
