"""A crawl in detail, for whoever watches it: frozen values. Times are Unix seconds."""

from dataclasses import dataclass
from typing import NamedTuple

from minicrawl.model import InFlightNow, LimitsNow, RunState, Silence, Sums


class HostNow(NamedTuple):
    """What a host of a running crawl does.

    `doing`: "asked", requests to it are in flight; "opening", its address or its robots.txt is asked for; "ready", it
    may be asked; "waiting", as in `HostWait`; "banned"; "idle", none of its pages waits. `until`, `why`: of one that
    waits. `delay`: seconds between two requests to it; `failures`: in a row.
    """

    host: str
    doing: str
    until: float | None
    why: str | None
    delay: float
    failures: int


class CoursePoint(NamedTuple):
    """A crawl as it stood at a moment of its course.

    `seconds`: of crawling by then, in all runs, pauses left out; `fetched`, `bytes`: answers for pages in them, and
    bytes of their bodies. `known`, `read`, `given_up`: pages, the last ones failed or forbidden. `coverage`: as in
    `Progress`.
    """

    seconds: float
    at: float
    fetched: int
    bytes: int
    known: int
    read: int
    given_up: int
    coverage: float


@dataclass(frozen=True, slots=True)
class RunLook:
    """A running crawl between two answers, in more detail, but without a look at every page.

    `coverage`, `errors`, `silence`, `earlier`: as in `Progress`. `requests`: in flight, the oldest first, some of them.
    `hosts`: some of them, those that are asked or wait first; `doing`: how many hosts do what; both are empty where no
    hosts were asked for. `statuses`, `latencies`: answers of this run by class of status and by time taken, see
    minicrawl/crawler/loop/measurements.py; `latency`: seconds of all of them. `took`: seconds that went into the look.
    """

    coverage: float
    errors: dict[str, int]
    silence: Silence | None
    earlier: Sums
    requests: tuple[InFlightNow, ...]
    hosts: tuple[HostNow, ...]
    doing: dict[str, int]
    statuses: dict[str, int]
    latencies: dict[str, int]
    latency: float
    took: float


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """A worker process at one moment.

    `number`: which worker it is; one that is replaced leaves its number to the next. `doing`: "starting", "idle",
    "fetching", or "leaving" for one that gets no more requests; `since`: when it began to, in Unix seconds.
    `in_flight`: requests it has to answer. `pages`, `bytes`: answers for pages so far, and bytes of their bodies.
    `cpu`: seconds that it had used at its last beat. `memory`: bytes that it has, where the system tells.
    """

    number: int
    pid: int
    doing: str
    since: float
    in_flight: int
    pages: int
    bytes: int
    cpu: float
    memory: int | None


@dataclass(frozen=True, slots=True)
class RunStatus:
    """A running crawl at one moment, as far as that can be told at once.

    `reason`: why it stops or has ended, as in `CrawlReport`. `fetched`, `bytes`, `seconds`: of this run, pauses left
    out. `in_flight`: hosts that are being asked; `waits_for`: how many pages have come and wait, by what for: "parser",
    the process for large pages, or "hooks". `workers`: the worker processes; none where this process fetches.
    """

    state: RunState
    reason: str | None
    fetched: int
    bytes: int
    seconds: float
    known: int
    read: int
    in_flight: int
    waits_for: dict[str, int]
    workers: tuple[WorkerStatus, ...]
    limits: LimitsNow
    banned: tuple[str, ...]
