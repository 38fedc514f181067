"""A process that indexes what a running crawl stores (`crawl --search`).

It only reads the store, and texts that it has not indexed yet it indexes later: the index may lag behind the store, but
is never ahead of it, and no commit waits for it. The crawl says over its standard input that it has ended; if that
closes without a word, the crawl was killed, and the rest is left to the next run or 'minicrawl index'.
"""

import asyncio
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from minicrawl import log
from minicrawl.errors import MinicrawlError, StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.system import STOPPING, be_less_urgent, on_signals, running

if TYPE_CHECKING:
    from minicrawl.search.index.following import Follower

_ENDED = b"."
_PAUSE, _LONGEST_PAUSE = 1.0, 30.0
"""Seconds between two rounds of indexing."""
_PART = 5
"""A pause is one part in so many of the crawl's time so far: the row of a page is written anew after every round that
reads new links to it."""
_SHARE = 10
"""Scans of the store take one second in so many, at most."""
_LESS_URGENT = 10
_PATIENCE = 15.0
"""Seconds that a crawl with --time waits for its index; what is left by then is for the next run."""


class Indexer:
    """Has the index follow a run of a crawl, if its settings ask for one: see `minicrawl.crawler.run.Beside`."""

    def __init__(
        self,
        awaiting: Callable[[], AbstractContextManager[None]] = nullcontext,
        *,
        handle_signals: bool = False,
        patience: float = _PATIENCE,
    ) -> None:
        """awaiting: entered while the crawl waits for the index. handle_signals: a signal leaves the rest for later. So
        do `patience` seconds where the run itself was limited in time."""
        self._awaiting = awaiting
        self._patience = patience
        self._is_timed = False
        self._signals = STOPPING if handle_signals else ()
        self._process: subprocess.Popen[bytes] | None = None

    def begin(self, store: Path, settings: CrawlSettings) -> None:
        self._is_timed = settings.time is not None
        if settings.search:
            self._process = begin_following(store)

    async def end(self, *, is_over: bool) -> None:
        process = self._process
        if process is None:
            return
        loop = asyncio.get_running_loop()
        bound = loop.call_later(self._patience, process.kill) if self._is_timed else None
        with on_signals(loop, self._signals, process.kill), self._awaiting():
            await asyncio.to_thread(end_following, process, catch_up=is_over)
        if bound is not None:
            bound.cancel()


def begin_following(store: Path) -> subprocess.Popen[bytes]:
    """Start a process that keeps the index of a store up to date."""
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.Popen(
        running("minicrawl.search.index.beside_crawl", str(store)),
        stdin=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        process_group=0,  # so that Ctrl-C reaches the crawl alone
    )


def end_following(process: subprocess.Popen[bytes], *, catch_up: bool) -> None:
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


def follow_crawl(follower: "Follower", line: IO[bytes]) -> None:
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
    from minicrawl.search.index.following import following  # noqa: PLC0415 - only this process indexes

    be_less_urgent(_LESS_URGENT)
    try:
        with following(Path(sys.argv[1])) as follower, open(0, "rb", buffering=0, closefd=False) as line:
            follow_crawl(follower, line)
    except MinicrawlError as error:
        print(f"Warning: {error}", file=sys.stderr)  # noqa: T201 - a process of its own
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
