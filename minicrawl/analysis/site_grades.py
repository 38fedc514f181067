"""Grades of sites for archiving, by importance."""

from typing import NamedTuple

from minicrawl.analysis.numbered_sites import DIVISIONS
from minicrawl.analysis.sites import sites_of
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
    graded = []
    for place, row in enumerate(rows, 1):
        grade = 1 + (len(rows) - place) * grades // len(rows)
        size = sizes.get(row.site, 0)
        fits = left is None or size <= left
        left = left - size if left is not None and fits else left
        graded.append(GradedSite(row.site, grade, row.importance, row.read, size, fits))
    return graded
