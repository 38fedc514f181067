"""Charts: the shape of the crawled web, the crawl over time, curves of a few hundred points.

The shape is that of 'minicrawl graph stats', computed by that command in a process of its own: it may take seconds in
which pages must be answered, and SciPy is an optional dependency.
"""

import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any  # Any: JSON

import numpy as np
import numpy.typing as npt

from minicrawl.errors import StoreError
from minicrawl.store.reader import open_store
from minicrawl.system import running

Reading = Mapping[str, Any]
_BINS = 150
_LONGEST = 600.0
_MOST_LOOKS = 500


def shape(store: Path) -> Reading:
    """The output of 'minicrawl graph stats --json' for a store. Raises StoreError with its message if it fails.

    `shape`: the output; `at`: its time in Unix seconds; `took`: seconds.
    """
    command = running("minicrawl", "graph", "stats", "--json", "--store", str(store))
    began = time.time()
    try:
        ended = subprocess.run(command, capture_output=True, check=False, timeout=_LONGEST, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as error:
        raise StoreError("the shape of so many links takes too long; see 'minicrawl graph stats'") from error
    if ended.returncode:
        lines = ended.stderr.decode("utf-8", "replace").strip().splitlines() or ["Error: no reason was given"]
        raise StoreError(lines[-1].removeprefix("Error: "))
    return {"shape": json.loads(ended.stdout), "at": began, "took": time.time() - began}


class Shapes:
    """Computes the shape of one store, and keeps the distances of pages from each computation."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._looks: dict[int, Reading] = {}

    def look(self) -> Reading:
        """The `shape` with `looks`: all distances so far, by rising numbers of pages read."""
        reading = shape(self._store)
        found = reading["shape"]
        read = found["pages"] - (found["never_read"] or 0)
        distances, core = found["distances"], found["core"]
        self._looks[read] = {
            "read": read,
            "average": distances["average"],
            "longest": core["diameter"]["lower"],
            "relative_error": 0.0 if distances["is_exact"] else distances["relative_error"],
        }
        if len(self._looks) > _MOST_LOOKS:
            self._looks = {at: self._looks[at] for at in sorted(self._looks)[::2]} | {read: self._looks[read]}
        return {**reading, "looks": [self._looks[at] for at in sorted(self._looks)]}


def course(store: Path) -> Reading:
    """Counts of pages by state and reason, and the crawl over time: each point has the fields of `CoursePoint`.

    For a crawl that ended before it had points, pages and bytes are those of the last answers of its pages, `seconds`
    count from the first answer, and the other fields are missing.
    """
    with open_store(store) as reader, reader.snapshot():
        counts = reader.page_table.counts()
        points: list[Reading] = [point._asdict() for point in reader.course()]
        if len(points) < 2:
            points = list(_by_answers(*reader.page_table.answers_by_time(_BINS)))
    return {
        "states": [{"state": state, "reason": reason, "pages": n} for (state, reason), n in counts.items()],
        "points": points,
    }


def _by_answers(first: float, seconds: float, bins: list[tuple[int, int, int]]) -> Iterator[Reading]:
    """The crawl over time from the last answers of its pages, counted in bins of time."""
    fetched = size = 0
    if bins:
        yield {"seconds": 0.0, "at": first, "fetched": 0, "bytes": 0}
    for number, (pages, _, of_bin) in enumerate(bins, start=1):
        fetched, size = fetched + pages, size + of_bin
        yield {"seconds": number * seconds, "at": first + number * seconds, "fetched": fetched, "bytes": size}


_ANSWERS, _ANSWER_BINS, _LISTED = 200_000, 100, 50
_CLASSES = (2, 3, 4, 5)


def answers(store: Path, host: str = "") -> Reading:
    """The latest answers of a host, or of "" all, over time: at most 200,000 are read, a second's work.

    `bins`: by rising time `at` (Unix seconds), each with the numbers of answers by class ("2xx"), the bytes, and the
    median and 90th percentile of their seconds. `statuses`: numbers of answers. `hosts`: those with the most of them.
    `count`: answers of the host among the `read` latest; `all`: answers that there are. `apart`: seconds of a bin.
    """
    with open_store(store) as reader, reader.snapshot():
        each = [part.page_table.latest_answers(_ANSWERS // len(reader.parts)) for part in reader.parts]
        names = [part.hosts.names() for part in reader.parts]
    by_host = Counter[str]()
    for (rows, _), named in zip(each, names, strict=True):
        ids, counts = np.unique(rows[:, 0].astype(np.int64), return_counts=True)
        by_host.update({named[number]: count for number, count in zip(ids.tolist(), counts.tolist(), strict=True)})
    numbers = [{number for number, name in named.items() if name == host} for named in names]
    found = np.concatenate(
        [rows[np.isin(rows[:, 0], list(own))] if host else rows for (rows, _), own in zip(each, numbers, strict=True)]
    )
    statuses, counts = np.unique(found[:, 2].astype(np.int64), return_counts=True)
    apart, bins = _binned(found)
    return {
        "bins": bins,
        "apart": apart,
        "statuses": dict(zip(statuses.tolist(), counts.tolist(), strict=True)),
        "hosts": [{"name": name, "answers": count} for name, count in by_host.most_common(_LISTED)],
        "count": len(found),
        "read": sum(len(rows) for rows, _ in each),
        "all": sum(count for _, count in each),
    }


def _binned(rows: npt.NDArray[np.float64]) -> tuple[float, list[Reading]]:
    """Seconds of a bin, and the bins; without answers, quantiles are None. rows: see `PageTable.latest_answers`."""
    if not len(rows):
        return 1.0, []
    first, last = rows[:, 1].min(), rows[:, 1].max()
    apart = max((last - first) / _ANSWER_BINS, 0.05)
    bins = np.minimum((rows[:, 1] - first) // apart, _ANSWER_BINS - 1)
    order = np.lexsort((rows[:, 3], bins))
    ordered, numbers = rows[order], np.arange(bins.max() + 1)
    starts, ends = (np.searchsorted(bins[order], numbers, side=side) for side in ("left", "right"))

    def total(values: npt.NDArray[Any]) -> list[float]:
        sums = np.concatenate(([0], np.cumsum(values)))
        return (sums[ends] - sums[starts]).tolist()  # type: ignore[no-any-return]

    def quantile(share: float) -> list[float | None]:
        at = starts + np.ceil(share * (ends - starts)).astype(np.int64) - 1
        return [ordered.item(i, 3) if end > start else None for i, start, end in zip(at, starts, ends, strict=True)]

    columns = {
        "at": (first + (numbers + 0.5) * apart).tolist(),
        **{f"{one}xx": total(ordered[:, 2] // 100 == one) for one in _CLASSES},
        "bytes": total(ordered[:, 4]),
        "median": quantile(0.5),
        "p90": quantile(0.9),
    }
    return float(apart), [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


_POINTS = 200


def share_curve(shares: npt.NDArray[np.float64], n: int | None = None) -> list[tuple[int, float]]:
    """Cumulative sums of shares as points (k, sum of the first k), for k from 0 to n, or to all."""
    sums = np.concatenate(([0.0], np.cumsum(shares[:n])))
    at = np.unique(np.linspace(0, len(sums) - 1, _POINTS).round().astype(np.int64))
    return list(zip(at.tolist(), sums[at].tolist(), strict=True))
