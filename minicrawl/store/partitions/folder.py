"""The files of a crawl in partitions: a folder with a store for each, and cluster.json for all of them.

000.db, 001.db ...  the stores, but for those that were moved elsewhere
cluster.json        {"version": 1, "cluster": id, "partitions": 4, "secret": key of the hash that tells homes,
                    "settings": {...}, "places": [{"folder": ".", "generation": 0}, ...]}

version     of this file, 1 if missing: an older minicrawl refuses a higher one
generation  grows each time a partition is moved, in cluster.json and in the store: a copy with another generation is
            stale

minicrawl.cluster.folder writes it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from minicrawl.errors import StoreError
from minicrawl.settings import in_full
from minicrawl.store.database import is_held

if TYPE_CHECKING:
    from minicrawl.store.reader import Store

FILE, VERSION = "cluster.json", 1


def is_folder(store: Path) -> bool:
    """True if a store is the folder of a crawl in partitions."""
    return (store / FILE).is_file()


@dataclass(frozen=True)
class Place:
    """The location of a partition's store.

    folder: relative to that of cluster.json, or absolute. machine: IP address of its Ray node; None: the one that has
    cluster.json.
    """

    folder: str = "."
    generation: int = 0
    machine: str | None = None


@dataclass(frozen=True)
class PartitionFolder:
    """A crawl in partitions. cluster: an id that its stores share. secret: key of the hash that tells homes.

    places: of all partitions, by their numbers. settings: of the last run; {} before the first one.
    """

    path: Path
    cluster: str
    secret: bytes
    places: tuple[Place, ...]
    settings: Mapping[str, object]
    ray: str | None = None
    """Address of the Ray cluster, where partitions are on several machines."""

    @property
    def settings_in_full(self) -> dict[str, object]:
        """The settings with absolute paths, as CrawlSettings takes them."""
        return in_full(self.settings, self.path)

    @property
    def stores(self) -> list[Path]:
        return [store_of(self.path / place.folder, number) for number, place in enumerate(self.places)]

    @property
    def here(self) -> Sequence[int]:
        """Partitions whose stores are on this machine."""
        return [number for number, place in enumerate(self.places) if place.machine is None]

    @property
    def machines(self) -> Sequence[str]:
        """Other machines that have partitions."""
        return sorted({place.machine for place in self.places if place.machine is not None})

    @property
    def is_in_use(self) -> bool:
        """True if a crawl writes to any of the stores right now."""
        return any(map(is_held, self.stores))

    @contextmanager
    def opened(self) -> "Iterator[Sequence[Store]]":
        """The read side of all stores, each as of one commit. Raises StoreError, also where one is on another
        machine."""
        self.check_is_here()
        with self.opened_some(range(len(self.places))) as stores:
            yield stores

    @contextmanager
    def opened_some(self, numbers: Sequence[int]) -> "Iterator[Sequence[Store]]":
        """The read side of some partitions, which are on this machine."""
        stores = self.open(numbers)
        try:
            yield stores
        finally:
            for store in stores:
                store.close()

    def open(self, numbers: Sequence[int]) -> "list[Store]":
        """The read side of some partitions, to be closed one by one."""
        from minicrawl.store.reader import open_file  # noqa: PLC0415 - it opens folders, too

        paths = self.stores
        with ExitStack() as stack:
            stores = [stack.enter_context(open_file(paths[number])) for number in numbers]
            for number, store in zip(numbers, stores, strict=True):
                store.pin()
                self.check_is_current(number, store)
            stack.pop_all()
            return stores

    def check_is_here(self) -> None:
        """Raise StoreError where a partition is on another machine."""
        for number, place in enumerate(self.places):
            if place.machine is not None:
                raise StoreError(
                    f"partition {number} is on node {place.machine}, and this needs all stores on one machine; "
                    f"'minicrawl backup DIR --store {self.path}' brings a copy of all here"
                )

    def check_is_current(self, number: int, store: "Store") -> None:
        """Raise StoreError for a store that is not this partition, or a copy of it from before or after a move."""
        if (store.meta("cluster"), store.meta("partition")) != (self.cluster, number):
            raise StoreError(f"{store.path} is not partition {number} of this crawl; restore all from one backup")
        found, kept = int(store.meta("generation") or 0), self.places[number].generation
        if found != kept:
            raise StoreError(
                f"{store.path} is generation {found} of partition {number}, and {self.path / FILE} names generation "
                f"{kept}: the partition was moved since one of them was copied; restore all from one backup"
            )


def store_of(folder: Path, number: int) -> Path:
    return folder / f"{number:03}.db"


def files_of(path: Path) -> list[Path]:
    """The files on this machine of the store at `path`, a file or a folder of partitions. Raises StoreError."""
    if not path.is_dir():
        return [path]
    folder = folder_at(path)
    return [folder.stores[number] for number in folder.here]


def folder_at(path: Path) -> PartitionFolder:
    """The crawl in a folder. Raises StoreError where there is none, or it is not whole."""
    file = path / FILE
    try:
        kept = json.loads(file.read_text("utf-8"))
        if (version := int(kept.get("version", VERSION))) > VERSION:
            raise StoreError(
                f"{file} was written by a newer minicrawl (version {version}, this one reads {VERSION}); upgrade"
            )
        partitions = int(kept["partitions"])
        before_places = [asdict(Place())] * partitions  # when all stores were in the folder
        places = tuple(
            Place(str(place["folder"]), int(place["generation"]), place.get("machine"))
            for place in kept.get("places", before_places)
        )
        if len(places) != partitions:
            raise ValueError(f"it has {len(places)} places for {partitions} partitions")
        secret, settings = bytes.fromhex(kept["secret"]), dict(kept["settings"])
        folder = PartitionFolder(path, str(kept["cluster"]), secret, places, settings, kept.get("ray"))
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
    for store, place in zip(folder.stores, folder.places, strict=True):
        if place.machine is None and not (store.exists() and store.stat().st_size):
            raise StoreError(
                f"{store} is missing or empty, which has a part of the crawl; mount its disk, or restore all from "
                "one backup"
            )
    return folder
