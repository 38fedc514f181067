"""Looks: the state of a crawl at one moment, running or not. The common data of all pages of the dashboard.

A running crawl is asked over its socket, and answers from memory; for any other crawl the store is read.
Prometheus and others get a look as OpenMetrics 1.0, one metric family after the other, each with its meaning;
docs/grafana.json shows them.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any  # Any: JSON

from minicrawl.analysis.status import AtRest
from minicrawl.control.asking import ask
from minicrawl.control.commands import EventLog, adjustable
from minicrawl.crawler.loop.limits import aims
from minicrawl.crawler.loop.measurements import Speed
from minicrawl.dashboard.readings import Readings, partition
from minicrawl.errors import CrawlEndedError, StoreError
from minicrawl.model import NOTHING_YET

Look = Mapping[str, Any]
"""A JSON object. `at`: Unix seconds. `crawl`: "running", "resting", "busy" (it does not answer), or "none" yet."""

_HOSTS = 300
# Hosts may be many: seconds between two looks at them, at least, and as a multiple of the time that a look takes.
_HOSTS_LEAST, _HOSTS_APART = 1.5, 100.0
_LATELY = 10.0
"""Seconds over which speed is measured."""
_NOTHING_SEEN: Look = {
    **dict.fromkeys(("coverage", "coverage_about", "coverage_shown", "errors", "silence", "statuses")),
    **{name: [] for name in ("requests", "hosts")},
    **{name: {} for name in ("doing", "host_states", "failed", "histograms", "pages", "work")},
    "earlier": NOTHING_YET._asdict(),
}


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
            hosts = _HOSTS if self._clock() >= self._hosts_due else 0
            message = {"do": "look", "after": self._events.seen[self._last.get("pid")], "hosts": hosts}
            answer = ask(self._readings.path, [message], begins=0.0, answers=2.0)[0]
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
        if new := answer["pid"] != self._last.get("pid"):
            del self._events.seen[answer["pid"]]  # of a process before, whose number is used again
            self._speed.forget()
        self._events.take(answer["pid"], answer["events"])
        if answer.get("hosts"):
            self._hosts_due = self._clock() + max(_HOSTS_LEAST, _HOSTS_APART * answer["took"])
        elif not new:  # the hosts of the last look
            kept = {name: self._last.get(name, _NOTHING_SEEN[name]) for name in ("hosts", "doing", "host_states")}
            answer = {**answer, **kept}
        self._speed.record(answer["seconds"], answer["fetched"], answer["bytes"])
        # A crawl that begins or ends answers less; its last answers still hold.
        before = _NOTHING_SEEN if new or self._last.get("crawl") != "running" else self._last
        pages, size = self._speed.now()
        return _with_aims({**before, **answer, "crawl": "running", "speed": {"pages": pages, "bytes": size}})

    def _without_answer(self, why: str) -> Look:
        if not self._readings.has_begun():
            return {"crawl": "none", "state": "none"}
        if self._last.get("crawl") in ("running", "busy") and self._readings.is_in_use():
            return {**self._last, "crawl": "busy", "why": why}
        self._speed.forget()
        found = self._readings.at_rest()
        parts = [partition(part) for part in found[0].partitions]
        return {**at_rest(found), **({"partitions": parts} if parts else {})}


def at_rest(found: AtRest) -> Look:
    """A look at a crawl that does not run or listen, with the keys of a running one."""
    status, earlier, banned, settings = found
    of_run: dict[str, Any] = {"fetched": 0, "bytes": 0, "seconds": 0.0, "errors": {}}
    if status.run is not None:
        of_run = {name: getattr(status.run, name) for name in (*of_run, "coverage", "coverage_about", "coverage_shown")}
    seconds = of_run["seconds"] or 1.0
    return {
        **_NOTHING_SEEN,
        "crawl": "busy" if status.running else "resting",
        "state": "busy" if status.running else "ended",
        "reason": status.stopped,
        **of_run,
        "known": status.known,
        "read": status.read,
        "waiting": status.states.get("waiting", 0),
        "in_flight": 0,
        "earlier": earlier._asdict(),
        "workers": [],
        "aims": [],
        "speed": {"pages": of_run["fetched"] / seconds, "bytes": of_run["bytes"] / seconds},
        "banned": banned,
        "settings": adjustable(settings),
        "last_commit": status.last_commit,
        "ill_hosts": sum(host.waiting > 0 for host in status.ill_hosts),
        "ill_pages": status.unasked.ill,
        "watched": status.figures.get("watch", {}).get("rounds"),
    }


def _with_aims(look: dict[str, Any]) -> Look:
    done = {
        "pages": look["fetched"],
        "time": look["seconds"],
        "bytes": look["bytes"],
        "until_coverage": look.get("coverage") or 0.0,
    }
    speed = {**look["speed"], "time": 1.0} if look["state"] == "running" else {}
    return {**look, "aims": [aim._asdict() for aim in aims(look["limits"], done, speed)]}


MEDIA_TYPE = "application/openmetrics-text; version=1.0.0"
_Samples = list[tuple[Mapping[str, str], float]]
"""Labels and value of each sample."""
_Table = tuple[tuple[str, str, str], ...]
"""Name, help and key of each family."""
_OF_RUN: _Table = (
    ("pages_fetched_total", "Answers for pages in this run", "fetched"),
    ("bytes_fetched_total", "Bytes of bodies in this run", "bytes"),
    ("run_seconds_total", "Seconds of this run, pauses left out", "seconds"),
    ("cpu_seconds_total", "CPU seconds of the main process", "cpu"),
    ("memory_bytes", "Memory of the main process", "memory"),
    ("pages_known", "Known pages", "known"),
    ("pages_read", "Known pages that were read", "read"),
    ("hosts_in_flight", "Hosts with a request in flight", "in_flight"),
    ("coverage_ratio", "Share of importance that the read pages hold at least", "coverage"),
    ("coverage_about_ratio", "Share of importance that the read pages hold, about", "coverage_about"),
    ("coverage_shown_ratio", "Share of importance that the read pages hold at most", "coverage_shown"),
)
_OF_WORK: _Table = (
    ("commits_total", "Commits in this run", "commits"),
    ("commit_rows_total", "Rows written by commits in this run", "commit_rows"),
    ("commit_seconds_total", "Seconds spent on commits in this run", "commit_seconds"),
    ("turns_uncommitted", "Turns of pages, with their texts, that await a commit", "uncommitted"),
    ("store_bytes", "Bytes of the store with its log", "store_bytes"),
    ("archive_bytes_total", "Bytes of the archive's files, of all runs", "archive_bytes"),
)
_OF_WORKER: _Table = (
    ("pages_total", "Answers of a worker", "pages"),
    ("bytes_total", "Bytes of bodies of a worker", "bytes"),
    ("cpu_seconds_total", "CPU seconds of a worker", "cpu"),
    ("memory_bytes", "Memory of a worker", "memory"),
    ("requests_in_flight", "Requests of a worker in flight", "in_flight"),
)
_OF_PARTITION: _Table = (
    ("pages_fetched_total", "Answers for pages in this run, of a partition's process", "fetched"),
    ("pages_known", "Known pages of a partition", "known"),
    ("pages_read", "Pages of a partition that were read", "read"),
    ("hosts_in_flight", "Hosts with a request of a partition in flight", "in_flight"),
    ("mirrors", "URLs of others that a partition has links to", "mirrors"),
    ("rows_to_send", "Rows of a partition that their homes have not confirmed", "waiting"),
    ("cpu_seconds_total", "CPU seconds of a partition's process", "cpu"),
    ("memory_bytes", "Memory of a partition's process", "memory"),
    ("deaths_total", "Processes of a partition that have died in this run", "deaths"),
)
_HISTOGRAMS = (
    ("latency_seconds", "Duration of the requests that were answered"),
    ("size_bytes", "Bytes of the answers' bodies"),
)


def metrics(look: Mapping[str, Any]) -> str:
    """The metrics of a look. Missing values are left out, not zero."""
    return "".join(f"{line}\n" for line in (*_lines(look), "# EOF"))


def _lines(look: Mapping[str, Any]) -> Iterator[str]:
    yield from _family("up", "1 while the crawl answers", [({}, float(look["crawl"] == "running"))])
    if look["crawl"] == "none":
        return
    yield from _family("paused", "1 while the crawl is paused", [({}, float(look["state"] == "paused"))])
    for table, values in ((_OF_RUN, look), (_OF_WORK, look.get("work", {}))):
        for name, about, key in table:
            yield from _family(name, about, [({}, values[key])] if values.get(key) is not None else [])
    yield from _family("answers_total", "Answers for pages, by class of status", _by("status", look.get("statuses")))
    failed = _by("reason", look.get("failed"))
    yield from _family("unanswered_total", "Requests for pages without an answer, by reason", failed)
    for name, about in _HISTOGRAMS:
        yield from _histogram(name, about, look.get("histograms", {}).get(name, {}))
    pages = [(kind.split("/", 1), float(count)) for kind, count in sorted(look.get("pages", {}).items())]
    by_both: _Samples = [({"state": state, "reason": reason}, count) for (state, reason), count in pages]
    yield from _family("pages", "Pages by state and reason, as of the last commit", by_both)
    yield from _family("hosts", "Hosts by what they do or wait for", _by("state", look.get("host_states")))
    for prefix, table, label in (("worker", _OF_WORKER, "workers"), ("partition", _OF_PARTITION, "partitions")):
        for name, about, key in table:
            yield from _family(f"{prefix}_{name}", about, _of(look.get(label, ()), key, prefix))
    processes = [one | {"number": one["pid"]} for one in look.get("processes", ())]
    yield from _family("process_cpu_seconds_total", "CPU seconds of a child process", _of(processes, "cpu", "pid"))
    yield from _family("process_memory_bytes", "Memory of a child process", _of(processes, "memory", "pid"))


def _by(label: str, counts: Mapping[str, float] | None) -> _Samples:
    return [({label: name}, float(count)) for name, count in sorted((counts or {}).items())]


def _of(those: Iterable[Mapping[str, Any]], key: str, label: str) -> _Samples:
    """A sample for each worker, partition or process that has the value; processes are named, too."""
    some = [one for one in those if one.get(key) is not None]
    names = [{"process": one["name"]} if label == "pid" else {} for one in some]
    return [({label: str(one["number"]), **name}, float(one[key])) for one, name in zip(some, names, strict=True)]


def _histogram(name: str, about: str, by_scheme: Mapping[str, Mapping[str, float]]) -> Iterator[str]:
    """by_scheme: numbers by upper bound, not cumulative, and their sum."""
    if by_scheme:
        yield from _head(name, "histogram", about)
    for scheme, counts in by_scheme.items():
        bounds = [bound for bound in counts if bound != "sum"]
        within = list(accumulate(counts[bound] for bound in bounds))
        buckets: _Samples = [({"scheme": scheme, "le": le}, count) for le, count in zip(bounds, within, strict=True)]
        yield from _samples(f"{name}_bucket", buckets)
        yield from _samples(f"{name}_count", [({"scheme": scheme}, within[-1])])
        yield from _samples(f"{name}_sum", [({"scheme": scheme}, counts["sum"])])


def _family(name: str, about: str, samples: _Samples) -> Iterator[str]:
    """A counter if its name ends in _total, else a gauge."""
    if samples:
        yield from _head(name.removesuffix("_total"), "counter" if name.endswith("_total") else "gauge", about)
        yield from _samples(name, samples)


def _head(family: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP minicrawl_{family} {about}."
    yield f"# TYPE minicrawl_{family} {kind}"


def _samples(name: str, samples: _Samples) -> Iterator[str]:
    for labels, value in samples:
        inside = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
        yield f"minicrawl_{name}{f'{{{inside}}}' if inside else ''} {value:.17g}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
