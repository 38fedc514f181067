"""A backup of stores that are on several machines, and a partition that is taken from one machine to another.

1. the store is copied on its machine           cluster.json names the old one: what is there is the partition
2. the copy is brought to the other machine     the same
3. there it gets its name and next generation   the same
4. cluster.json names the new one               what is there is the partition; the old one is of a generation before
5. the old one is removed

All stores are locked meanwhile, each on its machine. Whoever dies in between leaves one store that cluster.json names.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

from minicrawl.cluster.backup import backup_all
from minicrawl.cluster.folder import Folder, Place, store_of
from minicrawl.cluster.machines.reading import MOST_BYTES, Call
from minicrawl.cluster.moving import check_is_partition, folder_of
from minicrawl.errors import MinicrawlError, SettingError, StoreError

Carriers = Mapping[str | None, Call]
"""Calls the Carrier of every machine, by its name; None: this one."""


def backup_between(folder: Folder, path: Path, carriers: Carriers, most_bytes: int = MOST_BYTES) -> Folder:
    """Copy all stores, wherever they are, as of one moment to a new folder of this machine; the copy, see backup_all.

    While all are held each machine copies its own; then they go on, and the copies are brought. most_bytes: of a part.
    """

    def copy(folder: Folder, unfinished: Path) -> None:
        by_machine = _by_machine(folder)
        with ExitStack() as stack:
            for name, numbers in by_machine.items():
                for number in numbers:
                    stack.callback(_dropped, carriers[name], folder.stores[number])
            with ThreadPoolExecutor(len(by_machine)) as pool, _all(folder, carriers, "hold"):
                each = pool.map(lambda name: _copied(carriers[name], folder, by_machine[name]), by_machine)
                files = {number: some for one in each for number, some in one.items()}
            for number, some in files.items():
                store = store_of(unfinished, number)
                carriers[None]("prepare", store, folder.cluster, number, None)
                source = carriers[folder.places[number].machine]
                _bring(source, carriers[None], (folder.stores[number], store), some, most_bytes)
                carriers[None]("keep", store, None)

    return backup_all(folder, path, copy=copy)


def move_between(  # noqa: PLR0913 - what is moved and where to, and by whom
    folder: Folder,
    number: int,
    target: Place,
    carriers: Carriers,
    check: Callable[[], None],
    most_bytes: int = MOST_BYTES,
) -> tuple[Folder, int]:
    """Take a partition to a folder of a machine, which is made where there is none; the crawl as it is then, and
    bytes that were brought.

    target: its generation is left aside. check: whether the stores are of one moment, once nobody may write to them;
    raises StoreError. most_bytes: of a part. Raises SettingError, StoreError: unless that says otherwise, the partition
    is where it was.
    """
    check_is_partition(folder, number)
    place, old = folder.places[number], folder.stores[number]
    changed = Place(_placed(folder, target), place.generation + 1, target.machine)
    new = store_of(folder.path / changed.folder, number)
    source, to = carriers[place.machine], carriers[target.machine]
    with _all(folder, carriers, "lock"), ExitStack() as stack:
        check()
        stack.callback(_dropped, source, old)
        to("prepare", new, folder.cluster, number, source("mark", old))
        files = source("copy", old)
        _bring(source, to, (old, new), files, most_bytes)
        to("keep", new, changed.generation)
        moved = folder.keep_place(number, changed)
        try:
            source("remove", old, place.generation)
        except MinicrawlError as error:
            raise StoreError(
                f"partition {number} is {new} on {target.machine or 'this machine'} now, but {old} could not be "
                f"removed from {place.machine or 'this machine'}: {error}"
            ) from error
    return moved, sum(size for _, size in files)


def _placed(folder: Folder, target: Place) -> str:
    """A folder as cluster.json names it."""
    if target.machine is None:
        return folder_of(folder, Path(target.folder))
    if not Path(target.folder).is_absolute():
        raise SettingError(f"{target.folder} is on another machine: give its path from the root on, /...")
    return os.path.normpath(target.folder)


def _by_machine(folder: Folder) -> Mapping[str | None, Sequence[int]]:
    """The partitions that each machine has."""
    found: dict[str | None, list[int]] = {}
    for number, place in enumerate(folder.places):
        found.setdefault(place.machine, []).append(number)
    return found


@contextmanager
def _all(folder: Folder, carriers: Carriers, how: str) -> Iterator[None]:
    """Let all partitions be held, or locked, as long as the block runs. Raises StoreError, also where one has died
    meanwhile that was held."""
    asked: list[Call] = []
    try:
        for name, numbers in _by_machine(folder).items():
            asked.append(carriers[name])
            carriers[name](how, folder, numbers)
        yield
    finally:
        errors = [error for carrier in asked if (error := _let_go(carrier)) is not None]
    for error in errors:
        raise error


def _let_go(carrier: Call) -> MinicrawlError | None:
    try:
        carrier("let_go")
    except MinicrawlError as error:
        return error
    return None


def _copied(carrier: Call, folder: Folder, numbers: Sequence[int]) -> Mapping[int, Sequence[tuple[str, int]]]:
    """Let a machine copy partitions; the files of each copy."""
    return {number: carrier("copy", folder.stores[number]) for number in numbers}


def _bring(source: Call, target: Call, stores: tuple[Path, Path], files: Sequence[tuple[str, int]], most: int) -> None:
    """Bring a copy from one machine to the other. stores: of which it is a copy, and what it is to become."""
    old, new = stores
    for ending, size in files:
        for start in range(0, size, most):
            target("write", new, ending, start, source("read", old, ending, start, most))


def _dropped(carrier: Call, store: Path) -> None:
    try:
        carrier("drop", store)
    except MinicrawlError:
        return  # its machine is away: the next copy replaces it
