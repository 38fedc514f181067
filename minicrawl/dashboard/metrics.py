"""Format a look at a crawl as OpenMetrics 1.0, for Prometheus and others, one metric family after the other."""

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any  # Any: JSON

MEDIA_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
_Samples = list[tuple[Mapping[str, str], float]]
"""Labels and value of each sample."""


def metrics(look: Mapping[str, Any]) -> str:
    """The metrics of a look. Missing values are left out, not zero."""
    return "".join(f"{line}\n" for line in (*_lines(look), "# EOF"))


def _lines(look: Mapping[str, Any]) -> Iterator[str]:
    yield from _family("up", "gauge", "1 while the crawl answers", [({}, float(look["crawl"] == "running"))])
    if look["crawl"] == "none":
        return
    yield from _family("paused", "gauge", "1 while the crawl is paused", [({}, float(look["state"] == "paused"))])
    for name, kind, about, key in (
        ("pages_fetched_total", "counter", "Answers for pages in this run", "fetched"),
        ("bytes_fetched_total", "counter", "Bytes of bodies in this run", "bytes"),
        ("run_seconds_total", "counter", "Seconds of this run, pauses left out", "seconds"),
        ("cpu_seconds_total", "counter", "CPU seconds of the main process", "cpu"),
        ("memory_bytes", "gauge", "Memory of the main process", "memory"),
        ("pages_known", "gauge", "Known pages", "known"),
        ("pages_read", "gauge", "Pages that were read", "read"),
        ("hosts_in_flight", "gauge", "Hosts that are being asked", "in_flight"),
        ("coverage_ratio", "gauge", "Share of importance the read pages hold, from below", "coverage"),
    ):
        if look.get(key) is not None:
            yield from _family(name, kind, about, [({}, float(look[key]))])
    yield from _family("answers_total", "counter", "Answers in this run", _by("status", look.get("statuses", {})))
    yield from _histogram(look.get("latencies", {}), look.get("latency", 0.0))
    errors = _by("reason", look.get("errors", {}))
    yield from _family("pages_given_up_total", "counter", "Pages given up in this run, by reason", errors)
    yield from _family("hosts", "gauge", "Hosts, by what they do", _by("doing", look.get("doing", {})))
    workers = look.get("workers", [])
    yield from _family("worker_pages_total", "counter", "Answers of a worker", _of(workers, "pages"))
    yield from _family("worker_bytes_total", "counter", "Bytes of bodies of a worker", _of(workers, "bytes"))
    yield from _family("worker_cpu_seconds_total", "counter", "CPU seconds of a worker", _of(workers, "cpu"))
    yield from _family("worker_memory_bytes", "gauge", "Memory of a worker", _of(workers, "memory"))
    parts = look.get("partitions", [])
    for name, kind, about, key in (
        ("pages_fetched_total", "counter", "Answers for pages in this run, of a partition's process", "fetched"),
        ("pages_known", "gauge", "Known pages of a partition", "known"),
        ("pages_read", "gauge", "Pages of a partition that were read", "read"),
        ("hosts_in_flight", "gauge", "Hosts that a partition is asking", "in_flight"),
        ("mirrors", "gauge", "URLs of others that a partition has links to", "mirrors"),
        ("rows_to_send", "gauge", "Rows of a partition that their homes have not confirmed", "waiting"),
        ("cpu_seconds_total", "counter", "CPU seconds of a partition's process", "cpu"),
        ("memory_bytes", "gauge", "Memory of a partition's process", "memory"),
        ("deaths_total", "counter", "Processes of a partition that have died in this run", "deaths"),
    ):
        yield from _family(f"partition_{name}", kind, about, _of(parts, key, "partition"))


def _by(label: str, counts: Mapping[str, float]) -> _Samples:
    return [({label: name}, float(count)) for name, count in sorted(counts.items())]


def _of(those: list[Mapping[str, Any]], key: str, label: str = "worker") -> _Samples:
    return [({label: str(one["number"])}, float(one[key])) for one in those if one.get(key) is not None]


def _histogram(counts: Mapping[str, int], seconds: float) -> Iterator[str]:
    """Histogram of response times. counts: by upper bound, not cumulative."""
    if not counts:
        return
    within = list(accumulate(counts.values()))
    buckets: _Samples = [({"le": bound}, count) for bound, count in zip(counts, within, strict=True)]
    yield from _head("latency_seconds", "histogram", "What answers took in this run")
    yield from _samples("latency_seconds_bucket", buckets)
    yield from _samples("latency_seconds_count", [({}, within[-1])])
    yield from _samples("latency_seconds_sum", [({}, seconds)])


def _family(name: str, kind: str, about: str, samples: _Samples) -> Iterator[str]:
    if samples:
        yield from _head(name.removesuffix("_total"), kind, about)
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
