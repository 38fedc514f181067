"""The files of a crawl in partitions: a folder with a store for each, and cluster.json for all of them.

000.db, 001.db ...  the stores of this machine
cluster.json        {"version": 3, "cluster": id, "partitions": 4, "secret": key of the hash that tells homes,
                    "seeds": [...], "settings": {...}, "nodes": {"1": "10.0.0.2", ...}}

crawl.lock          held by the command that crawls, and by those that need the crawl at rest

version     of this file: another one is refused
nodes       of partitions on other machines: their stores are in a folder of the same path there

minicrawl.cluster.folder writes it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout

from minicrawl.errors import StoreError
from minicrawl.settings.crawl import in_full
from minicrawl.store.database import is_held, store_errors
from minicrawl.store.reader import Store, open_store
from minicrawl.system import raise_open_files

FILE, VERSION = "cluster.json", 3
MOST = 1_024
"""Maximum number of partitions that a folder may have."""
_FILES_OF_A_STORE, _OTHER_FILES = 4, 64
_LOCK, _LOOK = "crawl.lock", 0.2
"""Lock of a whole crawl; seconds to wait for it."""


def is_folder(store: Path) -> bool:
    """True if a store is the folder of a crawl in partitions."""
    return (store / FILE).is_file()


@dataclass(frozen=True)
class PartitionFolder:
    """A crawl in partitions. cluster: an id that its stores share. secret: key of the hash that tells homes.

    settings: of the last run; {} before the first one. nodes: address of the Ray node of each partition that is not on
    the machine of cluster.json.
    """

    path: Path
    cluster: str
    secret: bytes
    partitions: int
    settings: Mapping[str, object]
    seeds: tuple[str, ...] = ()
    """All seeds that the crawl ever had."""
    ray: str | None = None
    """Address of the Ray cluster, where partitions are on several machines."""
    nodes: Mapping[int, str] = field(default_factory=dict)

    @property
    def settings_in_full(self) -> dict[str, object]:
        """The settings with absolute paths, as CrawlSettings takes them."""
        return in_full(self.settings, self.path)

    @property
    def stores(self) -> list[Path]:
        return list(map(self.store, range(self.partitions)))

    def store(self, number: int) -> Path:
        return store_of(self.path.absolute() if number in self.nodes else self.path, number)

    @property
    def made(self) -> Sequence[int]:
        """Partitions of this machine, rising."""
        return [number for number in range(self.partitions) if number not in self.nodes]

    @property
    def is_in_use(self) -> bool:
        """True if a crawl writes to any of the stores right now."""
        return any(is_held(self.store(number)) for number in self.made)

    @contextmanager
    def opened(self) -> Iterator[Sequence[Store]]:
        """The read side of all stores, each as of one commit. Raises StoreError, also where one is on another
        machine."""
        self.check_is_here()
        with self.opened_some(self.made) as stores:
            yield stores

    @contextmanager
    def opened_some(self, numbers: Sequence[int]) -> Iterator[Sequence[Store]]:
        """The read side of some partitions, which are on this machine. Raises StoreError."""
        raise_open_files(_FILES_OF_A_STORE * len(numbers) + _OTHER_FILES)
        with ExitStack() as stack:
            stores = []
            for number in numbers:
                self.check_is_there(number)
                store = stack.enter_context(open_store(self.store(number)))
                store.pin()
                self.check_is_current(number, store)
                stores.append(store)
            yield stores

    def check_is_here(self) -> None:
        """Raise StoreError where a partition is on another machine."""
        for number, node in self.nodes.items():
            raise StoreError(
                f"partition {number} is on node {node}, and this needs all stores on one machine; "
                f'while the crawl rests, copy its files to {self.path} here, and empty "nodes" in {FILE}'
            )

    def check_is_current(self, number: int, store: Store) -> None:
        """Raise StoreError for a store that is not this partition."""
        if (store.meta("cluster"), store.meta("partition")) != (self.cluster, number):
            raise StoreError(f"{store.path} is not partition {number} of this crawl; restore all from one backup")

    def check_is_there(self, number: int) -> None:
        """Raise StoreError for a partition of this machine without a store."""
        store = self.store(number)
        if store.exists() and store.stat().st_size:
            return
        if not self.settings:
            raise StoreError(f"the crawl in {self.path} was ended before its first run began; crawl again")
        raise StoreError(
            f"{store} is missing or empty, which has a part of the crawl; mount its disk, or restore all from one "
            "backup"
        )


@contextmanager
def taken(path: Path) -> Iterator[None]:
    """Hold the lock of a whole crawl while the block runs: its command does, and those that need it at rest. Raises
    StoreError if another process has it."""
    lock = FileLock(path / _LOCK)
    with store_errors(path / _LOCK):
        try:
            lock.acquire(timeout=_LOOK)
        except Timeout as error:
            raise StoreError(
                f"another crawl is using {path}; wait for it, or name another folder with --store"
            ) from error
    try:
        yield
    finally:
        lock.release()


def store_of(folder: Path, number: int) -> Path:
    return folder / f"{number:03}.db"


def files_of(path: Path) -> list[Path]:
    """The files on this machine of the store at `path`, a file or a folder of partitions. Raises StoreError."""
    if not path.is_dir():
        return [path]
    folder = folder_at(path)
    return [folder.store(number) for number in folder.made]


def folder_at(path: Path) -> PartitionFolder:
    """The crawl in a folder. Raises StoreError where there is none, or it is not whole."""
    file = path / FILE
    try:
        kept = json.loads(file.read_text("utf-8"))
        if kept["version"] != VERSION:
            raise StoreError(f"{file} is of version {kept['version']}, and this minicrawl reads {VERSION}; crawl anew")
        partitions = int(kept["partitions"])
        if not 0 < partitions <= MOST:
            raise ValueError(f"it has {partitions} partitions, not 1 to {MOST}")
        nodes = {int(number): str(node) for number, node in kept["nodes"].items()}
        if strange := [number for number in nodes if not 0 <= number < partitions]:
            raise ValueError(f"it has a node of partition {strange[0]}, and {partitions} partitions")
        secret, settings = bytes.fromhex(kept["secret"]), dict(kept["settings"])
        seeds = tuple(map(str, kept["seeds"]))
        return PartitionFolder(path, str(kept["cluster"]), secret, partitions, settings, seeds, kept.get("ray"), nodes)
    except NotADirectoryError as error:
        raise StoreError(f"{path} is a file, and a crawl in partitions has a folder; name that with --store") from error
    except FileNotFoundError as error:
        raise StoreError(
            f"there is no crawl in partitions at {path}; 'minicrawl crawl SEEDS --partitions N --store {path}' begins "
            "one"
        ) from error
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror}; name another folder with --store") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{file} is damaged: {error}; restore the folder from a backup") from error
