"""The progress of a crawl in words."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from minicrawl.cli.output import amount, duration, silence_line, span
from minicrawl.crawler.loop.limits import aims
from minicrawl.errors import counted
from minicrawl.log import printable
from minicrawl.model import Progress, RunState

SHOWN = 10
"""Pages in the list of the best."""


class Bar(NamedTuple):
    """A limit of a run. `share`: the share reached; `left`: time left as text, "" if unknown."""

    share: float
    what: str
    left: str


_STEADY = 0.8
"""Least part of a run's mean speed at which the time left is estimated while no host is ready."""
_WORDS: Mapping[str, tuple[Callable[..., str], str]] = {
    "pages": (lambda pages: f"{pages:,}", " pages"),
    "time": (duration, ""),
    "bytes": (amount, ""),
    "until_coverage": (lambda share: f"{share:.1%}", " coverage"),
}


def bars(progress: Progress) -> Iterator[Bar]:
    """The limits of the run with their progress."""
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
        is_known = aim.name in speed and not (waits and aim.left and aim.name != "time")
        left = _left(aim.left) if is_known else ""
        yield Bar(min(max(aim.done / aim.of, 0.0), 1.0), f"{text(aim.done)} of {text(aim.of)}{what}", left)


def doing(progress: Progress) -> str:
    """The state of the crawl, and the reason for its end."""
    match progress.state:
        case RunState.STARTING:
            return "taking in the seeds"
        case RunState.PAUSED:
            finishing = f"; {_requests(progress)} being finished" if progress.in_flight else ""
            return f"paused{finishing}; 'minicrawl control resume' goes on"
        case RunState.STOPPING | RunState.ENDED if progress.in_flight:
            return f"stopping: {_requests(progress)} being finished; Ctrl-C stops at once"
        case RunState.STOPPING | RunState.ENDED:
            return "stopping: the ranking is being settled"
    if progress.has_its_pages:
        return "keeping the files that its pages need; Ctrl-C stops it, and the next run goes on"
    return (
        "running"
        if any(progress.limits)
        else "running until nothing is left to fetch; Ctrl-C stops it, nothing is lost"
    )


def _requests(progress: Progress) -> str:
    return f"{counted(progress.in_flight, 'request')} {'is' if progress.in_flight == 1 else 'are'}"


def _left(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"about {span(seconds)} left" if seconds > 0 else "reached"


Best = tuple[tuple[float, str], ...]
"""Importance and URL, best first."""


def plain(progress: Progress, best: Best) -> str:
    """The progress in one line."""
    first = f"; first {printable(best[0][1])}" if best else ""
    silence = f"; {silence_line(progress.silence)}" if progress.silence is not None else ""
    state = f" {doing(progress)};" if progress.state is not RunState.RUNNING or progress.has_its_pages else ""
    done = [f"{bar.what}{f', {bar.left}' if bar.left else ''}" for bar in bars(progress)]
    fetched = progress.earlier.fetched + progress.fetched
    size = amount(progress.earlier.bytes + progress.bytes)
    return (
        f"{duration(progress.seconds)}:{state} {counted(fetched, 'page')}, {progress.pages_per_second:.1f}/s, "
        f"{size}, {progress.known:,} known, {progress.never_read:,} not read, "
        f"{counted(progress.hosts_ready, 'host')} ready, {progress.hosts_waiting} waiting, "
        f"{progress.in_flight} in flight, "
        f"{sum(progress.given_up.values()):,} given up{''.join(f'; {part}' for part in done)}{first}{silence}"
    )
