"""Texts that commits keep: which, and how often."""

import random
from pathlib import Path

import pytest
from support.sites import crawl, faults_in, rows
from support.stored_pages import add_pages

from minicrawl.store.reader import open_store
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
        for notes in ({0: b"one", 1: b"two"}, {0: b"one", 1: b"two"}, {1: b"TWO"}):
            commit(writer, texts, notes)
    assert rows(store, "SELECT id, packed FROM text_records") == [(1, b"one"), (4, b"two"), (7, b"TWO")]
    assert kept(store) == {0: b"one", 1: b"TWO"}


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        ("UPDATE texts SET text = text + 1 WHERE page = 0", "1 numbers in texts.text are of no row of text_records"),
        ("UPDATE text_records SET packed = x'78' WHERE id = 1", "the kept text of number 1 is damaged"),
        ("UPDATE meta SET value = 'x' WHERE key = 'text_size'", "meta.text_size is 'x', which is not valid"),
    ],
)
def test_check_finds_what_is_wrong(tmp_path: Path, damage: str, sentence: str) -> None:
    path, home = tmp_path / "crawl.db", "http://a.test/"
    crawl({home: ["<h1>Welcome</h1>", "/x"], f"{home}x": ["<p>words of x</p>"]}, path, [home], text=True)
    rows(path, damage)
    assert any(found.startswith(sentence) for found in faults_in(path))
