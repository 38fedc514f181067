"""The first requests of a crawl, and the pages it would leave out: simulated on a copy of the store, without requests.

Every answer is assumed to arrive at once and to have no links: so times are the earliest possible, and pages that are
not known yet are missing.
"""

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any  # Any: JSON

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.admission.seeds import Seeds, spelled
from minicrawl.crawler.books.stored_forms import banned_hosts
from minicrawl.crawler.due_requests import DueRequests
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.outcomes.retries import ask_again
from minicrawl.crawler.remembered_settings import resumed
from minicrawl.crawler.requests.request import HOST_BANNED, Request
from minicrawl.crawler.steps import STEPS
from minicrawl.crawler.steps.duplicates import SoftErrors
from minicrawl.errors import SeedError
from minicrawl.model import Fetched
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import open_store
from minicrawl.store.upkeep import backup
from minicrawl.store.writer import Writer
from minicrawl.web.urls.keys import origin_of

_MOST_TURNS = 100_000
_LONGEST_WAIT = 86_400.0
_TICK = 1e-3
_STEPS = tuple(step for step in STEPS if step is not SoftErrors)  # which asks for pages that cannot exist


@dataclass(frozen=True)
class Planned:
    """A planned request. `place`: its number, from 1; `after`: seconds from now, at the earliest."""

    place: int
    url: str
    after: float
    is_page: bool


@dataclass(frozen=True)
class HostPlan:
    """Planned requests to a host. `delay`: seconds between two requests to it."""

    host: str
    delay: float
    requests: list[Planned] = field(default_factory=list)


@dataclass(frozen=True)
class LeftOut:
    """Pages that would be left out for one reason. `rule`: the rule for the example, in words, if any."""

    reason: str
    pages: int
    example: str
    rule: str | None


@dataclass(frozen=True)
class DryRun:
    """`waiting`: number of pages without a turn, new seeds included. `hosts`: in the order of their first requests."""

    waiting: int
    hosts: list[HostPlan]
    left_out: list[LeftOut]


def dry_run(  # noqa: PLR0913 - what a crawl is called with, and how much of it is wanted
    given: Mapping[str, Any], forgotten: Iterable[str], seeds: Seeds, store: Path, *, most: int, now: float
) -> DryRun:
    """Simulate the next run of a crawl. Raises ConfigError, SeedError, StoreError.

    given, forgotten: as in remembered_settings.py. most: limit of requests for pages. now: Unix seconds.
    """
    with TemporaryDirectory(prefix="minicrawl-") as folder:
        copy, kept = Path(folder) / "crawl.db", {}
        if store.exists():
            backup(store, copy)
            with open_store(store) as original:  # files beside it are not beside the copy
                kept = original.settings
        with closing(Writer(copy)) as writer:
            settings = resumed(kept, given, forgotten).settings
            if not seeds.urls and not writer.size():
                raise SeedError(f"you gave no seeds, and there is no crawl at {store} to continue")
            known = spelled(seeds, writer.page_table.find, keep_parameters=settings.keep_parameters)
            ask_again(writer, known.urls, settings.retry)
            quiet = replace(settings, text=False, search=False, archive=None, items="", hook=())
            intake = Intake(writer, quiet, now, kinds=_STEPS)
            intake.start(known.urls, now, known.guessed)
            for name in banned_hosts(writer):
                if (host := intake.state.hosts.known(name)) is not None:
                    intake.state.frontier.ban(host, now)
            rehearsal = _Rehearsal(intake, quiet, now)
            waiting = rehearsal.waiting()
            rehearsal.run(most)
            return DryRun(waiting, list(rehearsal.hosts.values()), rehearsal.left_out())


class _Rehearsal:
    """Begins the requests of a crawl, each as soon as its host may get a request; every answer is empty."""

    def __init__(self, intake: Intake, settings: CrawlSettings, now: float) -> None:
        self.hosts: dict[str, HostPlan] = {}
        self._intake, self._state = intake, intake.state
        self._accounts, self._frontier = intake.state.accounts, intake.state.frontier
        self._settings = settings
        self._begins = self._now = now
        self._noted = 0
        self._refused: dict[str, list[int]] = {}

    def run(self, most: int) -> None:
        """Simulate up to `most` requests for pages."""
        requests = DueRequests(self._intake, self._settings)
        asked = 0
        for _ in range(_MOST_TURNS):
            if asked >= most:
                return
            due = requests.next(self._now, attempts=True)
            if due is None:
                ready = requests.next_ready()
                if ready is None or ready > self._begins + _LONGEST_WAIT:
                    return
                self._now = max(self._now + _TICK, ready)
                continue
            begun = requests.begun(due, self._now)
            if begun is not None:
                asked += begun.is_page
                self._note(begun)
                self._end(begun)
            elif due.page is not None and self._accounts.had_turn[due.page]:
                reason = self._state.pages.last_turn(due.page).reason
                self._refused.setdefault(reason, []).append(due.page)

    def _note(self, request: Request) -> None:
        host = request.host
        plan = self.hosts.setdefault(host.name, HostPlan(host.name, host.delay))
        self._noted += 1
        plan.requests.append(Planned(self._noted, request.url, max(0.0, self._now - self._begins), request.is_page))

    def _end(self, request: Request) -> None:
        if request.is_page and request.page is not None:
            self._frontier.release(request.page, self._now)
        else:  # nothing there, such as no robots.txt
            request.fetched = Fetched(request.url, status=404)
            request.on_answer(self._now)

    def waiting(self) -> int:
        """Number of pages that wait for their first turn."""
        return int(np.count_nonzero(self._unvisited()))

    def _unvisited(self) -> "npt.NDArray[np.bool_]":
        known = slice(0, self._accounts.size)
        unvisited: npt.NDArray[np.bool_] = ~self._accounts.had_turn[known]
        return unvisited & ~self._accounts.book.is_mirror(known)

    def left_out(self) -> list[LeftOut]:
        """Pages whose turn made no request, and pages without a turn, by reason; most pages first."""
        refused = dict(self._refused)
        for host in self._frontier.banned():
            host_of = self._frontier.pages.host_of[: self._accounts.size]
            pages = np.flatnonzero(self._unvisited() & (host_of == host.id)).tolist()
            if pages:
                refused[HOST_BANNED] = refused.get(HOST_BANNED, []) + pages
        found = [LeftOut(reason, len(pages), *self._example(pages[0])) for reason, pages in refused.items()]
        return sorted(found, key=lambda one: -one.pages)

    def _example(self, page: int) -> tuple[str, str | None]:
        """The URL of a page, and the line of robots.txt that decides on it."""
        url = self._state.urls.url(page)
        robots = self._intake.robots.state(origin_of(url))
        rules = None if robots is None else robots.rules
        return url, None if rules is None else rules.deciding_line(self._settings.user_agent, url)
