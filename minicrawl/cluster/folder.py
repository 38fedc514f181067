"""The folder of a crawl in partitions, made and kept up to date: minicrawl.store.partitions.folder reads it.

cluster.json comes last when a crawl is made, so with it all stores are there. Settings that may be secret are not in
it.
"""

import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path

from minicrawl.cluster.homes import Homes
from minicrawl.cluster.new_store import make_store
from minicrawl.errors import SettingError, StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.store.database import hold
from minicrawl.store.partitions.folder import FILE, VERSION, PartitionFolder, Place, folder_at
from minicrawl.system import sync_folder

MOST = 256
"""Partitions of a crawl."""


class Folder(PartitionFolder):
    """A crawl in partitions, and what is written of it."""

    @property
    def homes(self) -> Homes:
        return Homes(len(self.places), self.secret)

    def locked(self) -> AbstractContextManager[None]:
        """Let no crawl begin as long as the block runs. Raises StoreError where one runs."""
        return locked(self.stores)

    def keep_settings(self, settings: CrawlSettings) -> None:
        """Let the next run go on with these. Where partitions are stays what it is in the file: a move may have ended
        since this was read."""
        places = found(self.path).places if (self.path / FILE).exists() else self.places
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


def found(path: Path) -> Folder:
    """The crawl in a folder. Raises StoreError where there is none, or it is not whole."""
    return Folder(**vars(folder_at(path)))


def make_here(folder: Folder) -> Folder:
    """Make the empty stores of a new crawl, all in its folder."""
    for number, store in enumerate(folder.stores):
        make_store(store, folder.cluster, number, len(folder.places))
    return folder


def found_or_made(path: Path, partitions: int | None, make: Callable[[Folder], Folder] = make_here) -> Folder:
    """The crawl in a folder, or a new one in so many partitions. Raises SettingError, StoreError.

    make: makes its stores, and says where they are.
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
        if any(path.iterdir()):
            raise SettingError(f"{path} has files in it, and no {FILE}; name an empty folder, or a new one")
        folder = make(folder)
        _write(folder)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}; name another folder with --store") from error
    return folder


def _write(folder: Folder) -> None:
    """Write cluster.json: it is there whole, or as it was, also after a power cut."""
    own = {"partitions": len(folder.places), "secret": folder.secret.hex()}
    kept = {"version": VERSION, "cluster": folder.cluster, **own, **({"ray": folder.ray} if folder.ray else {})}
    places = [{name: value for name, value in asdict(place).items() if value is not None} for place in folder.places]
    new = folder.path / f"{FILE}.new"
    new.touch(mode=0o600)
    with new.open("w", encoding="utf-8") as file:
        file.write(json.dumps({**kept, "places": places, "settings": folder.settings}, indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder.path / FILE)
    sync_folder(folder.path)
