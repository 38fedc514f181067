"""Backup and compaction of the file of texts.

Committed records never change, so a copy of a store, however old, needs only the part of the file that it knows of. A
rewritten file is renamed once the store has committed the new offsets; a reader in between finds it by its first line.
"""

import os
from itertools import islice
from pathlib import Path

from minicrawl.errors import StoreError
from minicrawl.store.reader import Store, open_store
from minicrawl.store.texts.reading import TextRow, TextVersion
from minicrawl.store.texts.text_file import HEAD, TextFile, first_line, text_path, unfinished
from minicrawl.store.writer import Writer
from minicrawl.system import sync_folder

_ROWS = 1_000


def copy_texts(store: Path, copy: Path) -> None:
    """Copy the texts that `copy` of a store knows of beside it. Raises StoreError."""
    with open_store(copy) as reader:
        size, line = reader.texts.size, _line(reader)
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
    with TextFile(path, _line(writer), writes=True) as source:
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


def _line(store: Store) -> bytes:
    return first_line(store.hash_key, store.texts.made)
