"""The folder of a crawl in partitions: a store for each, and cluster.json, which says what they have in common.

000.db, 001.db ...  the stores, but for those that were moved elsewhere
cluster.json        {"version": 1, "cluster": id, "partitions": 4, "secret": key of the hash that tells homes,
                    "settings": {...}, "places": [{"folder": ".", "generation": 0}, ...]}

version     of this file, 1 also where it says none: a minicrawl that knows fewer refuses it
generation  grows each time a partition is moved, in cluster.json and in the store: a copy with another one is no longer
            the partition

cluster.json comes last when a crawl is made, so with it all stores are there. Settings that may be secret are not in
it.
"""

import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from minicrawl.cluster.homes import Homes
from minicrawl.cluster.new_store import make_store
from minicrawl.errors import SettingError, StoreError
from minicrawl.settings import CrawlSettings, in_full
from minicrawl.store.database import hold, is_held
from minicrawl.store.reader import Store, open_store
from minicrawl.system import sync_folder

_NAME = "cluster.json"
_VERSION = 1
MOST = 256
"""Partitions of a crawl."""


@dataclass(frozen=True)
class Place:
    """Where the store of a partition is. folder: seen from that of cluster.json, or absolute. machine: IP address of
    its Ray node; None: the one that has cluster.json."""

    folder: str = "."
    generation: int = 0
    machine: str | None = None


@dataclass(frozen=True)
class Folder:
    """A crawl in partitions. cluster: what its stores have in common, and those of no other crawl have.

    places: of all partitions, by their numbers.
    """

    path: Path
    cluster: str
    homes: Homes
    places: tuple[Place, ...]
    settings: Mapping[str, object]
    """As they were kept by the run before; {} before the first one."""
    ray: str | None = None
    """Address of the Ray cluster, where partitions are on several machines."""

    @property
    def settings_in_full(self) -> dict[str, object]:
        """The same with paths from the root, as CrawlSettings takes them."""
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
        """Other ones that have partitions."""
        return sorted({place.machine for place in self.places if place.machine is not None})

    @property
    def is_in_use(self) -> bool:
        """Whether a crawl writes to any of the stores right now."""
        return any(map(is_held, self.stores))

    @contextmanager
    def opened(self) -> Iterator[Sequence[Store]]:
        """The read side of all stores, each of one commit. Raises StoreError, also where one is on another machine."""
        self.check_is_here()
        with self.opened_some(range(len(self.places))) as stores:
            yield stores

    @contextmanager
    def opened_some(self, numbers: Sequence[int]) -> Iterator[Sequence[Store]]:
        """The same of partitions that are on this machine, wherever the others are."""
        paths = self.stores
        with ExitStack() as stack:
            stores = [stack.enter_context(open_store(paths[number])) for number in numbers]
            for number, store in zip(numbers, stores, strict=True):
                stack.enter_context(store.snapshot())
                self.check_is_current(number, store)
            yield stores

    def check_is_here(self) -> None:
        """Raise StoreError where a partition is on another machine."""
        for number, place in enumerate(self.places):
            if place.machine is not None:
                raise StoreError(
                    f"partition {number} is on node {place.machine}, and this needs all stores on one machine; "
                    f"'minicrawl cluster backup DIR --store {self.path}' brings a copy of all here"
                )

    def check_is_current(self, number: int, store: Store) -> None:
        """Raise StoreError for a store that is not this partition, or a copy of it from before or after a move."""
        if (store.meta("cluster"), store.meta("partition")) != (self.cluster, number):
            raise StoreError(f"{store.path} is not partition {number} of this crawl; restore all from one backup")
        found, kept = int(store.meta("generation") or 0), self.places[number].generation
        if found != kept:
            raise StoreError(
                f"{store.path} is generation {found} of partition {number}, and {self.path / _NAME} names generation "
                f"{kept}: the partition was moved since one of them was copied; restore all from one backup"
            )

    def locked(self) -> AbstractContextManager[None]:
        """Let no crawl begin as long as the block runs. Raises StoreError where one runs."""
        return locked(self.stores)

    def keep_settings(self, settings: CrawlSettings) -> None:
        """Let the next run go on with these. Where partitions are stays what it is in the file: a move may have ended
        since this was read."""
        places = found(self.path).places if (self.path / _NAME).exists() else self.places
        _write(replace(self, places=places, settings=json.loads(settings.to_json(self.path))))

    def keep_copy(self, path: Path) -> "Folder":
        """Write the cluster.json of a copy, all of whose stores are in one folder; the copy."""
        copy = replace(self, path=path, places=tuple(Place(".", place.generation) for place in self.places), ray=None)
        _write(copy)
        return copy

    def keep_place(self, number: int, place: Place) -> "Folder":
        """Let a partition be at a place from now on; the folder as it is then."""
        places = (*self.places[:number], place, *self.places[number + 1 :])
        changed = replace(self, places=places)
        _write(changed)
        return changed

    def keep_ray(self, address: str) -> "Folder":
        """Save the address of the Ray cluster; the folder with it."""
        changed = replace(self, ray=address)
        _write(changed)
        return changed


@contextmanager
def locked(stores: Iterable[Path]) -> Iterator[None]:
    """Let nobody write to stores of this machine as long as the block runs. Raises StoreError where one does."""
    with ExitStack() as stack:
        for path in stores:
            stack.callback(hold(path).release)
        yield


def store_of(folder: Path, number: int) -> Path:
    return folder / f"{number:03}.db"


def found(path: Path) -> Folder:
    """The crawl in a folder. Raises StoreError where there is none, or it is not whole."""
    file = path / _NAME
    try:
        kept = json.loads(file.read_text("utf-8"))
        if (version := int(kept.get("version", _VERSION))) > _VERSION:
            raise StoreError(
                f"{file} was written by a newer minicrawl (version {version}, this one reads {_VERSION}); upgrade"
            )
        homes = Homes(int(kept["partitions"]), bytes.fromhex(kept["secret"]))
        before_places = [asdict(Place())] * homes.partitions  # when all stores were in the folder
        places = tuple(
            Place(str(place["folder"]), int(place["generation"]), place.get("machine"))
            for place in kept.get("places", before_places)
        )
        if len(places) != homes.partitions:
            raise ValueError(f"it has {len(places)} places for {homes.partitions} partitions")
        folder = Folder(path, str(kept["cluster"]), homes, places, dict(kept["settings"]), kept.get("ray"))
    except NotADirectoryError as error:
        raise StoreError(
            f"{path} is a file, and a crawl in partitions has a folder; name that with --store, or leave out 'cluster'"
        ) from error
    except FileNotFoundError as error:
        raise StoreError(
            f"there is no crawl in partitions at {path}; 'minicrawl cluster crawl SEEDS --store {path}' begins one"
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


def make_here(folder: Folder) -> Folder:
    """Make the empty stores of a new crawl, all in its folder."""
    for number, store in enumerate(folder.stores):
        make_store(store, folder.cluster, number, folder.homes.partitions)
    return folder


def found_or_made(path: Path, partitions: int | None, make: Callable[[Folder], Folder] = make_here) -> Folder:
    """The crawl in a folder, or a new one in so many partitions. Raises SettingError, StoreError.

    make: makes its stores, and says where they are.
    """
    if (path / _NAME).exists():
        folder = found(path)
        if partitions not in (None, folder.homes.partitions):
            raise SettingError(
                f"the crawl in {path} has {folder.homes.partitions} partitions, which is fixed; leave out "
                "--partitions, or name another folder with --store"
            )
        return folder
    if partitions is None:
        raise SettingError(f"there is no crawl in {path} yet; say with --partitions N in how many parts it is to be")
    folder = Folder(path, secrets.token_hex(8), Homes(partitions, secrets.token_bytes(16)), (Place(),) * partitions, {})
    try:
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise SettingError(f"{path} has files in it, and no {_NAME}; name an empty folder, or a new one")
        folder = make(folder)
        _write(folder)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}; name another folder with --store") from error
    return folder


def _write(folder: Folder) -> None:
    """Write cluster.json: it is there whole, or as it was, also after a power cut."""
    homes = folder.homes
    own = {"partitions": homes.partitions, "secret": homes.secret.hex()}
    kept = {"version": _VERSION, "cluster": folder.cluster, **own, **({"ray": folder.ray} if folder.ray else {})}
    places = [{name: value for name, value in asdict(place).items() if value is not None} for place in folder.places]
    new = folder.path / f"{_NAME}.new"
    new.touch(mode=0o600)
    with new.open("w", encoding="utf-8") as file:
        file.write(json.dumps({**kept, "places": places, "settings": folder.settings}, indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder.path / _NAME)
    sync_folder(folder.path)
