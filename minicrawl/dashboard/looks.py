"""Looks: the state of a crawl at one moment, running or not. The common data of all pages of the dashboard.

A running crawl is asked over its socket, and answers from memory; for any other crawl the store is read.
"""

import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any  # Any: JSON

from minicrawl.analysis.status import AtRest
from minicrawl.control.asking import Wait, ask
from minicrawl.control.commands import adjustable
from minicrawl.crawler.loop.limits import aims
from minicrawl.crawler.loop.measurements import Speed
from minicrawl.dashboard.readings import Readings, partition
from minicrawl.errors import CrawlEndedError, StoreError
from minicrawl.model import NOTHING_YET

Look = Mapping[str, Any]
"""A JSON object. `at`: Unix seconds. `crawl`: "running", "resting", "busy" (it does not answer), or "none" yet."""

_HOSTS, _EVENTS = 300, 500
# Hosts may be many: seconds between two looks at them, at least, and as a multiple of the time that a look takes.
_HOSTS_LEAST, _HOSTS_APART = 1.5, 100.0
_LATELY = 10.0
"""Seconds over which speed is measured."""
_NOTHING_SEEN: Look = {
    "coverage": None,
    "errors": None,
    "silence": None,
    "earlier": NOTHING_YET._asdict(),
    "requests": [],
    "hosts": [],
    "doing": {},
    "host_states": {},
    "statuses": None,
    "failed": {},
    "histograms": {},
    "pages": {},
    "work": {},
}
_PATIENCE = Wait(begins=0.0, answers=2.0)


class Looks:
    """Looks at one crawl, one at a time; keeps its events and its speed."""

    def __init__(self, readings: Readings, clock: Callable[[], float] = time.time) -> None:
        self._readings = readings
        self._clock = clock
        self._speed = Speed(_LATELY)
        self._events = EventLog()
        self._last: Look = {}
        self._hosts_due = 0.0

    def look(self) -> Look:
        """The current state of the crawl. Raises StoreError for a store that cannot be read."""
        try:
            with_hosts = self._clock() >= self._hosts_due
            message = {"do": "look", "after": self._events.seen, "hosts": _HOSTS if with_hosts else 0}
            answer = ask(self._readings.path, [message], _PATIENCE)[0]
        except CrawlEndedError as ended:
            self._last = self._without_answer(str(ended))
        except StoreError:  # another program locks the store and does not listen
            self._last = self._without_answer("")
        else:
            self._last = self._answered(answer)
        return {**self._last, "at": self._clock(), "store": str(self._readings.path)}

    def events(self, after: int) -> list[Look]:
        """Events with numbers above `after`."""
        return self._events.behind(after)

    def _answered(self, answer: Look) -> Look:
        new = self._events.take(answer["pid"], answer["events"])
        if new:
            self._speed.forget()
        if answer.get("hosts"):
            self._hosts_due = self._clock() + max(_HOSTS_LEAST, _HOSTS_APART * answer["took"])
        elif not new:  # the hosts of the last look
            kept = {name: self._last.get(name, _NOTHING_SEEN[name]) for name in ("hosts", "doing", "host_states")}
            answer = {**answer, **kept}
        self._speed.record(answer["seconds"], answer["fetched"], answer["bytes"])
        # A crawl that begins or ends answers less; its last answers still hold.
        before = _NOTHING_SEEN if new or self._last.get("crawl") != "running" else self._last
        return _with_aims(
            {**before, **answer, "crawl": "running", "speed": self._speed.now()._asdict()},
            is_going_on=answer["state"] == "running",
        )

    def _without_answer(self, why: str) -> Look:
        if not self._readings.has_begun():
            return {"crawl": "none", "state": "none"}
        if self._last.get("crawl") in ("running", "busy") and self._readings.is_in_use():
            return {**self._last, "crawl": "busy", "why": why}
        self._speed.forget()
        found = self._readings.at_rest()
        parts = [partition(part) for part in found[0].partitions]
        return {**at_rest(found), **({"partitions": parts} if parts else {})}


class EventLog:
    """Events of a crawl and of its next runs, in rising numbers of our own."""

    def __init__(self) -> None:
        self._log: deque[dict[str, Any]] = deque(maxlen=_EVENTS)
        self._number = 0
        self._pid = -1
        self.seen = 0
        """The number of the last event in the crawl's own count."""

    def take(self, pid: int, events: list[Look]) -> bool:
        """Add the events of a process. Returns True if it is a new process."""
        is_new = pid != self._pid
        if is_new:
            self._pid, self.seen = pid, 0
        for event in events:
            if event["number"] > self.seen:
                self._number += event["number"] - self.seen  # missed events have numbers, too
                self.seen = event["number"]
                self._log.append({**event, "number": self._number})
        return is_new

    def behind(self, after: int) -> list[Look]:
        return [event for event in self._log if event["number"] > after]


def at_rest(found: AtRest) -> Look:
    """A look at a crawl that does not run or listen, with the keys of a running one."""
    status, earlier, banned, settings = found
    run = status.run
    return {
        "crawl": "busy" if status.running else "resting",
        "state": "busy" if status.running else "ended",
        "reason": status.stopped,
        "fetched": run.fetched if run else 0,
        "bytes": run.bytes if run else 0,
        "seconds": run.seconds if run else 0.0,
        "coverage": run.coverage if run else None,
        "errors": run.errors if run else {},
        "known": status.known,
        "read": status.read,
        "in_flight": 0,
        "earlier": earlier._asdict(),
        "workers": [],
        "requests": [],
        "hosts": [],
        "doing": {},
        "aims": [],
        "speed": {"pages": 0.0, "bytes": 0.0},
        "banned": banned,
        "settings": adjustable(settings),
        "last_commit": status.last_commit,
    }


def _with_aims(look: dict[str, Any], *, is_going_on: bool) -> Look:
    done = {
        "pages": look["fetched"],
        "time": look["seconds"],
        "bytes": look["bytes"],
        "until_coverage": look.get("coverage") or 0.0,
    }
    speed = {**look["speed"], "time": 1.0} if is_going_on else {}
    return {**look, "aims": [aim._asdict() for aim in aims(look["limits"], done, speed)]}
