"""Move partitions to other folders.

1. the store is copied to its new folder        cluster.json names the old store: the partition
2. the copy gets the next generation            the same
3. cluster.json names the new store             the partition; the old store has the previous generation
4. the old store is removed

After a kill cluster.json still names exactly one store. A leftover copy is replaced by the next move to that place.
"""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from minicrawl.cluster.folder import Folder, locked
from minicrawl.errors import SettingError
from minicrawl.search.index.index_folder import index_path, remove_index
from minicrawl.store.database import beside, logs, real_path, store_errors
from minicrawl.store.partitions.agreement import check_agreement
from minicrawl.store.partitions.folder import Place, store_of
from minicrawl.store.reader import open_store
from minicrawl.store.texts.text_file import text_path
from minicrawl.store.upkeep import backup
from minicrawl.store.writer import Writer


def move(folder: Folder, number: int, target: Path) -> Folder:
    """Move a partition to another folder, made if missing. Returns the updated crawl.

    The texts of its pages move with it; a search index does not. Of a partition without a store, the place is kept for
    one. Raises SettingError, StoreError; the partition then stays in its old place.
    """
    check_is_partition(folder, number)
    place, old, is_made = folder.places[number], folder.store(number), number in folder.made
    changed = Place(folder_of(folder, target), place.generation + is_made)
    new = store_of(folder.path / changed.folder, number)
    if real_path(new) == real_path(old):
        raise SettingError(f"partition {number} is in {target} already")
    check_agreement(folder)
    _make(new.parent, target)
    with folder.locked(), locked([old] if is_made else []):
        check_replaceable(folder.cluster, number, new)
        if not is_made:
            return folder.keep_place(number, changed)
        backup(old, new, force=True)
        with closing(Writer(new)) as writer, writer.transaction():
            writer.save_meta({"generation": changed.generation})
        moved = folder.keep_place(number, changed)
        remove(old)
    return moved


def check_is_partition(folder: Folder, number: int) -> None:
    """Raise SettingError for a number out of range."""
    if not 0 <= number < len(folder.places):
        raise SettingError(f"there is no partition {number}; they are 0 to {len(folder.places) - 1}")


def size_of(store: Path) -> int:
    """Bytes of a store, its log and its texts."""
    files = (store, logs(real_path(store))[0], text_path(store))
    return sum(file.stat().st_size for file in files if file.exists())


def folder_of(folder: Folder, target: Path) -> str:
    """A folder in the form of cluster.json: relative if below the crawl's own, else absolute."""
    own, real = os.path.realpath(folder.path), os.path.realpath(target)
    return os.path.relpath(real, own) if Path(real).is_relative_to(own) else real


def _make(folder: Path, target: Path) -> None:
    """Make the target folder of a move. Raises SettingError with the path as typed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(f"{target} cannot be made: {error.strerror}; name another folder to move to") from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise SettingError(f"{target} cannot be written; name another folder to move to")


def check_replaceable(cluster: str, number: int, store: Path) -> None:
    """Raise SettingError for an existing file, unless it is this partition's copy left by a killed move."""
    if not store.exists():
        return
    with open_store(store) as found:
        if (found.meta("cluster"), found.meta("partition")) == (cluster, number):
            return
    raise SettingError(f"{store} is there already, and is not this partition; name another folder")


def remove(store: Path) -> None:
    """Remove a store that was moved away."""
    real = real_path(store)
    index = index_path(store)
    with store_errors(store):
        replicas = store.parent.glob(f"{store.name}.replica*")  # of an earlier place
        for file in (store, *logs(real), text_path(store), *_locks(real, index), *replicas):
            file.unlink(missing_ok=True)
    remove_index(index)


def _locks(*files: Path) -> Iterator[Path]:
    return (beside(file, ".lock") for file in files)
