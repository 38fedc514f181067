"""A process that has the index follow a running crawl (`crawl --search`).

It only reads the store, and what it has not taken in yet it takes in later: so the index may be behind the store, never
before it, and no commit of the crawl waits for it. It is told over its standard input when the crawl has ended; where
that ends without a word, the crawl was killed, and what is left is for the next run or 'minicrawl index'.
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
from typing import IO, Any  # Any: callables

from minicrawl import log
from minicrawl.crawler.run import Start, crawl_with
from minicrawl.errors import MinicrawlError, StoreError
from minicrawl.model import CrawlReport
from minicrawl.search.index.following import Follower
from minicrawl.search.index.opening import following
from minicrawl.system import STOPPING, be_less_urgent, on_signals

_ENDED = b"."
_PAUSE = 1.0
"""Seconds between two looks at the store, at least."""
_SHARE = 10
"""A look takes one second in so many, at most."""
_LESS_URGENT = 10


Awaiting = Callable[[Callable[[], str]], AbstractContextManager[None]]
"""A block in which somebody is shown that the index is waited for, and how far it is."""


async def crawl_and_follow(
    *call: Any,
    on_start: Callable[[Start], None] | None = None,
    awaiting: Awaiting = lambda progress: nullcontext(),
    handle_signals: bool = False,
    **options: Any,
) -> CrawlReport:
    """`crawl_with`, with an index that follows where its settings ask for one.

    awaiting: shows that it is behind at the end of the crawl. handle_signals: let a signal leave the rest for later.
    """
    store: Path = call[2]
    process: subprocess.Popen[bytes] | None = None

    def start(run: Start) -> None:
        nonlocal process
        if on_start is not None:
            on_start(run)
        if run.settings.search:
            process = begin_following(store)

    report = None
    try:
        report = await crawl_with(*call, on_start=start, handle_signals=handle_signals, **options)
        return report
    finally:
        if process is not None:
            is_over = report is not None and report.reason != "interrupted"
            how_far = [""]
            names = STOPPING if handle_signals else ()
            with on_signals(asyncio.get_running_loop(), names, process.kill), awaiting(lambda: how_far[-1]):
                await asyncio.to_thread(end_following, process, catch_up=is_over, tell=how_far.append)


def begin_following(store: Path) -> subprocess.Popen[bytes]:
    """A process that has the index of a store follow it."""
    path = os.pathsep.join(filter(None, sys.path))
    return subprocess.Popen(
        [sys.executable, "-m", "minicrawl.search.index.beside_crawl", str(store)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        process_group=0,  # so that Ctrl-C reaches the crawl alone
    )


def end_following(
    process: subprocess.Popen[bytes], *, catch_up: bool, tell: Callable[[str], None] = lambda how_far: None
) -> None:
    """Tell the process that the crawl has ended, and wait for it. catch_up: let it take in what is left before, and
    tell how far it is."""
    assert process.stdin is not None
    assert process.stdout is not None
    with suppress(BrokenPipeError):
        if catch_up:
            process.stdin.write(_ENDED)
        process.stdin.close()
    with process.stdout as lines:
        for line in lines:
            tell(line.decode().strip())
    # Of an index that cannot be used it has said itself what is wrong, and the way out.
    if process.wait() not in (0, StoreError.exit_code):
        log.index_behind()


def follow_crawl(follower: Follower, line: IO[bytes], tell: Callable[[str], None] = lambda how_far: None) -> None:
    """Take in what the store gets, until `line` says that the crawl has ended, or ends itself.

    tell: is told how far it is then.
    """

    def is_over() -> bool:
        """Whether the crawl is no more."""
        return bool(select.select([line], [], [], 0)[0])

    while not is_over():
        started = time.monotonic()
        follower.catch_up(is_over)
        select.select([line], [], [], max(_PAUSE, _SHARE * follower.seconds_to_look, time.monotonic() - started))
    if line.read(1) == _ENDED:
        follower.catch_up(on_progress=lambda now: tell(f"{now.done:,} of {now.all:,} texts"))
        tell("merging its pieces")
        follower.optimize()


def main() -> int:
    be_less_urgent(_LESS_URGENT)
    try:
        with following(Path(sys.argv[1])) as follower, open(0, "rb", buffering=0, closefd=False) as line:
            follow_crawl(follower, line, _tell)
    except MinicrawlError as error:
        print(f"Warning: {error}", file=sys.stderr)  # noqa: T201 - a process of its own
        return error.exit_code
    return 0


def _tell(how_far: str) -> None:
    with suppress(OSError):  # whoever listened was killed; the rest can be taken in all the same
        os.write(1, f"{how_far}\n".encode())


if __name__ == "__main__":
    sys.exit(main())
