"""Following: the index is brought up to date with the store, also by a process beside a crawl (`--search`).

The work is the difference between the texts in the store of pages that can be shown, and the texts in the index. So the
history does not matter: pages that were read again, are gone or were merged, or a kill in the middle of it all.

The process only reads the store, so the index may lag behind it, but is never ahead of it, and no commit waits for it.
The crawl says over its standard input that it has ended; if that closes without a word, the crawl was killed, and the
rest is left to the next run or 'minicrawl index'.
"""

import asyncio
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

from minicrawl import log
from minicrawl.errors import MinicrawlError, SettingError, StoreError
from minicrawl.search.index_folder import hold_index, index_errors, index_path, open_index, replacing, store_mark
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import Store, open_store
from minicrawl.system import STOPPING, on_signals, running
from minicrawl.web.kept_text import KeptText, Repeated, unpack

if TYPE_CHECKING:
    from minicrawl.search.inverted import InvertedIndex

BATCH = 500
"""Texts indexed in one commit."""


class Follower:
    """Brings an index up to date with its store. Nobody else may write to the index meanwhile.

    `seconds_to_look`: duration of the last scan of the store.
    """

    def __init__(self, store: Store, index: "InvertedIndex") -> None:
        self._store, self.index = store, index
        self._repeated: dict[str, Repeated] = {}
        self.seconds_to_look = 0.0

    def _difference(self) -> tuple[list[int], list[int], dict[str, float | str | None]]:
        """The difference as of the store's last commit: pages whose text is to be added, in the order of the texts;
        those whose text is to be removed; and how far the index will have followed the store. Scans all pages."""
        started = time.monotonic()
        with self._store.snapshot():
            query = "SELECT page, text FROM texts CROSS JOIN pages ON pages.id = page WHERE state = 'fetched'"
            wanted: dict[int, int] = dict(self._store.rows(query))
            size = self._store.texts.size
        with index_errors(self.index.path):
            had = self.index.texts()
        new = sorted((text, page) for page, text in wanted.items() if had.get(page) != text)
        self.seconds_to_look = time.monotonic() - started
        return [page for _, page in new], sorted(had.keys() - wanted.keys()), {"texts": size}

    def catch_up(self, stop: Callable[[], bool] = lambda: False) -> int:
        """Index everything in the store; the number of texts added or removed. stop: asked between two commits."""
        new, gone, state = self._difference()
        done = 0
        self._repeated.clear()
        work = iter([*((page, True) for page in gone), *((page, False) for page in new)])
        while not stop() and (some := list(islice(work, BATCH))):
            texts = {page: None if is_gone else self._read(page) for page, is_gone in some}
            with self.index.transaction():
                for page, text in texts.items():
                    if text is None:
                        self.index.remove(page)
                    else:
                        self.index.put(page, *text)
            done += len(some)
        if not stop():
            least = self._store.value("SELECT min(importance) FROM weighed WHERE importance > 0")
            self.index.set_state(**state, least=least)
        return done

    def _read(self, page: int) -> tuple[int, KeptText] | None:
        """The id of the current text of a page, and the text; None if it is gone by now."""
        with self._store.snapshot():
            text = self._store.value("SELECT text FROM texts WHERE page = ?", page)
            record = self._store.texts.record(page)
            if text is None or record is None:
                return None
            url = self._store.page_table.url(page)
            host = url.split("/", 3)[2]
            if host not in self._repeated:
                self._repeated[host] = self._store.texts.repeated(page)
        return text, unpack(record, url, self._repeated[host])


@contextmanager
def following(path: Path, *, rebuild: bool = False) -> Iterator[Follower]:
    """The `Follower` of the store at `path`; the index is made if there is none.

    rebuild: a new index replaces it if the block succeeds. Raises StoreError.
    """
    index = index_path(path)
    with open_store(path) as store, hold_index(index), ExitStack() as stack:
        place = stack.enter_context(replacing(index)) if rebuild else index
        yield Follower(store, stack.enter_context(open_index(place, store_mark(store.hash_key), writes=True)))


def bring_up_to_date(store: Store, *, rebuild: bool = False) -> tuple[int, int, int]:
    """Index all texts of a store. Returns the number of texts that were taken in, and pages and bytes of the index.
    Raises SettingError, StoreError.

    rebuild: from nothing; what is there stays until the new one is whole.
    """
    if not store.texts.size:
        raise SettingError(f"{store.path} has no texts to make an index of; continue the crawl with --search")
    with following(store.path, rebuild=rebuild) as follower:
        return follower.catch_up(), len(follower.index.texts()), follower.index.size()


_ENDED = b"."
_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
"""Seconds between two rounds of indexing."""
_PART = 5
"""A pause is one part in so many of the crawl's time so far: the row of a page is rewritten after every round that
reads new links to it."""
_SHARE = 10
"""Scans of the store take one second in so many, at most."""
_LESS_URGENT = 10
_PATIENCE = 15.0
"""Seconds that a crawl with --time waits for its index; what is left by then is for the next run."""


@dataclass
class Indexer:
    """Has the index follow a run of a crawl, if its settings ask for one: see `minicrawl.crawler.run.Beside`. awaiting:
    entered while the crawl waits for the index. handle_signals: a signal leaves the rest for later. So do `patience`
    seconds where the run itself was limited in time."""

    awaiting: Callable[[], AbstractContextManager[None]] = nullcontext
    handle_signals: bool = False
    patience: float = _PATIENCE
    _is_timed: bool = field(default=False, init=False)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)

    def begin(self, store: Path, settings: CrawlSettings) -> None:
        self._is_timed = settings.time is not None
        if not settings.search:
            return
        self._process = subprocess.Popen(
            running("minicrawl.search.following", str(store)),
            stdin=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            process_group=0,  # so that Ctrl-C reaches the crawl alone
        )

    async def end(self, *, is_over: bool) -> None:
        process = self._process
        if process is None:
            return
        loop = asyncio.get_running_loop()
        bound = loop.call_later(self.patience, process.kill) if self._is_timed else None
        with on_signals(loop, STOPPING if self.handle_signals else (), process.kill), self.awaiting():
            await asyncio.to_thread(self._ended, process, catch_up=is_over)
        if bound is not None:
            bound.cancel()

    def _ended(self, process: subprocess.Popen[bytes], *, catch_up: bool) -> None:
        """Tell the process that the crawl has ended, and wait for it. catch_up: let it index what is left first."""
        assert process.stdin is not None
        began = time.monotonic()
        with suppress(BrokenPipeError):
            if catch_up:
                process.stdin.write(_ENDED)
            process.stdin.close()
        # The process itself has reported an index that cannot be used.
        if process.wait() not in (0, StoreError.exit_code):
            log.event("index-behind")
        elif catch_up and not process.returncode:
            log.event("index-caught-up", seconds=time.monotonic() - began)


def follow_crawl(follower: Follower, line: IO[bytes]) -> None:
    """Index what the crawl stores, until `line` says that it has ended, or closes."""

    def is_over() -> bool:
        return bool(select.select([line], [], [], 0)[0])

    begun = time.monotonic()
    while not is_over():
        started = time.monotonic()
        follower.catch_up(is_over)
        now = time.monotonic()
        select.select([line], [], [], pause(now - begun, now - started, follower.seconds_to_look))
    if line.read(1) == _ENDED:
        follower.catch_up()


def pause(elapsed: float, took: float, looked: float) -> float:
    """Seconds until the next round, `elapsed` seconds into the crawl. took: of the last round; looked: of its scan."""
    return max(_PAUSE, min(elapsed / _PART, _LONGEST_PAUSE), took, _SHARE * looked)


def main() -> int:
    os.nice(_LESS_URGENT)
    try:
        with following(Path(sys.argv[1])) as follower, open(0, "rb", buffering=0, closefd=False) as line:
            follow_crawl(follower, line)
    except MinicrawlError as error:
        print(f"Warning: {error}", file=sys.stderr)  # noqa: T201 - a process of its own
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
