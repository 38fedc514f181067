"""Create and update the folder of a crawl in partitions; minicrawl.store.partitions.folder reads it.

It has no settings that may be secret.
"""

import json
import os
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from minicrawl.cluster.homes import Homes
from minicrawl.errors import SettingError, StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.store.database import hold
from minicrawl.store.partitions.folder import FILE, VERSION, PartitionFolder, folder_at, taken
from minicrawl.system import sync_folder

UNFINISHED = f"{FILE}.new"


class Folder(PartitionFolder):
    """The folder of a crawl in partitions, with the methods that write to it."""

    @property
    def homes(self) -> Homes:
        return Homes(self.partitions, self.secret)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Prevent crawls from starting while the block runs. Raises StoreError if one runs, or processes of one that
        was killed."""
        with taken(self.path):
            for number in self.made:  # each in turn: there may be more than files that may be open
                hold(self.store(number)).release()
            yield

    def keep_settings(self, settings: CrawlSettings) -> None:
        """Save the settings for the next run."""
        _write(replace(self, settings=json.loads(settings.to_json(self.path))))

    def keep_seeds(self, seeds: Iterable[str]) -> "Folder":
        """Save more seeds, if any are new. Returns the updated folder."""
        changed = replace(self, seeds=tuple(dict.fromkeys([*self.seeds, *seeds])))
        if len(changed.seeds) == len(self.seeds):
            return self
        _write(replace(found(self.path), seeds=changed.seeds))
        return changed

    def keep_copy(self, path: Path) -> "Folder":
        """Write the cluster.json of a copy with all stores in one folder. Returns the copy."""
        copy = replace(self, path=path, ray=None, nodes={})
        _write(copy)
        return copy

    def keep_ray(self, address: str) -> "Folder":
        """Save the address of the Ray cluster. Returns the updated folder."""
        changed = replace(self, ray=address)
        _write(changed)
        return changed


def found(path: Path) -> Folder:
    """Open the crawl in a folder. Raises StoreError if it is missing or incomplete."""
    return Folder(**vars(folder_at(path)))


def found_or_made(
    path: Path, partitions: int | None, make: Callable[[Folder], Folder] = lambda folder: folder
) -> Folder:
    """Open the crawl in a folder, or make a new one with `partitions` partitions. Raises SettingError, StoreError.

    make: places the partitions of a new crawl on nodes, and returns the folder with these; a partition without a store
    makes one when it begins.
    """
    if (path / FILE).exists():
        folder = found(path)
        if partitions not in (None, folder.partitions):
            raise SettingError(
                f"the crawl in {path} has {folder.partitions} partitions, which is fixed; leave out "
                "--partitions, or name another folder with --store"
            )
        return folder
    if partitions is None:
        raise SettingError(f"there is no crawl in {path} yet; say with --partitions N in how many parts it is to be")
    folder = Folder(path, secrets.token_hex(8), secrets.token_bytes(16), partitions, {})
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
    own = {"partitions": folder.partitions, "secret": folder.secret.hex()}
    kept = {"version": VERSION, "cluster": folder.cluster, **own, **({"ray": folder.ray} if folder.ray else {})}
    new = folder.path / UNFINISHED
    new.touch(mode=0o600)
    with new.open("w", encoding="utf-8") as file:
        whole = {**kept, "nodes": folder.nodes, "settings": folder.settings, "seeds": folder.seeds}
        file.write(json.dumps(whole, indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder.path / FILE)
    sync_folder(folder.path)
