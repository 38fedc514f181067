"""Create and update the folder of a crawl in partitions; minicrawl.store.partitions.folder reads it.

It has no settings that may be secret.
"""

import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path

from minicrawl.cluster.homes import Homes
from minicrawl.errors import SettingError, StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.store.database import hold
from minicrawl.store.partitions.folder import FILE, VERSION, PartitionFolder, Place, alone, folder_at, taken
from minicrawl.system import sync_folder

UNFINISHED = f"{FILE}.new"


class Folder(PartitionFolder):
    """The folder of a crawl in partitions, with the methods that write to it."""

    @property
    def homes(self) -> Homes:
        return Homes(len(self.places), self.secret)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Prevent crawls from starting while the block runs. Raises StoreError if one runs, or processes of one that
        was killed."""
        with taken(self.path):
            for number in self.made:  # each in turn: there may be more than files that may be open
                hold(self.store(number)).release()
            yield

    def keep_settings(self, settings: CrawlSettings) -> None:
        """Save the settings for the next run. The places of partitions are kept from the file: a move may have ended
        since it was read."""
        with alone(self.path) if self.ray else nullcontext():
            places = found(self.path).places if (self.path / FILE).exists() else self.places
            _write(replace(self, places=places, settings=json.loads(settings.to_json(self.path))))

    def keep_seeds(self, seeds: Iterable[str]) -> "Folder":
        """Save more seeds, if any are new. Returns the updated folder."""
        changed = replace(self, seeds=tuple(dict.fromkeys([*self.seeds, *seeds])))
        if len(changed.seeds) == len(self.seeds):
            return self
        with alone(self.path) if self.ray else nullcontext():
            _write(replace(found(self.path), seeds=changed.seeds))
        return changed

    def keep_copy(self, path: Path) -> "Folder":
        """Write the cluster.json of a copy with all stores in one folder. Returns the copy."""
        copy = replace(self, path=path, places=tuple(Place(".", place.generation) for place in self.places))
        copy = replace(copy, ray=None, replicas=0)
        _write(copy)
        return copy

    def keep_place(self, number: int, place: Place) -> "Folder":
        """Save the new place of a partition. Returns the updated folder."""
        places = (*self.places[:number], place, *self.places[number + 1 :])
        changed = replace(self, places=places)
        _write(changed)
        return changed

    def keep_replicas(self, replicas: int) -> "Folder":
        """Save the number of replicas of each partition; earlier ones count no more. Returns the updated folder."""
        places = tuple(place._replace(replica=None) for place in self.places)
        changed = replace(self, replicas=replicas, places=places)
        _write(changed)
        return changed

    def keep_ray(self, address: str) -> "Folder":
        """Save the address of the Ray cluster. Returns the updated folder."""
        changed = replace(self, ray=address)
        _write(changed)
        return changed


def exchange_place(path: Path, number: int, before: Place, after: Place) -> None:
    """Save the new place of a partition of the crawl at `path`. Raises StoreError if it is not `before` any more."""
    with alone(path):
        folder = found(path)
        if folder.places[number] != before:
            place, store = folder.places[number], folder.store(number)
            where = f"on {place.machine}" if place.machine else "here"
            raise StoreError(f"partition {number} has changed its place meanwhile: it is {store} {where} now")
        folder.keep_place(number, after)


@contextmanager
def locked(stores: Iterable[Path]) -> Iterator[None]:
    """Lock stores of this machine against writers while the block runs. Raises StoreError if one is in use."""
    with ExitStack() as stack:
        for path in stores:
            stack.callback(hold(path).release)
        yield


def found(path: Path) -> Folder:
    """Open the crawl in a folder. Raises StoreError if it is missing or incomplete."""
    return Folder(**vars(folder_at(path)))


def found_or_made(
    path: Path, partitions: int | None, make: Callable[[Folder], Folder] = lambda folder: folder
) -> Folder:
    """Open the crawl in a folder, or make a new one with `partitions` partitions. Raises SettingError, StoreError.

    make: places the partitions of a new crawl, and returns the folder with their places; a partition without a store
    makes one when it begins.
    """
    if (path / FILE).exists():
        folder = found(path)
        if partitions not in (None, len(folder.places)):
            raise SettingError(
                f"the crawl in {path} has {len(folder.places)} partitions, which is fixed; leave out "
                "--partitions, or name another folder with --store"
            )
        return folder
    if partitions is None:
        raise SettingError(f"there is no crawl in {path} yet; say with --partitions N in how many parts it is to be")
    folder = Folder(path, secrets.token_hex(8), secrets.token_bytes(16), (Place(),) * partitions, {})
    try:
        path.mkdir(parents=True, exist_ok=True)
        if any(entry.name != UNFINISHED for entry in path.iterdir()):
            raise SettingError(f"{path} has files in it, and no {FILE}; name an empty folder, or a new one")
        folder = make(folder)
        _write(folder)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}; name another folder with --store") from error
    return folder


def _write(folder: Folder) -> None:
    """Write cluster.json atomically, also across a power cut."""
    own = {"partitions": len(folder.places), "secret": folder.secret.hex()}
    kept = {"version": VERSION, "cluster": folder.cluster, **own, **({"ray": folder.ray} if folder.ray else {})}
    kept |= {"replicas": folder.replicas} if folder.replicas else {}
    places = {
        number: {name: value for name, value in place._asdict().items() if value is not None}
        for number, place in enumerate(folder.places)
        if place != Place()
    }
    new = folder.path / UNFINISHED
    new.touch(mode=0o600)
    with new.open("w", encoding="utf-8") as file:
        whole = {**kept, "places": places, "settings": folder.settings, "seeds": folder.seeds}
        file.write(json.dumps(whole, indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder.path / FILE)
    sync_folder(folder.path)
