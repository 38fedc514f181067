"""Show a crawl while it runs: a live display, or plain lines without a terminal."""

import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr
from pathlib import Path
from typing import TextIO, cast

from rich.cells import cell_len

from minicrawl.cli.output import (
    reassuring,
)
from minicrawl.cli.progress_words import SHOWN, Best, plain
from minicrawl.errors import StoreError
from minicrawl.model import Progress, RunState

_STYLE = re.compile(r"\x1b\[[\d;]*m")


class Frame:
    """The last lines on a terminal, with the cursor behind the last of them.

    When the terminal is made narrower, it wraps longer lines, so the frame takes more rows. Each frame replaces the
    previous one in a single write, so that nothing flickers. Other output appears above it.
    """

    def __init__(self, out: TextIO, size: Callable[[], tuple[int, int]]) -> None:
        """size: gives columns and rows of the terminal."""
        self._out = out
        self._size = size
        self._drawn: list[str] = []

    @property
    def room(self) -> tuple[int, int]:
        """Columns and rows for a frame: one less than the terminal's, so that nothing wraps or scrolls."""
        columns, rows = self._size()
        return max(columns - 1, 1), max(rows - 1, 1)

    def draw(self, lines: Sequence[str]) -> None:
        """Replace the frame by these lines. Each must fit, not counting its style codes."""
        lines = lines[: self.room[1]]
        self._out.write(self._erased() + "\n".join(lines))
        self._out.flush()
        self._drawn = list(lines)

    def clear(self) -> None:
        """Remove the frame."""
        self.draw([])

    def write(self, text: str) -> int:
        """Print other output above the frame; the next frame is drawn below it."""
        self._out.write(self._erased() + text)
        self._drawn = []
        return len(text)

    def flush(self) -> None:
        self._out.flush()

    def isatty(self) -> bool:
        return self._out.isatty()

    def _erased(self) -> str:
        """The control codes that erase the frame."""
        if not self._drawn:
            return ""
        columns = self._size()[0]
        rows = sum(max(1, -(-cell_len(_STYLE.sub("", line)) // columns)) for line in self._drawn)
        up = f"\x1b[{rows - 1}A" if rows > 1 else ""
        return f"\r{up}\x1b[J"


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
        from minicrawl.analysis.top.top_list import first_lines
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
    if not live:
        yield _plain_lines(best)
        return
    from minicrawl.cli.live_display import drawn, terminal

    console = terminal()
    if console.is_dumb_terminal:
        yield _plain_lines(best)
        return
    frame = Frame(sys.stderr, _size)

    def show(progress: Progress) -> None:
        frame.draw(drawn(progress, best(), frame.room, console))

    try:
        with redirect_stderr(cast(TextIO, frame)):
            yield show
    finally:
        frame.clear()


@contextmanager
def awaiting_index(live: bool) -> Iterator[None]:
    """Report on standard error that the crawl waits for its index, once that takes long."""
    frame = Frame(sys.stderr, _size)

    def say(line: str) -> None:
        if live:
            frame.draw([line[: frame.room[0]]])
        else:
            print(line, file=sys.stderr, flush=True)  # noqa: T201

    with reassuring(_AWAITED, say, 1.0 if live else _PLAIN_SECONDS):
        yield
    frame.clear()


def _size() -> tuple[int, int]:
    size = shutil.get_terminal_size()
    return size.columns, size.lines


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
