"""Back up stores on several machines.

1. each machine copies its stores, while all are held     001.db -> .001.db.leaving, beside the store
2. the copies are brought to the machine of the backup, part by part, while the crawl goes on

A copy goes once it was brought. The next backup replaces one that a kill has left. Each may have its texts in a file of
its name and ".text".
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar  # Any: messages

from minicrawl.cluster.backup import backup_all, held
from minicrawl.cluster.folder import Folder
from minicrawl.errors import MinicrawlError, StoreError
from minicrawl.store.database import beside
from minicrawl.store.partitions.folder import store_of
from minicrawl.store.texts.text_file import ENDING
from minicrawl.store.upkeep import backup

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
            with ThreadPoolExecutor(len(by_machine)) as pool, _all_held(folder, carriers):
                each = pool.map(lambda name: _copied(carriers[name], folder, by_machine[name]), by_machine)
                files = {number: some for one in each for number, some in one.items()}
            for number, some in files.items():
                source = carriers[folder.nodes.get(number)]
                _bring(source, folder.store(number), store_of(unfinished, number), some, most_bytes)

    return backup_all(folder, path, copy=copy)


def _by_machine(folder: Folder) -> Mapping[str | None, Sequence[int]]:
    """Partitions by machine."""
    found: dict[str | None, list[int]] = {}
    for number in range(folder.partitions):
        found.setdefault(folder.nodes.get(number), []).append(number)
    return found


@contextmanager
def _all_held(folder: Folder, carriers: Carriers) -> Iterator[None]:
    """Hold all partitions while the block runs. Raises StoreError, also if one died meanwhile."""
    asked: list[Call] = []
    try:
        for name, numbers in _by_machine(folder).items():
            asked.append(carriers[name])
            carriers[name]("enter", held, folder, numbers)
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


def _bring(source: Call, old: Path, new: Path, files: Sequence[tuple[str, int]], most: int) -> None:
    """Bring a copy of the store `old` of a machine here."""
    for ending, size in files:
        beside(new, ending).touch(mode=0o600)  # no more readable than the store
        with beside(new, ending).open("wb") as target:
            for start in range(0, size, most):
                target.write(source("call", read_part, old, ending, start, most))


def _dropped(carrier: Call, store: Path) -> None:
    try:
        carrier("call", drop, store)
    except MinicrawlError:
        return  # the machine is unreachable: the next copy replaces this one


# Functions that run on the machine of a store.


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
    """Remove the copy, with all files beside it, also those left by a killed command."""
    for pattern in (f"{_leaving(store).name}*", f".{_leaving(store).name}*"):
        for file in store.parent.glob(pattern):
            file.unlink(missing_ok=True)


def _leaving(store: Path) -> Path:
    return store.with_name(f".{store.name}.leaving")
