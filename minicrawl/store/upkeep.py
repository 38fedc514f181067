"""Store maintenance: backup, also while a crawl writes, compaction, and stores that take the place of others."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from minicrawl.errors import SettingError, StoreError
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.database import (
    beside,
    hold,
    is_held,
    logs,
    open_to_read,
    real_path,
    remove_files,
    size_of,
    store_errors,
    transaction,
)
from minicrawl.store.writer import Writer
from minicrawl.system import put_in_place

_OF_SOURCE = {"SQLITE_CORRUPT", "SQLITE_NOTADB"}
"""Errors that only the source can cause."""


def backup(store: Path, file: Path, *, force: bool = False) -> int:
    """Copy the last commit of a store to `file`, which appears whole or not at all. Returns its bytes.

    The copy is a store: it opens, resumes and can be checked. It is made in one step: a copy in several would begin
    again at every commit of a running crawl. force: replace an existing file.

    Raises StoreError, which names the one of the two that is at fault, and SettingError when `file` is there or is the
    store itself.
    """
    if file.exists():
        if store.exists() and file.samefile(store):
            raise SettingError(f"{file} is the store itself; name another file")
        if not force:
            raise SettingError(f"{file} already exists; name another file, or replace it with --force")
    with contextlib.closing(open_to_read(store)) as source, store_errors(file), replaced(file) as unfinished:
        unfinished.touch(store.stat().st_mode & 0o777)  # readable by the same users as the store
        with contextlib.closing(sqlite3.connect(unfinished)) as copy:
            try:
                source.backup(copy)
            except sqlite3.DatabaseError as error:
                with store_errors(store if error.sqlite_errorname in _OF_SOURCE else file):
                    raise
    return file.stat().st_size


@contextlib.contextmanager
def replaced(file: Path) -> Iterator[Path]:
    """The path at which the block writes a store that then takes the place of `file`.

    A block that fails leaves nothing. A kill leaves the store that was there or the new one. Raises StoreError if
    `file` is in use.
    """
    file = real_path(file)
    if is_held(file):
        raise StoreError(f"a crawl is using {file}; name another file")
    new = file.with_name(f".{file.name}.unfinished")
    left = (new, *logs(new))
    with hold(new):  # a second one to the same file fails
        try:
            remove_files(*left)  # of one that was killed
            with put_in_place(new, file):
                yield new
                with new.open("rb") as whole:
                    os.fsync(whole.fileno())
                remove_files(*logs(file))  # of the store that is replaced
        finally:
            remove_files(*left, beside(new, ".lock"))


def compact(store: Path, sizes: Sizes = STANDARD_SIZES) -> tuple[int, int]:
    """Rewrite the store without free space, and without texts that no page has. Returns its bytes before and after.

    Needs twice the store's size of free disk space. A crash leaves the store as it was. Raises StoreError, also while
    a crawl holds the store.
    """
    open_to_read(store).close()
    before = _bytes(store)
    with contextlib.closing(Writer(store, sizes)) as writer, writer.errors:
        with transaction(writer.db):
            writer.forget_old_texts()
        writer.db.execute("VACUUM")
    return before, _bytes(store)


def _bytes(store: Path) -> int:
    """Bytes of the file and its write-ahead log."""
    return size_of(store, logs(real_path(store))[0])
