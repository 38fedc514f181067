"""Show a crawl while it runs: its progress in words, in plain lines or as a live display."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from minicrawl.analysis.host_words import resting_line
from minicrawl.cli.options import naming_store
from minicrawl.cli.output import amount, duration, reassuring, silence_line
from minicrawl.crawler.loop.limits import aims
from minicrawl.errors import StoreError, counted, span
from minicrawl.log import printable
from minicrawl.model import Progress, RunState

SHOWN = 10
"""Pages in the list of the best."""


_STEADY = 0.8
"""Least part of a run's mean speed at which the time left is estimated while no host is ready."""
_WORDS: Mapping[str, tuple[Callable[..., str], str]] = {
    "pages": (lambda pages: f"{pages:,}", " pages"),
    "time": (duration, ""),
    "bytes": (amount, ""),
    "until_coverage": (lambda share: f"{share:.1%}", " coverage"),
}


def bars(progress: Progress) -> Iterator[tuple[float, str]]:
    """The limits of the run: the share reached of each, and its figures with the time left if that is known."""
    done = {
        "pages": progress.fetched,
        "time": progress.seconds,
        "bytes": progress.bytes,
        "until_coverage": progress.coverage,
    }
    speed = {"pages": progress.pages_per_second, "time": 1.0, "bytes": progress.bytes_per_second}
    waits = not progress.hosts_ready and progress.pages_per_second * progress.seconds < _STEADY * progress.fetched
    for aim in aims(progress.limits._asdict(), done, speed):
        text, what = _WORDS[aim.name]
        figures = f"{text(aim.done)} of {text(aim.of)}{what}"
        if aim.left is not None and aim.name in speed and not (waits and aim.left and aim.name != "time"):
            figures += f", about {span(aim.left)} left" if aim.left > 0 else ", reached"
        yield min(max(aim.done / aim.of, 0.0), 1.0), figures


def doing(progress: Progress) -> str:
    """The state of the crawl, and the reason for its end."""
    match progress.state:
        case RunState.STARTING:
            return "reading the seeds"
        case RunState.PAUSED:
            finishing = f"; {_requests(progress)} being finished" if progress.in_flight else ""
            return naming_store(f"paused{finishing}; 'minicrawl control resume' continues")
        case RunState.STOPPING | RunState.ENDED if progress.in_flight:
            return f"stopping: {_requests(progress)} being finished; Ctrl-C stops at once"
        case RunState.STOPPING | RunState.ENDED:
            return "stopping: settling the ranking"
    if progress.has_its_pages:
        return "fetching the files that pages need; Ctrl-C stops it, and the next run continues"
    to_the_end = "" if any(progress.limits) else " until nothing is left to fetch; Ctrl-C stops it without loss"
    return f"running{to_the_end}"


def _requests(progress: Progress) -> str:
    return f"{counted(progress.in_flight, 'request')} {'is' if progress.in_flight == 1 else 'are'}"


Best = tuple[tuple[float, str], ...]
"""Importance and URL, best first."""


def plain(progress: Progress, best: Best) -> str:
    """The progress in one line."""
    first = f"; first {printable(best[0][1])}" if best else ""
    silence = f"; {silence_line(progress.silence)}" if progress.silence is not None else ""
    ill = f"; {resting_line(progress.ill_hosts[0], time.time())}" if progress.ill_hosts else ""
    state = f" {doing(progress)};" if progress.state is not RunState.RUNNING or progress.has_its_pages else ""
    done = "".join(f"; {done}" for _, done in bars(progress))
    fetched = progress.earlier.fetched + progress.fetched
    size = amount(progress.earlier.bytes + progress.bytes)
    return (
        f"{duration(progress.seconds)}:{state} {counted(fetched, 'page')}, {progress.pages_per_second:.1f}/s, "
        f"{size}, {progress.known:,} known, {progress.never_read:,} not read, "
        f"{counted(progress.hosts_ready, 'host')} ready, {progress.hosts_waiting} waiting, "
        f"{progress.in_flight} in flight, "
        f"{sum(progress.given_up.values()):,} given up{done}{first}{silence}{ill}"
    )


_PLAIN_SECONDS = 5.0
_AWAITED = "the index catches up; Ctrl-C leaves the rest for the next run"


_LEAST_APART = 1.0
_TIMES_AS_LONG = 50
"""Pause between two reads of the store, as a multiple of a read's time: the crawl waits meanwhile."""


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

        if self._store.is_dir():  # partitions, whose answers a crawl must not wait for
            return ()
        try:
            with open_store(self._store) as reader:
                pages = [line.page for line in first_lines(reader, SHOWN)]
                return tuple((page.importance, page.url) for page in pages)
        except StoreError:  # the store is still empty; the crawl reports other errors
            return self._best


@contextmanager
def showing(live: bool, best: Callable[[], Best]) -> Iterator[Callable[[Progress], None]]:
    """Yield a function that shows progress on standard error: live, or a plain line every few seconds."""
    if live:
        from rich.console import Console

        console = Console(stderr=True, highlight=False)
    if not live or console.is_dumb_terminal:
        yield _plain_lines(best)
        return
    from rich.live import Live

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
