"""Texts kept with the commits of a crawl; backup and compaction of the file that has them, see text_file.py.

Committed records never change, so a copy of a store, however old, needs only the part of the file that it knows of. A
rewritten file is renamed once the store has committed the new offsets; a reader in between finds it by its first line.
"""

import os
from itertools import islice
from pathlib import Path

from minicrawl import log
from minicrawl.errors import StoreError
from minicrawl.store.reader import open_store
from minicrawl.store.texts.reading import TextRow, TextVersion
from minicrawl.store.texts.text_file import HEAD, TextFile, first_line, text_path, unfinished
from minicrawl.store.writer import Writer
from minicrawl.system import sync_folder

_ROWS = 1_000


class TextWriter:
    """Collects the texts of pages for the next commit.

    Invariant: a page has a text if, and only if, its last turn brought one.
    """

    def __init__(self, writer: Writer) -> None:
        """Raises StoreError when the file of texts is not the one that the store knows."""
        self._path = text_path(writer.path)
        self._texts = writer.texts
        self._line = self._texts.line
        self._size = self._texts.size or HEAD
        self._changed: dict[int, bytes] = {}
        self._hidden: set[int] = set()
        if self._path.exists():
            with self._open() as file:
                file.cut(self._size)
        elif self._texts.size:
            log.event("texts-missing", file=str(self._path), pages=self._texts.count())
            with writer.transaction():
                writer.forget_texts()
                writer.save_meta({"text_size": 0})
            self._size = HEAD

    def note(self, page: int, record: bytes, *, hides: bool = False) -> None:
        """Note a page's turn. record: its packed text; empty if none is kept. hides: nor are earlier ones."""
        self._changed[page] = record
        if hides:
            self._hidden.add(page)

    def save(self, writer: Writer) -> None:
        """Write the texts and their offsets, within the transaction of the next commit."""
        if not self._changed:
            return
        rows, gone, replaced, records, at = [], [], list[int](), [], self._size
        with self._open() as file:
            for page, record in self._changed.items():
                before = self._texts.row(page)
                if before is not None and not record:
                    gone.append(page)
                elif record and (before is None or file.read(before.start, before.size) != record):
                    if before is not None:
                        replaced.append(page)
                    rows.append(TextRow(page, at, len(record)))
                    records.append(record)
                    at += len(record)
            if records:
                file.add(b"".join(records), self._size)
        writer.keep_first_texts([*replaced, *gone])
        writer.put(TextRow, rows)
        writer.remove(TextRow, ((page,) for page in gone))
        writer.forget_versions(self._hidden)
        writer.save_meta({"text_size": at})
        self._size = at
        self._changed.clear()
        self._hidden.clear()

    def _open(self) -> TextFile:
        return TextFile(self._path, self._line, writes=True)


def copy_texts(store: Path, copy: Path) -> None:
    """Copy the texts that `copy` of a store knows of beside it. Raises StoreError."""
    with open_store(copy) as reader:
        size, line = reader.texts.size, reader.texts.line
    if size:
        with TextFile(text_path(store), line) as source, text_path(copy).open("wb") as target:
            source.copy_to(target, 0, size)


def compact_texts(writer: Writer) -> None:
    """Rewrite the file of texts with those that the store knows. A crash leaves it as it was, or finished."""
    texts, path = writer.texts, text_path(writer.path)
    if not texts.size:
        return
    made = texts.made + 1
    new = unfinished(path)
    moved, versions = list[TextRow](), list[TextVersion]()
    end, before = HEAD, -1
    with TextFile(path, texts.line, writes=True) as source:
        source.cut(texts.size)
        rows = texts.rows()
        try:
            with new.open("wb") as target:
                target.write(first_line(writer.hash_key, made))
                while some := list(islice(rows, _ROWS)):
                    for page, at, start, size in some:
                        if start != before:
                            target.write(source.read(start, size))
                            before, end = start, end + size
                        if at is None:
                            moved.append(TextRow(page, end - size, size))
                        else:
                            versions.append(TextVersion(page, at, end - size, size))
                target.flush()
                os.fsync(target.fileno())
        except OSError as error:
            new.unlink(missing_ok=True)
            raise StoreError(f"{new} cannot be written: {error.strerror}; free some space and run again") from error
    with writer.transaction():
        writer.put(TextRow, moved)
        writer.put(TextVersion, versions)
        writer.save_meta({"text_size": end, "text_made": made})
    new.replace(path)
    sync_folder(path.parent)
