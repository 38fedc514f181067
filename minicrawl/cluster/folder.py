"""Create and update the folder of a crawl in partitions; minicrawl.store.partitions.folder reads it.

It has no settings that may be secret.
"""

import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

from minicrawl.cluster.homes import Homes
from minicrawl.errors import SettingError, StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.store.database import hold, store_errors
from minicrawl.store.partitions.folder import FILE, VERSION, PartitionFolder, folder_at, taken
from minicrawl.store.writer import Writer
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

    def keep_settings(self, settings: CrawlSettings) -> "Folder":
        """Save the settings for the next run. Returns the updated folder, as each of these does."""
        return _written(replace(self, settings=json.loads(settings.to_json(self.path))))

    def keep_seeds(self, seeds: Iterable[str]) -> "Folder":
        """Save more seeds, if any are new."""
        changed = replace(self, seeds=tuple(dict.fromkeys([*self.seeds, *seeds])))
        return self if len(changed.seeds) == len(self.seeds) else _written(changed)

    def keep_copy(self, path: Path) -> "Folder":
        """Write the cluster.json of a copy with all stores in one folder."""
        return _written(replace(self, path=path, ray=None, nodes={}))

    def keep_ray(self, address: str) -> "Folder":
        """Save the address of the Ray cluster."""
        return _written(replace(self, ray=address))


def found(path: Path) -> Folder:
    """Open the crawl in a folder. Raises StoreError if it is missing or incomplete."""
    return Folder(**vars(folder_at(path)))


def made(path: Path, partitions: int, ray: str | None = None, nodes: Mapping[int, str] | None = None) -> Folder:
    """Make the folder of a new crawl; its stores are made when it begins. Raises SettingError, StoreError."""
    folder = Folder(path, secrets.token_hex(8), secrets.token_bytes(16), partitions, {}, (), ray, nodes or {})
    try:
        path.mkdir(parents=True, exist_ok=True)
        if any(entry.name != UNFINISHED for entry in path.iterdir()):
            raise SettingError(f"{path} has files in it, and no {FILE}; name an empty folder, or a new one")
        return _written(folder)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}; name another folder with --store") from error


def make_store(path: Path, cluster: str, number: int, partitions: int) -> None:
    """Make the empty store of a partition, or finish one. cluster: id of the crawl, common to its partitions. Raises
    StoreError."""
    with store_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with closing(Writer(path)) as writer:
        if writer.meta("cluster") is None and not writer.size():
            with writer.transaction():
                writer.save_meta({"cluster": cluster, "partition": number, "partitions": partitions})
                writer.save_meta({"clock": 0.0, "virtual": 0, "births": 0})


def _written(folder: Folder) -> Folder:
    """Write cluster.json atomically, also across a power cut."""
    whole = {
        "version": VERSION,
        "cluster": folder.cluster,
        "partitions": folder.partitions,
        "secret": folder.secret.hex(),
        "ray": folder.ray,
        "nodes": folder.nodes,
        "settings": folder.settings,
        "seeds": folder.seeds,
    }
    new = folder.path / UNFINISHED
    new.touch(mode=0o600)
    with new.open("w", encoding="utf-8") as file:
        file.write(json.dumps(whole, indent=2) + "\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(folder.path / FILE)
    sync_folder(folder.path)
    return folder
