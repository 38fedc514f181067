"""Repair of an old crawl's seeds by a newer crawl: vanished seeds are replaced.

The paper (Daneshpajouh, Nasiri, Ghodsi 2008) found a ninth of its seeds again on a newer crawl. A vanished seed is
replaced by the page most similar to it in the old crawl, by links, that the newer one has fetched.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from minicrawl.analysis.link_graph import folded_store
from minicrawl.analysis.seeding import CrawledWeb, Depth, reached_depths
from minicrawl.model import State
from minicrawl.rank.hits import IntArray
from minicrawl.rank.similar import similarities
from minicrawl.store.reader import Store

SURVIVED, UNREAD, REPLACED, LOST = "survived", "unread", "replaced", "lost"
KEPT, REPAIRED, RANDOM = "survived", "repaired", "random"
_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class SeedFate:
    """The fate of a seed: SURVIVED, REPLACED or LOST; UNREAD: the newer crawl knows it, and has not read it.

    state: in the newer crawl; None: not known there. now: itself, its target as an alias, or its replacement.
    similarity: of the replacement, in the old crawl.
    """

    seed: str
    fate: str
    state: str | None
    now: str | None
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """Fates of seeds; depths: by kind of seeds, the reach at each depth from them."""

    fates: tuple[SeedFate, ...]
    depths: dict[str, tuple[Depth, ...]]

    @property
    def seeds(self) -> list[str]:
        """The repaired seeds."""
        return list(dict.fromkeys(fate.now for fate in self.fates if fate.now is not None))

    def count(self, fate: str) -> int:
        return sum(each.fate == fate for each in self.fates)


def judge_seeds(seeds: Sequence[str], old: Store, new: Store) -> tuple[SeedFate, ...]:
    """The fates of an old crawl's seeds in a newer crawl. Raises StoreError."""
    found = [_in_newer(seed, new) for seed in seeds]
    vanished = [fate.seed for fate in found if fate.fate == LOST]
    taken = {fate.now for fate in found if fate.now is not None}
    replaced = {fate.seed: fate for fate in _replacements(vanished, taken, old, new)}
    return tuple(replaced.get(fate.seed, fate) for fate in found)


def depths_of(fates: Sequence[SeedFate], new: Store, web: CrawledWeb, random_sets: int) -> dict[str, tuple[Depth, ...]]:
    """The reach on the newer crawl of seeds that survived, of repaired seeds, and of random ones."""
    kept = [fate.now for fate in fates if fate.fate == SURVIVED and fate.now is not None]
    repaired = kept + [fate.now for fate in fates if fate.fate == REPLACED and fate.now is not None]
    ranks, rng = web.ranks(), np.random.default_rng(0)
    sets = {KEPT: [_pages(kept, new)], REPAIRED: [_pages(repaired, new)]}
    count = min(len(sets[REPAIRED][0]), len(web.fetched))
    sets[RANDOM] = [rng.choice(web.fetched, count, replace=False) for _ in range(random_sets)]
    return {kind: reached_depths(web.graph, ranks, drawn) for kind, drawn in sets.items() if len(drawn[0])}


def _pages(urls: Sequence[str], store: Store) -> IntArray:
    return np.array(sorted(store.page_table.find(urls).values()), dtype=np.int64)


def _in_newer(seed: str, new: Store) -> SeedFate:
    page = new.page_table.find([seed]).get(seed)
    if page is None:
        return SeedFate(seed, LOST, None, None)
    state = new.page_table.state(page)
    if state == State.FETCHED:
        return SeedFate(seed, SURVIVED, state, seed)
    if state == State.WAITING:
        return SeedFate(seed, UNREAD, state, seed)
    if state == State.ALIAS:
        end = int(folded_end(new, page))
        if new.page_table.state(end) == State.FETCHED:
            return SeedFate(seed, SURVIVED, state, new.page_table.url(end))
    return SeedFate(seed, LOST, state, None)


def folded_end(store: Store, page: int) -> int:
    """The page at the end of a chain of aliases."""
    for _ in range(store.size()):
        if store.page_table.state(page) != State.ALIAS:
            break
        page = int(store.link_table.outlinks(page)[0])
    return page


def _replacements(vanished: list[str], taken: set[str], old: Store, new: Store) -> list[SeedFate]:
    """Replace each seed by the most similar page of the old crawl that the newer one has fetched, and no other seed."""
    numbers = old.page_table.find(vanished)
    known = [seed for seed in vanished if seed in numbers]
    if not known:
        return []
    folded, urls = folded_store(old), list(old.page_table.urls())
    there = new.page_table.find(urls)
    is_there = np.array([url in there and new.page_table.state(there[url]) == State.FETCHED for url in urls])
    pages = folded.stands_for[[numbers[seed] for seed in known]]
    found = []
    for first in range(0, len(pages), _AT_ONCE):
        alike = similarities(folded.graph, pages[first : first + _AT_ONCE]) * is_there
        for seed, values in zip(known[first : first + _AT_ONCE], alike, strict=True):
            best = next((page for page in np.argsort(-values, kind="stable").tolist() if urls[page] not in taken), None)
            if best is None or not values[best]:
                continue
            taken.add(urls[best])
            found.append(SeedFate(seed, REPLACED, _state(seed, new), urls[best], float(values[best])))
    return found


def _state(url: str, store: Store) -> str | None:
    page = store.page_table.find([url]).get(url)
    return None if page is None else str(store.page_table.state(page))
