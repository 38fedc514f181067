"""A copy of all stores of a crawl as of one moment, also while it runs.

What was taken is committed in all of them, and nothing more is taken until all are copied. So whatever a partition
commits meanwhile, it hands nothing over that another copy has or lacks: rows it has made wait in its outbox, in its
copy as well, and are in flight there.
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
"""For which a partition may be busy before it commits: it may be settling, along all of its links."""
BEGINS, _LOOKS_APART = 10.0, 0.05


Copy = Callable[[Folder, Path], None]
"""Copies all stores of a crawl to a folder, as of one moment. Raises StoreError."""


def backup(store: Path, copy: Path, *, force: bool = False) -> int:
    """Copy a store, a file or a folder of partitions, also while a crawl writes to it; the bytes of the copy.

    force: let a file take the place of one that is there. Raises SettingError, StoreError.
    """
    if not store.is_dir():
        return backup_file(store, copy, force=force)
    if force:
        raise SettingError(f"--force replaces a file, and {store} is a folder of partitions; name a new folder")
    made = _brought(found(store), copy) if found(store).machines else backup_all(found(store), copy)
    return sum(file.stat().st_size for file in made.path.iterdir())


def _brought(folder: Folder, copy: Path) -> Folder:
    """A copy of stores that are on several machines: each copies its own first."""
    from minicrawl.cluster.machines.carrying import backup_between  # noqa: PLC0415 - it is made of backups
    from minicrawl.cluster.machines.ray import connected  # noqa: PLC0415

    with connected(folder.ray or "auto") as nodes:
        return backup_between(folder, copy, nodes.carriers(folder))


def backup_all(folder: Folder, path: Path, *, begins: float = BEGINS, copy: Copy | None = None) -> Folder:
    """Copy all stores of a crawl, and what they have in common, to a new folder, which appears whole or not at all.

    Returns the copy: a folder like any other. begins: seconds until a partition that was just started lets itself be
    connected to. copy: where they are on several machines. Raises SettingError, StoreError.
    """
    path = path.absolute()
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise SettingError(f"{path} is there already, and has something in it; name a new folder")
    unfinished = path.with_name(f".{path.name}.unfinished")
    with store_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        stack.callback(unfinished.with_name(f"{unfinished.name}.lock").unlink, missing_ok=True)
        stack.callback(hold(unfinished).release)  # whoever else copies to the same folder waits for another day
        stack.callback(shutil.rmtree, unfinished, ignore_errors=True)
        with store_errors(path):
            shutil.rmtree(unfinished, ignore_errors=True)  # of one that was killed
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
    with held(folder, range(len(folder.places)), begins):
        for number, store in enumerate(folder.stores):
            backup_file(store, store_of(path, number))


@contextmanager
def held(folder: Folder, numbers: Sequence[int], begins: float = BEGINS) -> Iterator[None]:
    """Let nothing be handed over to partitions of this machine as long as the block runs, and no crawl begin or end."""
    with folder.opened_some(numbers):
        pass  # whatever is wrong with them is told before anybody waits; and all are of this version then
    stores = [folder.stores[number] for number in numbers]
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
        for line in lines:  # who answers has not died meanwhile, and so has taken nothing
            line.say("go on")
        for line in lines:
            line.hear()


class _Line:
    """A line to a partition that runs."""

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
        with suppress(OSError):  # of one that has died, which the answer tells
            self._line.sendall(line_of({"do": what}))

    def hear(self) -> None:
        """Wait until it has done that. Raises StoreError."""
        answer = b""
        with suppress(OSError):
            answer = self._answers.readline(LONGEST)
        if not answer:
            raise StoreError(
                f"the partition of {self._store} has ended or died while it was copied; nothing is kept: run this again"
            )
        answer_of(message_of(answer))
