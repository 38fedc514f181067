"""Pages with the text of a given page, found before or after it.

A page is represented by a sketch of 40 bytes (`crawler.html.sketch`); the more runs of three words two pages share, the
less their sketches differ. All sketches of a store are compared, so copies are found that are less similar than the
near-duplicates that a crawl marks. A text embedded in much other text is not found.
"""

from typing import NamedTuple

import numpy as np

from minicrawl.analysis.explain import explain
from minicrawl.crawler.html.fingerprint import BITS
from minicrawl.crawler.recognise.duplicate_kinds import kind_of
from minicrawl.errors import SettingError
from minicrawl.store.reader import Store

LEAST = 0.6
"""Least similarity: below, any two pages in one language may be as similar by chance."""


class Copy(NamedTuple):
    """A page with the text of another.

    alike: estimated share of runs of three words in either that are in both; 1 for the same bytes. kind: as for
    near-duplicates, None where the URLs give no hint. fetched_at: Unix seconds of its last answer. after: seconds from
    the original's answer to this one's, negative if earlier. is_later: first answered after the original.
    """

    url: str
    alike: float
    kind: str | None
    fetched_at: float
    after: float
    is_later: bool


def copies(store: Store, text: str, least: float = 0.8) -> list[Copy]:
    """The pages with the text of the page that a user means, in the order of their first answers.

    least: their least similarity, LEAST to 1. Raises SettingError where the page has no fingerprint.
    """
    if not LEAST <= least <= 1.0:
        raise SettingError(f"--alike must be {LEAST:g} to 1, not {least:g}")
    with store.snapshot():
        found = explain(store, text)
        page = store.page_table.find([found.url]).get(found.url)
        own = None if page is None else store.recognised.fingerprint(page)
        if page is None or own is None:
            raise SettingError(
                f"{found.url} has no text to be told by in this crawl ({found.state}, {found.reason}); name a page of "
                "HTML that was read"
            )
        read_at = _fetched_at(store, page)
        carried, is_later = [], False
        for number, likeness in _alike(store, own.payload, own.sketch, least):
            if number == page:
                is_later = True
                continue
            url, at = store.page_table.url(number), _fetched_at(store, number)
            carried.append(Copy(url, likeness, kind_of(url, found.url), at, at - read_at, is_later))
        return carried


def _alike(store: Store, payload: int, sketch: bytes | None, least: float) -> list[tuple[int, float]]:
    """Pages with their similarity, the page itself included, in the order of their first answers."""
    bits = None if sketch is None else np.frombuffer(sketch, np.uint64)
    found = []
    for block in store.recognised.fingerprints():
        likeness = (block.payload == payload).astype(np.float64)
        if bits is not None:
            differing = np.bitwise_count(block.sketch ^ bits).sum(axis=1, dtype=np.int64)
            by_sketch = np.where(block.sketch.any(axis=1), np.maximum(0.0, 1 - 2 * differing / BITS), 0.0)
            likeness = np.maximum(likeness, by_sketch)
        rows = np.flatnonzero(likeness >= least)
        found += list(zip(block.page[rows].tolist(), likeness[rows].tolist(), strict=True))
    return found


def _fetched_at(store: Store, page: int) -> float:
    return float(store.page_table.facts(page)["fetched_at"])
