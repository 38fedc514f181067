"""Everything known of one URL of a crawl in partitions: what its home knows, and the links that others have to it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

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
from minicrawl.cluster.merged import AskedStore, Sums, importance_of, states_of_all, sums_of
from minicrawl.store.reader import Store


@dataclass(frozen=True)
class PlacedExplanation:
    """home: the partition that has the URL, or would; mirrors: the others that have links to it."""

    explanation: Explanation
    home: int
    mirrors: tuple[int, ...]


class _MirrorLinks(NamedTuple):
    """Some links of a partition to a page of another: URLs they are on, and where they stand there."""

    sources: list[str]
    links_in: LinksByPlace


def explain_one(homes: Homes, stores: Sequence[AskedStore], text: str) -> PlacedExplanation:
    """What is known of the URL that a user means by a text. Raises SettingError, StoreError.

    Rank and importance are those among the pages of all partitions, and none is expected; the queue in which it waits
    is that of its partition. Some links are those of its home first, then those of the others.
    """
    home = homes.home_of(meant_by(text)[0])
    found = stores[home].ask(explain, text)
    mirrors = {
        number: links
        for number, store in enumerate(stores)
        if number != home and (links := store.ask(_links_of_mirror, found.url)) is not None
    }
    if found.page is not None:
        found = replace(found, page=_among_all(found.page, stores, home, list(mirrors.values())))
    return PlacedExplanation(found, home, tuple(mirrors))


def _among_all(
    page: KnownPage, stores: Sequence[AskedStore], home: int, elsewhere: Sequence[_MirrorLinks]
) -> KnownPage:
    """elsewhere: links to the page in other partitions."""
    url, sums = page.ranked.url, sums_of(stores)
    importance = stores[home].ask(importance_of, [url], sums)[url]
    rank = 1 + sum(store.ask(_better, importance, url, sums) for store in stores)
    linked_from, looked_at, places = list(page.linked_from), page.links_in.looked_at, Counter(page.links_in.places)
    for sources, links_in in elsewhere:
        linked_from += sources
        looked_at += links_in.looked_at
        places.update(links_in.places)
    return replace(
        page,
        ranked=page.ranked._replace(importance=importance, rank=rank, expected=None),
        is_rank_exact=True,
        expected_parts=None,
        known_pages=states_of_all(stores).total(),
        linked_from=tuple(linked_from[:LINKS_SHOWN]),
        links_in=LinksByPlace(looked_at, dict(places)),
    )


def _links_of_mirror(store: Store, url: str) -> _MirrorLinks | None:
    """None where a partition does not know the URL."""
    page = store.page_table.find([url]).get(url)
    if page is None:
        return None
    sources, links_in = some_links_to(store, page)
    return _MirrorLinks([store.page_table.url(source) for source in sources[:LINKS_SHOWN]], links_in)


def _better(store: Store, importance: float, url: str, sums: Sums) -> int:
    """How many pages at home come before one of another store."""
    return store.at_home.better(importance, url, *sums)
