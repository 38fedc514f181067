"""A store that commits at random, and its replica in another folder; what is lost between them is up to the test."""

import contextlib
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from support.stored_pages import add_pages

from minicrawl.store.replicas.receiving import Part, Replica
from minicrawl.store.replicas.sending import Sender
from minicrawl.store.texts.copying import compact_texts
from minicrawl.store.texts.text_file import text_path
from minicrawl.store.texts.writing import TextWriter
from minicrawl.store.writer import Writer

LOG, PART = 300_000, 30_000
"""Bytes of the log before a checkpoint, and of a part of it: both come often."""


def dump(store: Path) -> list[str]:
    """All that is in a store but its generation, and the committed bytes of its texts."""
    with contextlib.closing(sqlite3.connect(store)) as db:
        assert db.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows = [line for line in db.iterdump() if "VALUES('generation'" not in line]
        (size,) = db.execute("SELECT max(value) FROM (SELECT value FROM meta WHERE key = 'text_size' UNION SELECT 0)")
    return [*rows, text_path(store).read_bytes()[: size[0]].hex() if size[0] else ""]


def taken_over(replica: Path, copy: Path, generation: int = 1) -> list[str]:
    """What a replica holds once it has taken over, in a copy of its folder."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(replica.parent, copy)
    Replica(copy / replica.name).take_over(generation)
    assert {file.name for file in copy.iterdir()} <= {replica.name, text_path(replica).name}, "nothing is left over"
    return dump(copy / replica.name)


def bring(parts: Iterable[Part], replica: Replica) -> None:
    for part in parts:
        assert replica.take(part) == part.number


def connect(writer: Writer, replica: Replica) -> Sender:
    """A new session, with all that the replica lacks by now."""
    sender = Sender(writer, LOG, PART)
    if not sender.goes_on(replica.begin(sender.session, sender.generation)):
        bring(sender.copy(replica.digests()), replica)
    bring(sender.news(), replica)
    return sender


class Source:
    """The store, with texts."""

    def __init__(self, path: Path, chance: random.Random) -> None:
        self.path = path
        self._chance = chance
        self._open()

    def _open(self) -> None:
        self.writer = Writer(self.path)
        self._texts = TextWriter(self.writer)

    def begin_again(self) -> None:
        """End the run, and begin another."""
        self.writer.close()
        self._open()

    def compact(self) -> None:
        """Rewrite the texts."""
        compact_texts(self.writer)
        self._texts = TextWriter(self.writer)

    def commit(self, news: Callable[[], None] = lambda: None) -> None:
        """Two commits: some pages, then the texts of some. news: done after each."""
        chance, size = self._chance, self.writer.size()
        count = chance.choice([1, 5, 40, 300])
        for page in range(size):
            if chance.random() < 3 / (size + 1):
                self._texts.note(page, chance.choice([b"", chance.randbytes(chance.choice([10, 3_000]))]))
        urls = [f"http://a.test/{chance.random()}" for _ in range(count)]
        self.writer.on_committed = news
        try:
            add_pages(self.writer, urls, first=size)
            with self.writer.transaction():
                self._texts.save(self.writer)
        finally:
            self.writer.on_committed = lambda: None


@contextlib.contextmanager
def source_at(path: Path, chance: random.Random) -> Iterator[Source]:
    source = Source(path, chance)
    try:
        yield source
    finally:
        source.writer.close()
