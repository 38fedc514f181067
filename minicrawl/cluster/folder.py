"""The folder of a crawl in partitions: a store for each, and cluster.json, which says what they have in common.

000.db, 001.db ...  the stores
cluster.json        {"cluster": id, "partitions": 4, "secret": key of the hash that tells homes, "settings": {...}}

cluster.json comes last when a crawl is made, so with it all stores are there. Settings that may be secret are not in
it.
"""

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from minicrawl.cluster.homes import Homes
from minicrawl.cluster.new_store import make_store
from minicrawl.errors import SettingError, StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.store.database import is_held
from minicrawl.store.reader import Store, open_store

_NAME = "cluster.json"
MOST = 256
"""Partitions of a crawl."""


@dataclass(frozen=True)
class Folder:
    """A crawl in partitions. cluster: what its stores have in common, and those of no other crawl have."""

    path: Path
    cluster: str
    homes: Homes
    settings: Mapping[str, object]
    """As they were kept by the run before; {} before the first one."""

    @property
    def stores(self) -> list[Path]:
        return [store_of(self.path, number) for number in range(self.homes.partitions)]

    @property
    def is_in_use(self) -> bool:
        """Whether a crawl writes to any of the stores right now."""
        return any(map(is_held, self.stores))

    @contextmanager
    def opened(self) -> Iterator[Sequence[Store]]:
        """The read side of all stores, each of one commit. Raises StoreError."""
        with ExitStack() as stack:
            stores = [stack.enter_context(open_store(path)) for path in self.stores]
            for store in stores:
                stack.enter_context(store.snapshot())
            yield stores

    def keep_settings(self, settings: CrawlSettings) -> None:
        """Let the next run go on with these."""
        _write(self, json.loads(settings.to_json()))


def store_of(folder: Path, number: int) -> Path:
    return folder / f"{number:03}.db"


def found(path: Path) -> Folder:
    """The crawl in a folder. Raises StoreError where there is none, or it is not whole."""
    file = path / _NAME
    try:
        kept = json.loads(file.read_text("utf-8"))
        homes = Homes(int(kept["partitions"]), bytes.fromhex(kept["secret"]))
        folder = Folder(path, str(kept["cluster"]), homes, dict(kept["settings"]))
    except FileNotFoundError as error:
        raise StoreError(
            f"there is no crawl in partitions at {path}; 'minicrawl cluster crawl SEEDS --store {path}' begins one"
        ) from error
    except OSError as error:
        raise StoreError(f"{file} cannot be read: {error.strerror}; name another folder with --store") from error
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{file} is damaged: {error}; restore the folder from a backup") from error
    for store in folder.stores:
        if not store.exists():
            raise StoreError(f"{store} is missing, which has a part of the crawl; restore the folder from one backup")
    return folder


def found_or_made(path: Path, partitions: int | None) -> Folder:
    """The crawl in a folder, or a new one in so many partitions. Raises SettingError, StoreError."""
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
    folder = Folder(path, secrets.token_hex(8), Homes(partitions, secrets.token_bytes(16)), {})
    try:
        path.mkdir(parents=True, exist_ok=True)
        if any(path.iterdir()):
            raise SettingError(f"{path} has files in it, and no {_NAME}; name an empty folder, or a new one")
        for number, store in enumerate(folder.stores):
            make_store(store, folder.cluster, number, partitions)
        _write(folder, {})
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}; name another folder with --store") from error
    return folder


def _write(folder: Folder, settings: Mapping[str, object]) -> None:
    """Write cluster.json: it is there whole, or as it was."""
    homes = folder.homes
    kept = {"cluster": folder.cluster, "partitions": homes.partitions, "secret": homes.secret.hex()}
    new = folder.path / f"{_NAME}.new"
    new.touch(mode=0o600)
    new.write_text(json.dumps({**kept, "settings": settings}, indent=2) + "\n", "utf-8")
    new.replace(folder.path / _NAME)
