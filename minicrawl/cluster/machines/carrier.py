"""What copies stores of a machine, and takes in copies from others, for backups and moves: see carrying.

    001.db  -> .001.db.leaving     a copy of one moment beside the store, until all of it was fetched
    001.db <-  .001.db.arriving    what was brought so far; it gets the store's name when it is whole

Each may have its texts in a file of its name and ".text". What somebody who was killed has left goes with the next copy
of the same partition from there, or to there.
"""

import os
import secrets
from contextlib import ExitStack, closing
from pathlib import Path

from minicrawl.cluster.backup import BEGINS, held
from minicrawl.cluster.folder import Folder, locked
from minicrawl.cluster.machines.host import FOLDER
from minicrawl.cluster.machines.reading import as_message
from minicrawl.cluster.moving import check_replaceable, remove
from minicrawl.errors import SettingError
from minicrawl.store.database import beside, logs
from minicrawl.store.reader import open_store
from minicrawl.store.texts.text_file import ENDING, text_path
from minicrawl.store.upkeep import backup
from minicrawl.store.writer import Writer
from minicrawl.system import sync_folder


class Carrier:
    """Every answer is a message. It may be killed at any time: what it held is free then."""

    def __init__(self) -> None:
        self._held = ExitStack()

    @as_message
    def hold(self, folder: Folder, numbers: list[int], begins: float = BEGINS) -> None:
        """Let nothing be handed over to some partitions until `let_go`; see backup.held."""
        self._held.enter_context(held(folder, numbers, begins))

    @as_message
    def lock(self, folder: Folder, numbers: list[int]) -> None:
        """Let nobody write to the stores of some partitions until `let_go`."""
        self._held.enter_context(locked([folder.stores[number] for number in numbers]))

    @as_message
    def let_go(self) -> None:
        """Raises StoreError where a partition that was held has died meanwhile."""
        self._held.close()

    @as_message
    def home(self, cluster: str) -> str:
        """The folder for a crawl's stores on this machine."""
        folder = os.environ.get(FOLDER)
        if not folder:
            raise SettingError("that machine has no folder for stores, as it was the first; name a FOLDER there")
        return str(Path(folder, cluster))

    @as_message
    def mark(self, store: Path) -> str:
        """Mark the folder of a store; by what."""
        _unlink(_leaving(store))
        drawn = secrets.token_hex(16)
        _mark_at(store).write_text(drawn, "ascii")
        return drawn

    @as_message
    def copy(self, store: Path) -> list[tuple[str, int]]:
        """Make a copy of one moment; what to add to the names of its files, and bytes of each."""
        backup(store, _leaving(store), force=True)
        files = [(ending, beside(_leaving(store), ending)) for ending in ("", ENDING)]
        return [(ending, file.stat().st_size) for ending, file in files if file.exists()]

    @as_message
    def read(self, store: Path, ending: str, start: int, size: int) -> bytes:
        """Some bytes of a file of the copy."""
        with beside(_leaving(store), ending).open("rb") as file:
            file.seek(start)
            return file.read(size)

    @as_message
    def drop(self, store: Path) -> None:
        """Remove the copy."""
        _unlink(_leaving(store))

    @as_message
    def prepare(self, store: Path, cluster: str, number: int, mark: str | None) -> None:
        """Make room for a store that is to arrive. mark: of the folder where it is now, which by whatever path, and
        from whatever machine, may be the same one."""
        if mark is not None and _mark_at(store).exists() and _mark_at(store).read_text("ascii") == mark:
            raise SettingError(f"partition {number} is in {store.parent} already, which its machine has, too")
        check_replaceable(cluster, number, store)
        store.parent.mkdir(parents=True, exist_ok=True)
        _unlink(_arriving(store))

    @as_message
    def write(self, store: Path, ending: str, start: int, some: bytes) -> None:
        """Put some bytes into a file of what arrives."""
        file = beside(_arriving(store), ending)
        file.touch(mode=0o600)  # nobody else may read the copy than might the store
        with file.open("r+b") as target:
            target.seek(start)
            target.write(some)

    @as_message
    def keep(self, store: Path, generation: int | None) -> None:
        """What has arrived is whole: let it be the store, of a generation. None: of the one that it has."""
        new = _arriving(store)
        if generation is not None:
            with closing(Writer(new)) as writer, writer.transaction():
                writer.save_meta({"generation": generation})
        for file in (new, text_path(new)):
            if file.exists():
                with file.open("r+b") as whole:
                    os.fsync(whole.fileno())
        for left in (*logs(store), text_path(store)):
            left.unlink(missing_ok=True)
        if text_path(new).exists():
            text_path(new).replace(text_path(store))
        new.replace(store)
        _unlink(new)
        sync_folder(store.parent)

    @as_message
    def remove(self, store: Path, generation: int) -> None:
        """Remove a store that was brought elsewhere; one of another generation stays."""
        with open_store(store) as found:
            is_left = int(found.meta("generation") or 0) == generation
        if is_left:
            remove(store)


def _leaving(store: Path) -> Path:
    return store.with_name(f".{store.name}.leaving")


def _arriving(store: Path) -> Path:
    return store.with_name(f".{store.name}.arriving")


def _mark_at(store: Path) -> Path:
    return beside(_leaving(store), ".mark")


def _unlink(store: Path) -> None:
    """Remove what was copied or has arrived, with all beside it, also of one who was killed as he copied."""
    for pattern in (f"{store.name}*", f".{store.name}*"):
        for file in store.parent.glob(pattern):
            file.unlink(missing_ok=True)
