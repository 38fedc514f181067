"""Hosts of a crawl that mirror other hosts (`rank/mirrors.py`), http and https told apart."""

from array import array
from typing import NamedTuple
from zlib import crc32

import numpy as np

from minicrawl.model import State
from minicrawl.rank.mirrors import mirrors
from minicrawl.store.reader import Store


class Mirror(NamedTuple):
    """A host that mirrors another, the most important of those with the same pages; both as origins, scheme://host.

    compared: number of paths read on it and on one of these; alike: mean share of content that is in both there.
    """

    host: str
    of: str
    compared: int
    alike: float


def mirrors_of(store: Store) -> list[Mirror]:
    """All hosts that mirror another, by name; scans all pages. Raises StoreError."""
    with store.snapshot():
        blocks = list(store.recognised.fingerprints())
        names, host, path = dict[str, int](), array("q"), array("q")
        for url in store.page_table.urls():
            behind = url.split("/", 3)[3]
            host.append(names.setdefault(url[: -len(behind) - 1], len(names)))
            path.append(crc32(behind.encode()))
        if not blocks or len(names) < 2:
            return []
        hosts, paths = (np.frombuffer(column, np.int64) for column in (host, path))
        is_there = [state not in (State.ERROR, State.GONE) for state, _ in store.page_table.states()]
        importance = np.bincount(hosts, store.ranks.importance())
    page, payload, sketch = (
        np.concatenate(each) for each in zip(*((b.page, b.payload, b.sketch) for b in blocks), strict=True)
    )
    a, b, *told = mirrors(hosts, np.where(is_there, paths, -1), page, payload, sketch)
    order = np.argsort(-importance, kind="stable")
    best = np.argsort(order)  # by importance, the first host that each hangs together with
    while (best[a] != best[b]).any():
        least = np.minimum(best[a], best[b])
        for one in (a, b):
            np.minimum.at(best, one, least)
    rows = sorted(zip(*(column.tolist() for column in (*told[:2], a, b)), strict=True))
    of_host = {one: (compared, min(round(alike, 3), 1.0)) for compared, alike, *pair in rows for one in pair}
    origins, leader = list(names), order[best].tolist()
    return sorted(Mirror(origins[one], origins[leader[one]], *of_host[one]) for one in of_host if leader[one] != one)
