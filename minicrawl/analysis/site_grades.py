"""Grades of sites for archiving, by importance, and their agreement with librarians."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minicrawl.analysis.numbered_sites import DIVISIONS
from minicrawl.analysis.sites import sites_of
from minicrawl.crawler.urls.keys import authority
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.errors import SettingError
from minicrawl.rank.grades import agreement, as_distributed, in_equal_parts, reference
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


class Agreement(NamedTuple):
    """Share of `sites` sites to which a librarian, or importance, gives exactly the reference grade."""

    name: str
    share: float
    sites: int


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


class Votes(NamedTuple):
    """Librarians' grades. grades: of each site, by every librarian in turn, NaN for none."""

    librarians: list[str]
    grades: Mapping[str, list[float]]


def agreements(sites: Iterable[GradedSite], votes: Votes, grades: int) -> list[Agreement]:
    """Agreement of each librarian, then of importance. Sites that are not graded, or not in the store, are left out.

    Raises SettingError if none is left.
    """
    importance = {one.site: one.importance for one in sites}
    names = [site for site in votes.grades if site in importance]
    if not names:
        raise SettingError("the librarians have graded no site that is in the store; see 'minicrawl top --sites'")
    given = np.array([votes.grades[site] for site in names]).reshape(len(names), len(votes.librarians))
    common = reference(given)
    shares = [
        Agreement(librarian, agreement(column, common), int(np.count_nonzero(~np.isnan(column))))
        for librarian, column in zip(votes.librarians, given.T, strict=True)
    ]
    by_importance = as_distributed(np.array([importance[site] for site in names]), common, grades)
    return [*shares, Agreement("importance", agreement(by_importance.astype(np.float64), common), len(common))]


def read_votes(path: Path, kind: str, grades: int) -> Votes:
    """Read a CSV file: a head, then a site and each librarian's grade, or nothing, per line. Raises SettingError."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            head, *rows = [row for row in csv.reader(file) if any(map(str.strip, row))]
    except (OSError, UnicodeError, csv.Error) as error:
        raise SettingError(f"{path} cannot be read: {error}") from error
    except ValueError:
        raise SettingError(f"{path} is empty; it takes a head such as site,anna,ben, then a line per site") from None
    librarians, of_site = [name.strip() for name in head[1:]], DIVISIONS[kind]
    found: dict[str, list[float]] = {}
    for row in rows:
        site = of_site(_host(row[0], path))
        votes = [_vote(cell, grades, f"{path}, {row[0]}") for cell in row[1:]]
        votes = (votes + [np.nan] * len(librarians))[: len(librarians)]
        if site in found:
            raise SettingError(f"{path} has {site} in two lines; leave one of them")
        if not np.isnan(votes).all():
            found[site] = votes
    return Votes(librarians, found)


def _host(text: str, path: Path) -> str:
    """The host of a site given by URL or name. Raises SettingError."""
    url = normalise(text if "//" in text else f"http://{text}")
    if url is None:
        raise SettingError(f"{path} has a line for {text!r}, which is no site; write a host, or the URL of a page")
    return authority(url)


def _vote(cell: str, grades: int, where: str) -> float:
    cell = cell.strip()
    if not cell:
        return np.nan
    if not cell.isdecimal() or not 1 <= int(cell) <= grades:
        raise SettingError(f"{where}: a grade is 1 to {grades} (--grades), or nothing, not {cell!r}")
    return float(cell)
