"""What a crawl is doing, how far it is, when it will be done and what it waits for, in words."""

import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from minicrawl.cli.fitting import cells
from minicrawl.cli.output import amount, counted, duration, printable
from minicrawl.model import HostWait, Progress, RunState


class Aim(NamedTuple):
    """A limit of a run. `share`: how much of it is reached; `left`: when it will be, "" where nobody can tell."""

    share: float
    what: str
    left: str


def aims(progress: Progress) -> Iterator[Aim]:
    """The limits of the run, each with how far it is."""
    limits = progress.limits
    if limits.pages:
        left = _left(limits.pages - progress.fetched, progress.pages_per_second)
        yield Aim(_share(progress.fetched, limits.pages), f"{progress.fetched:,} of {limits.pages:,} pages", left)
    if limits.time:
        left = _left(limits.time - progress.seconds, 1.0)
        yield Aim(
            _share(progress.seconds, limits.time), f"{duration(progress.seconds)} of {duration(limits.time)}", left
        )
    if limits.bytes:
        left = _left(limits.bytes - progress.bytes, progress.bytes_per_second)
        yield Aim(_share(progress.bytes, limits.bytes), f"{amount(progress.bytes)} of {amount(limits.bytes)}", left)
    if limits.until_coverage:
        share = _share(progress.coverage, limits.until_coverage)
        yield Aim(share, f"{progress.coverage:.1%} of {limits.until_coverage:.1%} coverage", "")


def doing(progress: Progress) -> str:
    """What the crawl is doing, and what ends that."""
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
    if any(progress.limits):
        return "running"
    return "running until nothing is left to fetch; Ctrl-C stops it, nothing is lost"


def waits_line(waits: Sequence[HostWait], columns: int) -> str:
    """ "example.org until 12:03:10, Crawl-delay 30 s; ..." by the local clock: as many as there is room for."""
    line = _wait(waits[0])
    for wait in waits[1:]:
        longer = f"{line}; {_wait(wait)}"
        if cells(longer) > columns:
            break
        line = longer
    return line


def _wait(wait: HostWait) -> str:
    until = time.strftime("%H:%M:%S", time.localtime(wait.until))
    reasons = {
        "delay": f"delay {wait.delay:.3g} s",
        "crawl-delay": f"Crawl-delay {wait.delay:.3g} s",
        "slow": f"slow, so every {wait.delay:.3g} s",
        "failures": f"{counted(wait.failures, 'failure')} in a row",
        "rest": "it asked for a rest",
        "address": f"its address has a delay of {wait.delay:.3g} s",
    }
    return f"{printable(wait.host)} until {until}, {reasons[wait.why]}"


def _requests(progress: Progress) -> str:
    return f"{counted(progress.in_flight, 'request')} {'is' if progress.in_flight == 1 else 'are'}"


def _left(rest: float, per_second: float) -> str:
    """How long the rest takes at this speed."""
    if rest <= 0:
        return "reached"
    return f"about {_rounded(rest / per_second)} left" if per_second > 0 else ""


def _rounded(seconds: float) -> str:
    """A time that nobody can know to the second."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    if seconds < 3600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 2 * 86_400 else f"{seconds / 86_400:.0f} days"


def _share(done: float, of: float) -> float:
    return min(max(done / of, 0.0), 1.0)
