"""Everything known of one URL of a crawl in partitions: what its home knows, and the links that others have to it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from minicrawl.analysis.explain import (
    LINKS_SHOWN,
    Explanation,
    KnownPage,
    LinksByPlace,
    explain,
    meant_by,
    some_links_to,
)
from minicrawl.cluster.homes import Homes
from minicrawl.cluster.merged import states, sums_of
from minicrawl.model import State
from minicrawl.store.reader import Store


@dataclass(frozen=True)
class PlacedExplanation:
    """home: the partition that has the URL, or would; mirrors: the others that have links to it."""

    explanation: Explanation
    home: int
    mirrors: tuple[int, ...]


def explain_one(homes: Homes, stores: Sequence[Store], text: str) -> PlacedExplanation:
    """What is known of the URL that a user means by a text. Raises SettingError, StoreError.

    Rank and importance are those among the pages of all partitions, and none is expected; the queue in which it waits
    is that of its partition. Some links are those of its home first, then those of the others.
    """
    home = homes.home_of(meant_by(text)[0])
    found = explain(stores[home], text)
    mirrors = {
        number: store.page_table.find([found.url]).get(found.url)
        for number, store in enumerate(stores)
        if number != home
    }
    known = {number: page for number, page in mirrors.items() if page is not None}
    if found.page is not None:
        elsewhere = [(stores[number], page) for number, page in known.items()]
        found = replace(found, page=_among_all(found.page, stores, home, elsewhere))
    return PlacedExplanation(found, home, tuple(known))


def _among_all(
    page: KnownPage, stores: Sequence[Store], home: int, elsewhere: Sequence[tuple[Store, int]]
) -> KnownPage:
    """elsewhere: mirrors of the page."""
    url, sums = page.ranked.url, sums_of(stores)
    number = stores[home].page_table.find([url])[url]
    importance = stores[home].at_home.importance_of([number], *sums)[number]
    rank = 1 + sum(store.at_home.better(importance, url, *sums) for store in stores)
    linked_from, looked_at, places = list(page.linked_from), page.links_in.looked_at, Counter(page.links_in.places)
    for store, mirror in elsewhere:
        sources, links_in = some_links_to(store, mirror)
        linked_from += map(store.page_table.url, sources)
        looked_at += links_in.looked_at
        places.update(links_in.places)
    return replace(
        page,
        ranked=page.ranked._replace(importance=importance, rank=rank, expected=None),
        is_rank_exact=True,
        expected_parts=None,
        known_pages=sum(sum(found.values()) - found[State.ELSEWHERE] for found in map(states, stores)),
        linked_from=tuple(linked_from[:LINKS_SHOWN]),
        links_in=LinksByPlace(looked_at, dict(places)),
    )
