"""Back up a store, or all stores of a crawl in partitions, as of one moment."""

import shutil
from contextlib import ExitStack
from pathlib import Path

from minicrawl.cluster.folder import Folder, found
from minicrawl.errors import SettingError
from minicrawl.store.database import hold, store_errors
from minicrawl.store.partitions.agreement import check_agreement
from minicrawl.store.partitions.folder import store_of
from minicrawl.store.upkeep import backup as backup_file
from minicrawl.system import sync_folder


def backup(store: Path, copy: Path, *, force: bool = False) -> int:
    """Copy a store, also while a crawl writes to it, or a folder of partitions at rest. Returns the copy's bytes.

    force: replace an existing file. Raises SettingError, StoreError.
    """
    if not store.is_dir():
        return backup_file(store, copy, force=force)
    if force:
        raise SettingError(f"--force replaces a file, and {store} is a folder of partitions; name a new folder")
    return sum(file.stat().st_size for file in backup_all(found(store), copy).path.iterdir())


def backup_all(folder: Folder, path: Path) -> Folder:
    """Copy all stores and the common files of a crawl at rest to a new folder, which appears whole or not at all.

    Returns the copy, a folder like any other. Raises SettingError, StoreError, also while a crawl uses a store.
    """
    path = path.absolute()
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise SettingError(f"{path} already exists, and has something in it; name a new folder")
    folder.check_is_here()
    unfinished = path.with_name(f".{path.name}.unfinished")
    with store_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        stack.callback(unfinished.with_name(f"{unfinished.name}.lock").unlink, missing_ok=True)
        stack.callback(hold(unfinished).release)  # a second backup to the same folder fails
        stack.callback(shutil.rmtree, unfinished, ignore_errors=True)
        with store_errors(path):
            shutil.rmtree(unfinished, ignore_errors=True)  # left by a killed backup
            unfinished.mkdir()
        stack.enter_context(folder.locked())
        for number in folder.made:
            backup_file(folder.store(number), store_of(unfinished, number))
        check_agreement(folder.keep_copy(unfinished))
        with store_errors(path):
            unfinished.replace(path)
            sync_folder(path.parent)
    return found(path)
