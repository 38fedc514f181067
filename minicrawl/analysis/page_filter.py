"""Filter of pages by site, words, or an expression."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.urls.keys import is_on
from minicrawl.errors import SettingError
from minicrawl.store.ranks import RankedPage
from minicrawl.store.reader import Store
from minicrawl.store.selection import Condition


@dataclass(frozen=True)
class PageFilter:
    """A user's filter: a page is wanted if each field given holds for it.

    site: one of these hosts or domains above, with commas between; words: all of them stand in the URL or the title;
    where: see `minicrawl.store.selection`.
    """

    site: str | None = None
    where: str | None = None
    words: str | None = None

    @property
    def is_empty(self) -> bool:
        """True if it wants all pages."""
        return self == PageFilter()


def wanted(store: Store, asked: PageFilter) -> npt.NDArray[np.bool_]:
    """True for each wanted page, by number, shape (size,). Raises SettingError, StoreError."""
    conditions = list(_conditions(store, asked))
    found = store.selection.by(conditions) if conditions else np.ones(store.size(), dtype=np.bool_)
    return found & store.selection.where(asked.where) if asked.where is not None else found


def best_wanted(
    store: Store, asked: PageFilter, n: int, importance: npt.NDArray[np.float64] | None = None
) -> tuple[int, list[RankedPage]]:
    """Number of wanted pages, and the n most important ones with their ranks among all pages. importance: of every
    page by number; None: it is read. Raises SettingError, StoreError."""
    with store.snapshot():
        is_wanted = wanted(store, asked)
        order = np.argsort(-(store.ranks.importance() if importance is None else importance), kind="stable")
        places = np.flatnonzero(is_wanted[order])
        best = places[:n]
        rows = store.ranks.rows(order[best].tolist())
    return len(places), [rows[int(order[place])]._replace(rank=place + 1) for place in best.tolist()]


def _conditions(store: Store, asked: PageFilter) -> Iterator[Condition]:
    if asked.site is not None:
        yield _site(store, [word.strip().lower() for word in asked.site.split(",")])
    yield from map(_holds, (asked.words or "").split())


def _site(store: Store, words: Sequence[str]) -> Condition:
    names = [host.name for host in store.hosts.all()]
    for word in words:
        if not any(is_on(name, word) for name in names):
            raise SettingError(f"--site takes a domain or a host of which a page is known to this crawl, not {word!r}")
    hosts = [name for name in names if any(is_on(name, word) for word in words)]
    by_name = "host IN (SELECT id FROM hosts WHERE name IN (SELECT value FROM json_each(?)))"
    return Condition(by_name, [json.dumps(hosts)])


def _holds(word: str) -> Condition:
    pattern = "%" + re.sub(r"([%_\\])", r"\\\1", word) + "%"
    return Condition("url LIKE ? ESCAPE '\\' OR title LIKE ? ESCAPE '\\'", [pattern, pattern])
