"""The index's folder beside the store, which can be removed and rebuilt at any time.

words       the inverted index, see inverted.py
index.json  whose index it is, of which version, and how far it has followed the store

Documents are committed first. A kill before the file is written leaves an index that is further than it says.
"""

import contextlib
import json
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from minicrawl import installed
from minicrawl.errors import SettingError, StoreError
from minicrawl.store.database import beside, fault_of_disk, real_path
from minicrawl.system import check_replaceable, put_in_place

if TYPE_CHECKING:
    from minicrawl.search.inverted import InvertedIndex

ENDING = ".search"
VERSION = 7
_REPLACED = 6  # the version beside a store of schema 27: the texts of the upgraded store make its index anew
_STATE, _WORDS = "index.json", "words"
State = dict[str, int | float | str | None]
_NUMBERS = ("texts", "least")
"""What may be missing in it, and is a number otherwise."""


def index_path(store: Path) -> Path:
    """The path of a store's index."""
    return beside(real_path(store), ENDING)


def store_mark(hash_key: bytes) -> str:
    """The mark of a store. hash_key: no two stores share one."""
    return blake2b(hash_key, digest_size=16).hexdigest()


def write_state(path: Path, state: State) -> None:
    new = path / f"{_STATE}.new"
    with put_in_place(new, path / _STATE):
        new.write_text(json.dumps(state))


@contextlib.contextmanager
def index_errors(path: Path) -> Iterator[None]:
    """Turn errors of the disk and of the inverted index into a StoreError with a way out."""
    try:
        yield
    except OSError as error:
        raise StoreError(fault_of_disk(path, error) or _REBUILD.format(path=path, error=error)) from error
    except (ValueError, RecursionError, zlib.error) as error:  # of tantivy, or of what is not as it was written
        if "No space left" in str(error):
            raise StoreError(f"the disk of {path} is full; free some space and run again") from error
        raise _damaged(path, error) from error
    except BaseException as error:
        if type(error).__module__ == "pyo3_runtime":  # a panic of tantivy, which is not an Exception
            raise _damaged(path, error) from None
        raise


_REBUILD = "the index {path} cannot be used ({error}); 'minicrawl index --rebuild' rebuilds it"
_CAUSE = re.compile(r'message: "([^"]*)"')


def _damaged(path: Path, error: BaseException) -> StoreError:
    """The error of an index that cannot be read; with a cause if the system gave one, not in the words of tantivy."""
    if cause := _CAUSE.search(str(error)):
        return StoreError(_REBUILD.format(path=path, error=cause[1]))
    return StoreError(f"the index {path} is damaged; 'minicrawl index --rebuild' rebuilds it")


@contextlib.contextmanager
def hold_index(path: Path) -> Iterator[None]:
    """Hold the index's lock for writing, and clear away what a killed one has left.

    Raises StoreError if another process has the lock.
    """
    lock = FileLock(beside(path, ".lock"))
    with index_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            held = lock.acquire(timeout=0)
        except Timeout as error:
            raise StoreError(f"another process is writing the index {path}; wait for it") from error
    with held:
        with index_errors(path):
            remove_index(beside(path, ".new"))
        yield


def open_index(path: Path, mark: str, *, writes: bool = False) -> "InvertedIndex":
    """Open the index at `path`. mark: of its store. writes: a missing index is made, and one of version 6 made anew.

    Raises SettingError if it is missing, StoreError if it cannot be used.
    """
    try:
        import tantivy  # noqa: F401, PLC0415 - a search alone needs it
    except ImportError as error:
        raise SettingError(f"a search needs tantivy; run: {installed.adding('search')}") from error
    if writes:
        with index_errors(path):
            if not path.exists():
                _make(path, mark)
    elif not path.exists():
        raise SettingError(f"there is no index at {path} yet; 'minicrawl index' builds it from the texts of the store")
    if not all((path / part).is_file() for part in (_STATE, f"{_WORDS}/meta.json")):
        raise StoreError(f"{path} is not an index of this version; 'minicrawl index --rebuild' rebuilds it")
    with index_errors(path):
        state: State = json.loads((path / _STATE).read_bytes())
        if not isinstance(state, dict) or not all(_is_number(state.get(key) or 0) for key in _NUMBERS):
            raise ValueError(f"{_STATE} is not as it was written")
    if writes and (state.get("version"), state.get("store")) == (_REPLACED, mark):
        remove_index(path)
        return open_index(path, mark, writes=True)
    if state.get("version") != VERSION:
        raise StoreError(f"{path} was made by another version; 'minicrawl index --rebuild' rebuilds it")
    if state.get("store") != mark:
        raise StoreError(
            f"{path} is the index of another store; 'minicrawl index --rebuild' builds the one of this store"
        )
    return _opened(path, state, writes=writes)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """The path of a new index, which replaces the one at `path` if the block succeeds. Hold the index meanwhile.

    Whoever has the old one open keeps reading it.
    """
    try:
        check_replaceable(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be replaced by an index: {error.strerror}; move it away") from error
    new = beside(path, ".new")
    yield new
    remove_index(path)
    with index_errors(path):
        new.replace(path)


def remove_index(path: Path) -> None:
    """Remove an index, whatever its state."""
    with index_errors(path):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)  # of versions whose index was a file


def _is_number(value: object) -> bool:
    """True for a number that an index may say of itself, so not for an infinite one."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 2**63


def _opened(path: Path, state: State, *, writes: bool) -> "InvertedIndex":
    from minicrawl.search.inverted import InvertedIndex  # noqa: PLC0415 - see open_index

    with index_errors(path):
        if writes or os.access(path / _WORDS, os.W_OK):
            return InvertedIndex(path, path / _WORDS, state, writes=writes)
        # tantivy writes a lock where it reads; in a folder that cannot be written it gets links to the files.
        with tempfile.TemporaryDirectory() as linked:
            for file in (path / _WORDS).iterdir():
                if not file.name.endswith(".lock"):
                    (Path(linked) / file.name).symlink_to(file)
            return InvertedIndex(path, Path(linked), state)


def _make(path: Path, mark: str) -> None:
    """Make an empty index, which gets its name when complete."""
    with replacing(path) as new:
        remove_index(new)
        (new / _WORDS).mkdir(parents=True)
        state: State = {"version": VERSION, "store": mark}
        write_state(new, state)
        _opened(new, state, writes=True).close()
