"""Hosts of a crawl that mirror other hosts (`rank/mirrors.py`), http and https told apart."""

from typing import NamedTuple
from zlib import crc32

import numpy as np

from minicrawl.crawler.html.fingerprint import SAYS_SOMETHING
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
    """All hosts that mirror another, by name; reads all fingerprints. Raises StoreError."""
    with store.snapshot():
        found = ((each, each.payload & SAYS_SOMETHING != 0) for each in store.recognised.fingerprints())
        blocks = [(one.page[says], one.payload[says], one.sketch[says]) for one, says in found if says.any()]
        if not blocks:
            return []
        page, payload, sketch = (np.concatenate(column) for column in zip(*blocks, strict=True))
        urls, names = store.page_table.urls_of(page.tolist()), dict[str, int]()
        parts = [urls[number].split("/", 3) for number in page.tolist()]
        host = np.array([names.setdefault("/".join(part[:3]), len(names)) for part in parts], np.int64)
        path = np.array([crc32(part[3].encode()) for part in parts], np.int64)
        importance = np.bincount(host, store.ranks.importance()[page])
    a, b, *told = mirrors(host, path, payload, sketch)
    order = np.argsort(-importance, kind="stable")
    best = np.argsort(order)  # by importance, the first host that each hangs together with
    while (best[a] != best[b]).any():
        least = np.minimum(best[a], best[b])
        for one in (a, b):
            np.minimum.at(best, one, least)
    rows = sorted(zip(*(column.tolist() for column in (*told, a, b)), strict=True))
    of_host = {one: (compared, min(round(alike, 3), 1.0)) for compared, alike, *pair in rows for one in pair}
    origins, leader = list(names), order[best].tolist()
    return sorted(Mirror(origins[one], origins[leader[one]], *of_host[one]) for one in of_host if leader[one] != one)
