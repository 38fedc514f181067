"""Format a look at a crawl as OpenMetrics 1.0, for Prometheus and others, one metric family after the other.

docs/dashboard.md has a table of all families; docs/grafana.json shows them.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import Any  # Any: JSON

MEDIA_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
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
    ("hosts_in_flight", "Hosts that are being asked", "in_flight"),
    ("coverage_ratio", "Share of importance the read pages hold, from below", "coverage"),
)
_OF_WORK: _Table = (
    ("commits_total", "Commits in this run", "commits"),
    ("commit_rows_total", "Rows written by commits in this run", "commit_rows"),
    ("commit_seconds_total", "Seconds spent on commits in this run", "commit_seconds"),
    ("turns_uncommitted", "Turns of pages, with their texts, that await a commit", "uncommitted"),
    ("store_bytes", "Bytes of the store with its log", "store_bytes"),
    ("text_bytes", "Bytes of the kept texts", "text_bytes"),
    ("archive_bytes_total", "Bytes of the archive's files, of all runs", "archive_bytes"),
)
_OF_WORKER: _Table = (
    ("pages_total", "Answers of a worker", "pages"),
    ("bytes_total", "Bytes of bodies of a worker", "bytes"),
    ("cpu_seconds_total", "CPU seconds of a worker", "cpu"),
    ("memory_bytes", "Memory of a worker", "memory"),
    ("requests_in_flight", "Open requests of a worker", "in_flight"),
)
_OF_PARTITION: _Table = (
    ("pages_fetched_total", "Answers for pages in this run, of a partition's process", "fetched"),
    ("pages_known", "Known pages of a partition", "known"),
    ("pages_read", "Pages of a partition that were read", "read"),
    ("hosts_in_flight", "Hosts that a partition is asking", "in_flight"),
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
    yield from _family(
        "unanswered_total", "Requests for pages without an answer, by reason", _by("reason", look.get("failed"))
    )
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
    yield from _family("process_cpu_seconds_total", "CPU seconds of a process below", _of(processes, "cpu", "pid"))
    yield from _family("process_memory_bytes", "Memory of a process below", _of(processes, "memory", "pid"))


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
