"""Back up all stores of a crawl as of one moment, also while it runs.

Every partition commits the rows it has taken, and takes none until all stores are copied. Rows that a partition makes
meanwhile wait in its outbox, and are in flight in its copy as well, so no copy has a row that another one lacks.
"""

import shutil
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from minicrawl.cluster.folder import Folder, found, locked
from minicrawl.control.messages import LONGEST, answer_of, line_of, message_of
from minicrawl.control.socket_files import connected
from minicrawl.errors import SettingError, StoreError
from minicrawl.store.database import hold, is_held, store_errors
from minicrawl.store.partitions.agreement import check_agreement
from minicrawl.store.partitions.folder import store_of
from minicrawl.store.upkeep import backup as backup_file
from minicrawl.system import sync_folder

_SECONDS = 600.0
"""Seconds to wait for a commit: a partition may be settling along all of its links."""
BEGINS, _LOOKS_APART = 10.0, 0.05


Copy = Callable[[Folder, Path], None]
"""Copies all stores of a crawl to a folder, as of one moment. Raises StoreError."""


def backup(store: Path, copy: Path, *, force: bool = False) -> int:
    """Copy a store, a file or a folder of partitions, also while a crawl writes to it. Returns its size in bytes.

    force: replace an existing file. Raises SettingError, StoreError.
    """
    if not store.is_dir():
        return backup_file(store, copy, force=force)
    if force:
        raise SettingError(f"--force replaces a file, and {store} is a folder of partitions; name a new folder")
    made = _brought(found(store), copy) if found(store).machines else backup_all(found(store), copy)
    return sum(file.stat().st_size for file in made.path.iterdir())


def _brought(folder: Folder, copy: Path) -> Folder:
    """Copy stores of several machines: each machine copies its own first."""
    from minicrawl.cluster.machines.carrying import backup_between  # noqa: PLC0415 - it is made of backups
    from minicrawl.cluster.machines.ray import connected  # noqa: PLC0415

    with connected(folder.ray or "auto") as nodes:
        return backup_between(folder, copy, nodes.carriers(folder))


def backup_all(folder: Folder, path: Path, *, begins: float = BEGINS, copy: Copy | None = None) -> Folder:
    """Copy all stores and the common files of a crawl to a new folder, which appears whole or not at all.

    Returns the copy, a folder like any other. begins: seconds to wait until a partition just started accepts a
    connection. copy: for stores on several machines. Raises SettingError, StoreError.
    """
    path = path.absolute()
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise SettingError(f"{path} is there already, and has something in it; name a new folder")
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
        if copy is None:
            _copy_here(folder, unfinished, begins)
        else:
            copy(folder, unfinished)
        check_agreement(folder.keep_copy(unfinished))
        with store_errors(path):
            unfinished.replace(path)
            sync_folder(path.parent)
    return found(path)


def _copy_here(folder: Folder, path: Path, begins: float) -> None:
    folder.check_is_here()
    numbers = folder.made
    with held(folder, numbers, begins) if folder.is_in_use else folder.locked():
        for number in numbers:
            backup_file(folder.store(number), store_of(path, number))


@contextmanager
def held(folder: Folder, numbers: Sequence[int], begins: float = BEGINS) -> Iterator[None]:
    """Stop messages to partitions of this machine, and the start and end of crawls, while the block runs."""
    with folder.opened_some(numbers):
        pass  # check first: errors are reported before anybody waits, and all stores get this version
    stores = [folder.store(number) for number in numbers]
    if not any(map(is_held, stores)):
        with locked(stores):
            yield
        return
    with ExitStack() as stack:
        lines = [stack.enter_context(_Line(store, begins)) for store in stores]
        for line in lines:
            line.say("hold")
        for line in lines:
            line.hear()
        yield
        for line in lines:  # a partition that answers has not died, so it took nothing
            line.say("go on")
        for line in lines:
            line.hear()


class _Line:
    """A connection to a running partition."""

    def __init__(self, store: Path, begins: float) -> None:
        """Raises StoreError."""
        self._store = store
        until = time.monotonic() + begins
        while (line := connected(store, _SECONDS)) is None:
            if time.monotonic() > until:
                raise StoreError(
                    f"the partition of {store} does not answer: its crawl begins or ends just now; run this again"
                )
            time.sleep(_LOOKS_APART)
        self._line: socket.socket = line
        self._answers = line.makefile("rb")

    def __enter__(self) -> "_Line":
        return self

    def __exit__(self, *_: object) -> None:
        self._answers.close()
        self._line.close()

    def say(self, what: str) -> None:
        with suppress(OSError):  # the partition has died, which `hear` reports
            self._line.sendall(line_of({"do": what}))

    def hear(self) -> None:
        """Wait until the partition has done so. Raises StoreError."""
        answer = b""
        with suppress(OSError):
            answer = self._answers.readline(LONGEST)
        if not answer:
            raise StoreError(
                f"the partition of {self._store} has ended or died while it was copied; nothing is kept: run this again"
            )
        answer_of(message_of(answer))
