"""Show a crawl while it runs: a live display, or plain lines without a terminal."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from minicrawl.cli.output import reassuring
from minicrawl.cli.progress_words import SHOWN, Best, plain
from minicrawl.errors import StoreError
from minicrawl.model import Progress, RunState

_PLAIN_SECONDS = 5.0
_AWAITED = "the index takes in what is left, which Ctrl-C leaves for the next run"


_LEAST_APART = 1.0
_TIMES_AS_LONG = 50
"""Pause between two reads of the store, as a multiple of a read's time: the crawl waits meanwhile."""


def _is_elsewhere(store: Path) -> bool:
    """True if stores are on other machines, whose answers a crawl must not wait for."""
    from minicrawl.store.partitions.folder import folder_at, is_folder

    return is_folder(store) and bool(folder_at(store).machines)


class BestSoFar:
    """The first lines of `minicrawl top` as of the last commit, updated from time to time."""

    def __init__(self, store: Path, clock: Callable[[], float] = time.perf_counter) -> None:
        """clock: gives seconds."""
        self._store = store
        self._clock = clock
        self._not_before = 0.0
        self._best: Best = ()

    def __call__(self) -> Best:
        began = self._clock()
        if began >= self._not_before and self._store.exists():
            self._best = self._looked_up()
            now = self._clock()
            self._not_before = now + max(_LEAST_APART, _TIMES_AS_LONG * (now - began))
        return self._best

    def _looked_up(self) -> Best:
        from minicrawl.analysis.top import first_lines
        from minicrawl.store.reader import open_store

        try:
            if _is_elsewhere(self._store):
                return self._best
            with open_store(self._store) as reader:
                pages = [line.page for line in first_lines(reader, SHOWN)]
                return tuple((page.importance, page.url) for page in pages)
        except StoreError:  # the store is still empty; the crawl reports other errors
            return self._best


@contextmanager
def showing(live: bool, best: Callable[[], Best]) -> Iterator[Callable[[Progress], None]]:
    """Yield a function that shows progress on standard error: live, or a plain line every few seconds."""
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True, highlight=False)
    if not live or console.is_dumb_terminal:
        yield _plain_lines(best)
        return
    from minicrawl.cli.live_display import render

    with Live(console=console, auto_refresh=False, transient=True, redirect_stdout=False) as display:

        def show(progress: Progress) -> None:
            display.update(render(progress, best(), console.width, console.height), refresh=True)

        yield show


@contextmanager
def awaiting_index(every: float = _PLAIN_SECONDS) -> Iterator[None]:
    """Report on standard error that the crawl waits for its index, once that takes long."""

    def say(line: str) -> None:
        print(line, file=sys.stderr, flush=True)  # noqa: T201

    with reassuring(_AWAITED, say, every):
        yield


def _plain_lines(best: Callable[[], Best]) -> Callable[[Progress], None]:
    shown_at, state = 0.0, RunState.RUNNING

    def show(progress: Progress) -> None:
        nonlocal shown_at, state
        now = RunState.RUNNING if progress.state is RunState.STARTING else progress.state
        is_other, state = now is not state, now
        is_news = is_other and progress.reason in (None, "interrupted")  # by somebody who wants to see it
        if is_news or progress.seconds - shown_at >= _PLAIN_SECONDS:
            shown_at = progress.seconds
            print(plain(progress, best()), file=sys.stderr, flush=True)  # noqa: T201

    return show
