"""What a killed crawl leaves of its files: exactly what the store has committed.

The order is record, sync, commit: so the store never knows a record that is not on the disk, and what is behind the
size that the store has of a file belongs to no commit, be it whole or torn. It is cut off before anything is written.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from minicrawl.archive.writer import FILES
from minicrawl.errors import StoreError
from minicrawl.system import sync as sync_file
from minicrawl.system import sync_folder

_SLACK = 600.0


def sync(folder: Path, names: Iterable[str], new: Iterable[str]) -> None:
    """Let what was written to files reach the disk, and that the new ones are there. Raises StoreError."""
    try:
        for name in names:
            _synced(folder / FILES / name)
        if any(True for _ in new):
            sync_folder(folder / FILES)
    except OSError as error:
        raise StoreError(f"the archive at {folder} fails: {error.strerror}; see to its disk and run again") from error


def _synced(path: Path) -> None:
    handle = os.open(path, os.O_WRONLY)
    try:
        sync_file(handle)
    finally:
        os.close(handle)


class Committed(NamedTuple):
    """What a store knows of its files, whose names begin with `prefix`: their sizes, as of its last commit (Unix
    seconds)."""

    prefix: str
    sizes: Mapping[str, int]
    at: float

    def size(self, name: str) -> int | None:
        """Bytes of a file that are committed; None for one of somebody else."""
        return self.sizes.get(name, 0 if name.startswith(f"{self.prefix}-") else None)

    def fault(self, path: Path, status: os.stat_result) -> str | None:
        """Why a file of the store cannot be cut to what is committed, if it cannot."""
        size = self.size(path.name) or 0
        if status.st_size < size:
            return (
                f"{path} has {status.st_size} bytes, and the store knows of {size}; bring it back from a backup, or "
                "move it away to go on without it"
            )
        if status.st_size > size and status.st_mtime > self.at + _SLACK:
            return (
                f"{path} was written to after the last commit of this store, which must be an older copy: name another "
                "folder with --archive, or bring back the store that belongs to it"
            )
        return None


def cut(folder: Path, committed: Committed) -> int:
    """Cut the files of a store to their committed sizes; how many bytes that were.

    Raises StoreError, and leaves all as it is, where a file is shorter than was committed, or was written to long
    after: then the store is an old copy, and the archive knows more.
    """
    try:
        found = {path: path.stat() for path in (folder / FILES).glob(f"{committed.prefix}-*.warc.gz")}
        for path, status in found.items():
            if (fault := committed.fault(path, status)) is not None:
                raise StoreError(fault)
        sizes = {path: committed.size(path.name) or 0 for path in found}
        for path, size in sizes.items():
            if not size:  # also a file that was begun, and killed before anything was in it
                path.unlink()
            elif found[path].st_size > size:
                os.truncate(path, size)
    except OSError as error:
        raise StoreError(f"the archive at {folder} cannot be used: {error.strerror}; name another folder") from error
    return sum(found[path].st_size - size for path, size in sizes.items())
