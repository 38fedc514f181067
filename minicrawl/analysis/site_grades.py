"""Grades of sites for archiving, by importance."""

from typing import NamedTuple

import numpy as np

from minicrawl.analysis.numbered_sites import DIVISIONS
from minicrawl.analysis.sites import sites_of
from minicrawl.opic.arrays import FloatArray, IntArray
from minicrawl.store.reader import Store


class GradedSite(NamedTuple):
    """A site with its grade, 1 the lowest. bytes: of its pages read, as received; pages: number of these. is_selected:
    True if it fits the limit."""

    site: str
    grade: int
    importance: float
    pages: int
    bytes: int
    is_selected: bool


def graded_sites(store: Store, kind: str, grades: int, most: int | None = None) -> list[GradedSite]:
    """All sites, the most important first. kind: "site" or "host". most: limit of bytes; each site in turn is
    selected if it still fits. Raises StoreError."""
    rows = sorted(sites_of(store, kind), key=lambda row: (-row.importance, row.site))
    of_site, left = DIVISIONS[kind], most
    sizes: dict[str, int] = {}
    for host, size in store.hosts.bytes().items():
        sizes[of_site(host)] = sizes.get(of_site(host), 0) + size
    # Of equals the first by name counts as the more important.
    found = in_equal_parts(np.array([row.importance for row in rows])[::-1], grades)[::-1]
    graded = []
    for row, grade in zip(rows, found.tolist(), strict=True):
        size = sizes.get(row.site, 0)
        fits = left is None or size <= left
        left = left - size if left is not None and fits else left
        graded.append(GradedSite(row.site, grade, row.importance, row.read, size, fits))
    return graded


def in_equal_parts(importance: FloatArray, grades: int) -> IntArray:
    """Grades given to equally many sites each, give or take one. Of ties, the first gets the lower grade."""
    grade = np.empty(len(importance), dtype=np.int64)
    grade[np.argsort(importance, kind="stable")] = 1 + np.arange(len(importance)) * grades // max(len(importance), 1)
    return grade
