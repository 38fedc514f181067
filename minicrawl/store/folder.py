"""The files of a crawl in partitions: a folder with a store for each, and cluster.json for all of them.

000.db, 001.db ...  the stores of this machine
cluster.json        {"version": 4, "cluster": id, "partitions": 4, "secret": key of the hash that tells homes,
                    "seeds": [...], "settings": {...}, "nodes": {"1": "10.0.0.2", ...}}
crawl.lock          held by the command that crawls

version     of this file: another one is refused
settings    without what may be secret
nodes       of partitions on other machines: their stores are in a folder of the same path there
"""

import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from minicrawl.errors import SettingError, StoreError
from minicrawl.settings.crawl import CrawlSettings, in_full
from minicrawl.store.database import is_held, open_to_read, store_errors
from minicrawl.store.reader import Store, open_store
from minicrawl.store.writer import Writer
from minicrawl.system import put_in_place, raise_open_files, sync_folder

FILE, VERSION = "cluster.json", 4
UNFINISHED = f"{FILE}.new"
MOST = 1_024
"""Maximum number of partitions that a folder may have."""
_FILES_OF_A_STORE, _OTHER_FILES = 4, 64


def is_folder(store: Path) -> bool:
    """True if a store is the folder of a crawl in partitions."""
    return (store / FILE).is_file()


@dataclass(frozen=True)
class Folder:
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

    def store(self, number: int) -> Path:
        return (self.path.absolute() if number in self.nodes else self.path) / f"{number:03}.db"

    @property
    def here(self) -> list[Path]:
        return [self.store(number) for number in range(self.partitions) if number not in self.nodes]

    @property
    def is_in_use(self) -> bool:
        """True if a crawl writes to any of the stores right now."""
        return any(map(is_held, self.here))

    @contextmanager
    def opened(self) -> Iterator[Sequence[Store]]:
        """The read side of all stores, each as of one commit. Raises StoreError, also if one is on another
        machine."""
        for number, node in self.nodes.items():
            raise StoreError(
                f"partition {number} is on node {node}, and all stores must be on one machine; "
                f'while the crawl rests, copy its files to {self.path} here, and empty "nodes" in {FILE}'
            )
        raise_open_files(_FILES_OF_A_STORE * self.partitions + _OTHER_FILES)
        with ExitStack() as stack:
            yield [stack.enter_context(self.open(number)) for number in range(self.partitions)]

    def open(self, number: int) -> Store:
        """The read side of a partition on this machine, as of one commit. Raises StoreError."""
        self.check_is_there(number)
        with ExitStack() as stack:
            store = stack.enter_context(open_store(self.store(number)))
            store.pin()
            self.check_is_current(number, store)
            stack.pop_all()
        return store

    def check_is_current(self, number: int, store: Store) -> None:
        """Raise StoreError for a store that is not this partition."""
        if (store.meta("cluster"), store.meta("partition")) != (self.cluster, number):
            raise StoreError(f"{store.path} is not partition {number} of this crawl; restore all from one copy")

    def check_is_there(self, number: int) -> None:
        """Raise StoreError for a partition of this machine without a store."""
        store = self.store(number)
        if store.exists() and store.stat().st_size:
            return
        if not self.settings:
            raise StoreError(f"the crawl in {self.path} stopped before its first run began; crawl again")
        raise StoreError(
            f"{store} has a part of the crawl, but is missing or empty; mount its disk, or restore all from one copy"
        )

    def keep_settings(self, settings: CrawlSettings) -> "Folder":
        """Save the settings for the next run. Returns the updated folder, as each of these does."""
        return _written(replace(self, settings=json.loads(settings.to_json(self.path))))

    def keep_seeds(self, seeds: Iterable[str]) -> "Folder":
        """Save more seeds, if any are new."""
        changed = replace(self, seeds=tuple(dict.fromkeys([*self.seeds, *seeds])))
        return self if len(changed.seeds) == len(self.seeds) else _written(changed)

    def keep_ray(self, address: str | None) -> "Folder":
        return _written(replace(self, ray=address))


def files_of(path: Path) -> list[Path]:
    """The files on this machine of the store at `path`, a file or a folder of partitions. Raises StoreError."""
    return found(path).here if path.is_dir() else [path]


def check_schema(path: Path, *, upgrades: bool = True) -> None:
    """Open the stores at `path`, those that are there, so that one of an earlier schema is upgraded, or refused. Raises
    StoreError."""
    for file in files_of(path) if is_folder(path) else [path]:
        if file.is_file() and file.stat().st_size:
            open_to_read(file, upgrades=upgrades).close()


def found(path: Path) -> Folder:
    """The crawl in a folder. Raises StoreError if there is none, or it is not whole."""
    file = path / FILE
    try:
        kept = json.loads(file.read_text("utf-8"))
        if kept["version"] != VERSION:
            kind = "a newer" if int(kept["version"]) > VERSION else "an earlier"
            raise StoreError(
                f"{file} was written by {kind} minicrawl (version {kept['version']}, this one reads {VERSION}); "
                "use that version, or start a new crawl"
            )
        partitions = int(kept["partitions"])
        if not 0 < partitions <= MOST:
            raise ValueError(f"it has {partitions} partitions, not 1 to {MOST}")
        nodes = {int(number): str(node) for number, node in kept["nodes"].items()}
        if strange := [number for number in nodes if not 0 <= number < partitions]:
            raise ValueError(f"it has a node of partition {strange[0]}, and {partitions} partitions")
        secret, settings = bytes.fromhex(kept["secret"]), dict(kept["settings"])
        seeds = tuple(map(str, kept["seeds"]))
        return Folder(path, str(kept["cluster"]), secret, partitions, settings, seeds, kept.get("ray"), nodes)
    except NotADirectoryError as error:
        raise StoreError(f"{path} is a file, but a crawl in partitions has a folder; name that") from error
    except FileNotFoundError as error:
        raise StoreError(
            f"there is no crawl in partitions at {path}; 'minicrawl crawl SEEDS --partitions N --store {path}' begins "
            "one"
        ) from error
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror}; name another folder") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{file} is damaged: {error}; restore the folder from a backup") from error


def made(path: Path, partitions: int, ray: str | None = None, nodes: Mapping[int, str] | None = None) -> Folder:
    """Make the folder of a new crawl; its stores are made when it begins. Raises SettingError, StoreError."""
    folder = Folder(path, secrets.token_hex(8), secrets.token_bytes(16), partitions, {}, (), ray, nodes or {})
    try:
        path.mkdir(parents=True, exist_ok=True)
        if any(entry.name != UNFINISHED for entry in path.iterdir()):
            raise SettingError(f"{path} has files but no {FILE}; name an empty or new folder")
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
    whole = {"version": VERSION, **vars(folder), "secret": folder.secret.hex()}
    del whole["path"]
    new = folder.path / UNFINISHED
    with put_in_place(new, folder.path / FILE):
        new.touch(mode=0o600)
        with new.open("w", encoding="utf-8") as file:
            file.write(json.dumps(whole, indent=2) + "\n")
            file.flush()
            os.fsync(file.fileno())
    sync_folder(folder.path)
    return folder
