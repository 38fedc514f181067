"""Hosts that are ill, in words: the lines of `status` and `why`, of a crawl while it runs, and of its end."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from minicrawl.errors import counted
from minicrawl.log import printable
from minicrawl.model import IllHost
from minicrawl.reasons import meaning
from minicrawl.store.hosts import HealthRow

_SHOWN = 10


def resting_line(host: IllHost, now: float) -> str:
    """ "resting: a.test answers 429, again at 14:05; 230 pages wait", in local time."""
    what = f"is {host.kind} ({host.reason})"
    if host.reason.startswith("http-"):
        what = f"answers {host.reason.removeprefix('http-')}"
    again = f"again at {_moment(host.next_at, now)}" if host.next_at > now else "asked again now"
    return f"resting: {printable(host.host)} {what}, {again}; {_wait(host.waiting)}"


def end_line(hosts: Mapping[str, int], pages: int) -> str:
    """ "3 hosts are ill (2 down, 1 walled): 410 pages wait; the next run tries them first". hosts: numbers by kind."""
    number = sum(hosts.values())
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(hosts.items(), key=lambda one: (-one[1], one[0])))
    are = "is" if number == 1 else "are"
    asks = "it" if number == 1 else "them"
    return f"{counted(number, 'host')} {are} ill ({kinds}): {_wait(pages)}; the next run tries {asks} first"


def ill_lines(hosts: Sequence[IllHost], now: float, *, is_running: bool) -> Iterator[str]:
    """A line on all ill hosts, and one for each of those for which most pages wait, in local time."""
    first = sorted(hosts, key=lambda host: (-host.waiting, host.host))[:_SHOWN]
    waited_for = [host for host in hosts if host.waiting]
    if hosts:
        others = len(hosts) - len(waited_for) if waited_for else 0
        also = f"; no page waits for {others:,} more" if others else ""
        yield f"{counted(len(waited_for) or len(hosts), 'host')}; {_wait(sum(host.waiting for host in hosts))}{also}"
    for host in first:
        says = meaning(host.reason) or host.reason
        what = f"{host.kind} since {_moment(host.since, now)} ({printable(host.reason)}: {says})"
        again = _next(host.state, host.next_at, now, is_running=is_running)
        yield f"{printable(host.host)}: {what}; {_tried(host.tries)}{again}; {_wait(host.waiting)}"
    if len(hosts) > len(first):
        yield f"and {len(hosts) - len(first):,} more"


def health_lines(row: HealthRow, read: int, waiting: int, now: float) -> Iterator[str]:
    """The story of a host that is or was ill, in UTC. read, waiting: numbers of its pages."""
    if not row.since:
        return
    why = printable(meaning(row.reason) or row.reason)
    since = _moment(row.since, now, is_utc=True)
    if not row.is_ill:
        yield f"well again since {_moment(row.well_at, now, is_utc=True)}; {row.kind} from {since}: {why}"
        return
    before = f"well until {_moment(row.well_at, now, is_utc=True)} ({counted(read, 'page')})" if read else "never well"
    yield f"{before}; {row.kind} since {since}: {why}"
    if row.state == "gone":
        yield f"not reached in {counted(row.failed_runs, 'run')}: each run tries it once; {_wait(waiting)}"
    else:
        yield f"{_tried(row.tries)}{_next(row.state, row.next_at, now, is_utc=True)}; {_wait(waiting)}"


def _tried(times: int) -> str:
    return "" if not times else f"tried {'once' if times == 1 else f'{times:,} times'}, "


def _next(state: str, at: float, now: float, *, is_running: bool = False, is_utc: bool = False) -> str:
    if state == "gone":
        return "each run tries it once"
    if at > now:
        # The next run keeps to no rest but one that the host has asked for.
        return f"{'next' if is_running else 'at rest until'} {_moment(at, now, is_utc=is_utc)}"
    return "next now" if is_running else "the next run tries it first"


def _wait(pages: int) -> str:
    return f"{counted(pages, 'page') if pages else 'no page'} wait{'' if pages > 1 else 's'}"


def _moment(at: float, now: float, *, is_utc: bool = False) -> str:
    """ "14:05", "2026-11-29 14:05", the latter for another day; with " UTC" behind it, or in local time."""
    zone = UTC if is_utc else None
    try:
        then, today = (datetime.fromtimestamp(seconds, UTC).astimezone(zone) for seconds in (at, now))
    except (OSError, OverflowError, ValueError):  # out of range, from a damaged store
        return f"{at:g} s after 1970"
    shown = then.strftime("%H:%M" if then.date() == today.date() else "%Y-%m-%d %H:%M")
    return f"{shown} UTC" if is_utc else shown
