"""Sources of pages' importance: the pages that link to them, and the units each has sent.

R_j, B_j   units received by page j, and its birth cash (opic/ledger.py)

    R_j - B_j = sum over links i -> j of the units i has sent along that link     (Lemma 2.3)

So shares of that sum are exact, to the unit. Pages that link to an alias of j count as if they linked to j; what an
alias was born with, and hands on, counts for nobody. The links are read once, in blocks, for any number of pages; only
pages that link to these are looked up.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.stored_forms import kept_surfer
from minicrawl.crawler.urls.keys import site_of
from minicrawl.model import Place
from minicrawl.opic import Ledger
from minicrawl.opic.ledger import add_sent
from minicrawl.store.links import LinkGraph
from minicrawl.store.reader import Store

IntArray = npt.NDArray[np.int64]
_NO_PAGE = -1


@dataclass(frozen=True)
class Senders:
    """The pages that link to one page, or to an alias of it.

    pages: their number; on_other_sites: of these, those on other sites; other_sites: number of these sites.
    units: sent in all. most_by: the largest sender, of `most_units`; None without links.
    places: places of the links on their pages, if known: for pages whose links are not all alike.
    """

    pages: int
    on_other_sites: int
    other_sites: int
    units: int
    most_by: str | None
    most_units: int
    places: dict[str, int]

    @property
    def most_share(self) -> float:
        """The share of units from `most_by`."""
        return self.most_units / self.units if self.units else 0.0


@dataclass(frozen=True, eq=False)
class _Links:
    """Links to the pages asked about: arrays with a value per link. place: -1 if unknown."""

    target: IntArray
    source: IntArray
    host: IntArray
    units: IntArray
    place: IntArray


def senders(store: Store, pages: Sequence[int], blocks: Iterable[LinkGraph] | None = None) -> list[Senders]:
    """The senders of each page, in order. blocks: the links to read; None: all of the store."""
    with store.snapshot():
        blocks = store.link_table.blocks() if blocks is None else blocks
        links = _links_to(store, pages, blocks)
        sites = {host.id: site_of(host.name) for host in store.hosts.all()}
        return [_senders_of(store, page, links, sites) for page in pages]


def place_counts(places: IntArray) -> dict[str, int]:
    """Number of links by the name of their place; unknown places (-1) are left out."""
    return {place.name.lower(): int(np.count_nonzero(places == place)) for place in Place if (places == place).any()}


def known_places(links: LinkGraph) -> IntArray:
    """The place of every link, shape (links,); -1 on a page whose links are all alike, as none is kept."""
    if links.places is None:
        return np.full(len(links.targets), -1)
    row = np.repeat(np.arange(len(links.sources)), np.diff(links.indptr))
    is_known = np.zeros(len(links.sources), dtype=np.bool_)
    is_known[row[links.places > 0]] = True  # where they differ, one at least is not 0
    return np.where(is_known[row], links.places.astype(np.int64), -1)


def _links_to(store: Store, pages: Sequence[int], blocks: Iterable[LinkGraph]) -> _Links:
    """The links to pages and to their aliases, whose own links are left out."""
    end = np.full(store.size(), _NO_PAGE)
    for page in pages:
        end[[page, *store.link_table.aliases_of(page)]] = page
    found = list(_found(store, end != _NO_PAGE, blocks))
    empty = np.zeros(0, dtype=np.int64)
    columns = [np.concatenate([empty, *column]) for column in zip(*found, strict=True)] or [empty] * 5
    is_alias = (end[columns[1]] == end[columns[0]]) & (columns[1] != end[columns[0]])
    links = _Links(*(column[~is_alias] for column in columns))
    return replace(links, target=end[links.target])


def _found(
    store: Store, is_asked: npt.NDArray[np.bool_], blocks: Iterable[LinkGraph]
) -> Iterator[tuple[IntArray, ...]]:
    surfer = kept_surfer(store)
    for block in blocks:
        hits = np.flatnonzero(is_asked[block.targets])
        rows = np.unique(np.searchsorted(block.indptr, hits, side="right") - 1)
        if not len(rows):
            continue
        links = block.rows(rows)
        of_link = np.repeat(np.arange(len(rows)), np.diff(links.indptr))
        forwarded, is_alias, host = store.page_table.senders(links.sources.tolist())
        ledger = Ledger.of(forwarded.copy(), forwarded, np.zeros(len(rows), dtype=np.bool_), is_alias, 0, surfer=surfer)
        units = np.zeros(len(links.targets), dtype=np.int64)
        add_sent(units, ledger, np.arange(len(rows)), links.indptr, np.arange(len(units)), links.places)
        some = np.flatnonzero(is_asked[links.targets])
        row = of_link[some]
        yield (
            links.targets[some].astype(np.int64),
            links.sources[row],
            host[row],
            units[some],
            known_places(links)[some],
        )


def _senders_of(store: Store, page: int, links: _Links, sites: dict[int, str]) -> Senders:
    some = np.flatnonzero(links.target == page)
    units = links.units[some]
    own = sites[int(store.page_table.facts(page)["host"].id)]
    hosts, counts = np.unique(links.host[some], return_counts=True)
    others = [(sites[host], count) for host, count in zip(hosts.tolist(), counts.tolist(), strict=True)]
    others = [(site, count) for site, count in others if site != own]
    most = int(links.source[some[np.argmax(units)]]) if len(units) else None
    return Senders(
        pages=len(some),
        on_other_sites=sum(count for _, count in others),
        other_sites=len({site for site, _ in others}),
        units=int(units.sum()),
        most_by=None if most is None else store.page_table.url(most),
        most_units=int(units.max(initial=0)),
        places=place_counts(links.place[some]),
    )
