"""Back up stores on several machines, and move a partition from one machine to another.

1. the store is copied on its machine           cluster.json names the old store: the partition
2. the copy is transferred to the new machine   the same
3. it gets the store's name, next generation    the same
4. cluster.json names the new store             the partition; the old store has the previous generation
5. the old store is removed

    001.db  -> .001.db.leaving     a copy as of one commit beside the store, until all of it was fetched
    001.db <-  .001.db.arriving    the bytes received so far; renamed to the store once complete

Each may have its texts in a file of its name and ".text". All stores are locked meanwhile, each on its machine. After a
kill cluster.json still names exactly one store; the next copy of the partition replaces any leftovers.
"""

import os
import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar  # Any: messages

from minicrawl.cluster.backup import backup_all, held
from minicrawl.cluster.folder import Folder, locked
from minicrawl.cluster.moving import check_is_partition, check_replaceable, folder_of, remove
from minicrawl.errors import MinicrawlError, SettingError, StoreError
from minicrawl.store.database import beside
from minicrawl.store.partitions.folder import Place, store_of
from minicrawl.store.reader import open_store
from minicrawl.store.texts.text_file import ENDING
from minicrawl.store.upkeep import backup, put_in_place

MOST_BYTES = 8 * 2**20
"""Maximum bytes of a part of a file."""
Call = Callable[..., Any]
"""Calls a method of a machine's `Remote` by name, and returns its result. Raises MinicrawlError."""
Carriers = Mapping[str | None, Call]
"""Calls by machine; None: this machine."""
Context = AbstractContextManager[None]
_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


class Remote:
    """Runs functions of minicrawl on another machine. Its locks are released when its process ends."""

    def __init__(self) -> None:
        self._entered = ExitStack()

    def call(self, function: Callable[_Given, _Answer], *given: _Given.args, **named: _Given.kwargs) -> _Answer:
        try:
            return function(*given, **named)
        except OSError as error:
            raise StoreError(f"{error.filename or 'a file'} cannot be used: {error.strerror or error}") from error

    def enter(self, context: Callable[_Given, Context], *given: _Given.args, **named: _Given.kwargs) -> None:
        """Enter a context, to be left by `leave`."""
        self._entered.enter_context(context(*given, **named))

    def leave(self) -> None:
        """Leave all contexts. Raises the exceptions of their exits."""
        self._entered.close()


def backup_between(folder: Folder, path: Path, carriers: Carriers, most_bytes: int = MOST_BYTES) -> Folder:
    """Copy all stores as of one moment to a new folder of this machine; returns the copy, see backup_all.

    Each machine copies its own stores while all are held; after that the crawl goes on, and the copies are transferred.
    most_bytes: per part.
    """

    def copy(folder: Folder, unfinished: Path) -> None:
        by_machine = _by_machine(folder)
        with ExitStack() as stack:
            for name, numbers in by_machine.items():
                for number in numbers:
                    stack.callback(_dropped, carriers[name], folder.store(number))
            with ThreadPoolExecutor(len(by_machine)) as pool, _all(folder, carriers, held):
                each = pool.map(lambda name: _copied(carriers[name], folder, by_machine[name]), by_machine)
                files = {number: some for one in each for number, some in one.items()}
            for number, some in files.items():
                store = store_of(unfinished, number)
                carriers[None]("call", prepare, store, folder.cluster, number, None)
                source = carriers[folder.places[number].machine]
                _bring(source, carriers[None], (folder.store(number), store), some, most_bytes)
                carriers[None]("call", keep, store, None)

    return backup_all(folder, path, copy=copy)


def move_between(  # noqa: PLR0913 - a partition, its target, the carriers
    folder: Folder,
    number: int,
    target: Place,
    carriers: Carriers,
    check: Callable[[], None],
    most_bytes: int = MOST_BYTES,
) -> tuple[Folder, int]:
    """Move a partition to a folder of a machine, made if missing. Returns the updated crawl, and the bytes moved.

    target: its generation is ignored. check: raises StoreError if the stores, now locked, are of different moments.
    most_bytes: per part. Raises SettingError, StoreError; the partition stays in its old place unless the error says
    otherwise.
    """
    check_is_partition(folder, number)
    place, old = folder.places[number], folder.store(number)
    changed = Place(_placed(folder, target), place.generation + 1, target.machine)
    new = store_of(folder.path / changed.folder, number)
    source, to = carriers[place.machine], carriers[target.machine]
    with _all(folder, carriers, locked_some), ExitStack() as stack:
        check()
        stack.callback(_dropped, source, old)
        to("call", prepare, new, folder.cluster, number, source("call", mark, old))
        files = source("call", copied, old)
        _bring(source, to, (old, new), files, most_bytes)
        to("call", keep, new, changed.generation)
        moved = folder.keep_place(number, changed)
        try:
            source("call", remove_left, old, place.generation)
        except MinicrawlError as error:
            raise StoreError(
                f"partition {number} is {new} on {target.machine or 'this machine'} now, but {old} could not be "
                f"removed from {place.machine or 'this machine'}: {error}"
            ) from error
    return moved, sum(size for _, size in files)


def _placed(folder: Folder, target: Place) -> str:
    """The target folder in the form of cluster.json."""
    if target.machine is None:
        return folder_of(folder, Path(target.folder))
    if not Path(target.folder).is_absolute():
        raise SettingError(f"{target.folder} is on another machine: give its path from the root on, /...")
    return os.path.normpath(target.folder)


def _by_machine(folder: Folder) -> Mapping[str | None, Sequence[int]]:
    """Partitions by machine."""
    found: dict[str | None, list[int]] = {}
    for number, place in enumerate(folder.places):
        found.setdefault(place.machine, []).append(number)
    return found


@contextmanager
def _all(folder: Folder, carriers: Carriers, context: Callable[..., Context]) -> Iterator[None]:
    """Hold all partitions while the block runs, on each machine by a context. Raises StoreError, also if a partition
    died meanwhile."""
    asked: list[Call] = []
    try:
        for name, numbers in _by_machine(folder).items():
            asked.append(carriers[name])
            carriers[name]("enter", context, folder, numbers)
        yield
    finally:
        errors = [error for carrier in asked if (error := _let_go(carrier)) is not None]
    for error in errors:
        raise error


def _let_go(carrier: Call) -> MinicrawlError | None:
    try:
        carrier("leave")
    except MinicrawlError as error:
        return error
    return None


def _copied(carrier: Call, folder: Folder, numbers: Sequence[int]) -> Mapping[int, Sequence[tuple[str, int]]]:
    """Copy partitions on their machine. Returns the files of each copy."""
    return {number: carrier("call", copied, folder.store(number)) for number in numbers}


def _bring(source: Call, target: Call, stores: tuple[Path, Path], files: Sequence[tuple[str, int]], most: int) -> None:
    """Transfer a copy between machines. stores: paths of the original and of the new store."""
    old, new = stores
    for ending, size in files:
        for start in range(0, size, most):
            target("call", write_part, new, ending, start, source("call", read_part, old, ending, start, most))


def _dropped(carrier: Call, store: Path) -> None:
    try:
        carrier("call", drop, store)
    except MinicrawlError:
        return  # the machine is unreachable: the next copy replaces this one


# Functions that run on the machine of a store.


@contextmanager
def locked_some(folder: Folder, numbers: Sequence[int]) -> Iterator[None]:
    """Lock the stores of some partitions."""
    with locked([folder.store(number) for number in numbers]):
        yield


def mark(store: Path) -> str:
    """Mark the folder of a store, so that other machines and paths recognise it. Returns the mark."""
    _unlink(_leaving(store))
    drawn = secrets.token_hex(16)
    _mark_of(store).write_text(drawn, "ascii")
    return drawn


def copied(store: Path) -> list[tuple[str, int]]:
    """Copy a store as of one commit. Returns name endings and sizes in bytes of the copy's files."""
    backup(store, _leaving(store), force=True)
    files = [(ending, beside(_leaving(store), ending)) for ending in ("", ENDING)]
    return [(ending, file.stat().st_size) for ending, file in files if file.exists()]


def read_part(store: Path, ending: str, start: int, size: int) -> bytes:
    """Read bytes of a file of the copy."""
    with beside(_leaving(store), ending).open("rb") as file:
        file.seek(start)
        return file.read(size)


def drop(store: Path) -> None:
    """Remove the copy."""
    _unlink(_leaving(store))


def prepare(store: Path, cluster: str, number: int, mark: str | None) -> None:
    """Make room for an incoming store. mark: of its present folder."""
    if mark is not None and _mark_of(store).exists() and _mark_of(store).read_text("ascii") == mark:
        raise SettingError(f"partition {number} is in {store.parent} already, which its machine has, too")
    check_replaceable(cluster, number, store)
    store.parent.mkdir(parents=True, exist_ok=True)
    _unlink(_arriving(store))


def write_part(store: Path, ending: str, start: int, some: bytes) -> None:
    """Write bytes of an incoming file."""
    file = beside(_arriving(store), ending)
    file.touch(mode=0o600)  # the copy must be no more readable than the store
    with file.open("r+b") as target:
        target.seek(start)
        target.write(some)


def keep(store: Path, generation: int | None) -> None:
    """Rename an incoming copy to the store, and set its generation. None: unchanged."""
    put_in_place(_arriving(store), store, generation)
    _unlink(_arriving(store))


def remove_left(store: Path, generation: int) -> None:
    """Remove a store that was moved away, if it has this generation."""
    with open_store(store) as found:
        is_left = int(found.meta("generation") or 0) == generation
    if is_left:
        remove(store)


def _leaving(store: Path) -> Path:
    return store.with_name(f".{store.name}.leaving")


def _arriving(store: Path) -> Path:
    return store.with_name(f".{store.name}.arriving")


def _mark_of(store: Path) -> Path:
    return beside(_leaving(store), ".mark")


def _unlink(store: Path) -> None:
    """Remove a copy with all files beside it, also those left by a killed command."""
    for pattern in (f"{store.name}*", f".{store.name}*"):
        for file in store.parent.glob(pattern):
            file.unlink(missing_ok=True)
