"""The values of `meta` of all partitions, and their course, as those of one store."""

import json
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any  # Any: JSON

import numpy as np

from minicrawl.model import CoursePoint
from minicrawl.store.archived import FILES
from minicrawl.store.declaration import MetaValue
from minicrawl.store.tables import COMMIT

_ONLY_HERE = {
    *(COMMIT, "cluster", "partition", "partitions", "carried", "hash_key", "is_ranked"),
    *("archive_indexed", "asked_first"),  # refer to numbers of rows
}
"""Keys of `meta` that only partitions have, or that a store gets later."""
_OTHERWISE: dict[str, Callable[[Any], Any]] = {
    **dict.fromkeys(("virtual", "window", "links_left_out", "sitemap_thirds", "discovery_credit"), sum),
    **dict.fromkeys(("run_at", "asked_until", "in_doubt", "shared_out"), max),
    **dict.fromkeys(("runs", "seconds", "since", "pause", FILES), max),
    "voice_level": min,
    "stopped": lambda some: ", ".join(dict.fromkeys(some)),
}
_JSON = {"run", "earlier_runs", "sitemaps_left_out", "hook_errors", "banned_hosts", "refuted_canonicals", FILES}
"""How values of `meta`, and of JSON in it, become one. Of all other keys the first value counts."""


def merged(each: Sequence[Mapping[str, MetaValue]]) -> dict[str, MetaValue]:
    """The values of all partitions by key, as one store would have them."""
    keys = dict.fromkeys(chain(*each))
    return {key: None if key in _ONLY_HERE else _merged(key, [values.get(key) for values in each]) for key in keys}


def _merged(key: str, values: Sequence[Any], numbers: Callable[[Any], Any] = itemgetter(0)) -> Any:
    """One value of those of all partitions: JSON name by name. numbers: what becomes of them but for those keys whose
    largest, say, counts; in JSON they are added up."""
    some = [value for value in values if value is not None]
    if not some:
        return None
    if key in _JSON and isinstance(some[0], str):
        return json.dumps(_merged(key, list(map(json.loads, some)), sum))
    if isinstance(some[0], dict):
        names = dict.fromkeys(chain(*some))
        return {name: _merged(FILES if key == FILES else name, [one.get(name) for one in some], sum) for name in names}
    if isinstance(some[0], list):
        return sorted(set(chain(*some)))
    return _OTHERWISE.get(key, numbers)(some)


def course(each: Sequence[Sequence[CoursePoint]]) -> list[CoursePoint]:
    """Points of all partitions added up, at the times of the one that has crawled longest; its coverage counts.

    Values between two points are interpolated.
    """
    some = [points for points in each if points]
    if not some:
        return []
    longest = max(some, key=lambda points: points[-1].seconds)
    at = [point.at for point in longest]
    at[-1] = max(points[-1].at for points in some)  # by then all have finished
    for name in ("fetched", "bytes", "known", "read", "given_up"):
        lines = [([point.at for point in points], [getattr(point, name) for point in points]) for points in some]
        values = sum(np.interp(at, *line, left=0.0) for line in lines)
        pairs = zip(longest, values.tolist(), strict=True)
        longest = [point._replace(**{name: round(value)}) for point, value in pairs]
    return [point._replace(at=moment) for point, moment in zip(longest, at, strict=True)]
