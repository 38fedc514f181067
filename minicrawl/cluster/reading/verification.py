"""The ranking of a crawl in partitions against exact PageRank of the links in all its stores.

All pages get numbers of one crawl: those at home in the first partition, then those of the second, and so on. What
is on its way to a page counts as received:

    R_j = R of j at home + what mirrors of j have received and not handed over + what rows not yet taken bring it

That is what one process would have: settled in memory, it must come to exact PageRank. Nobody may write to the stores.
Whoever compares them has the URLs, accounts and links of all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.link_graph import FloatArray, births_of, folded_graph
from minicrawl.analysis.verify import Books, Verification, books_of, verified
from minicrawl.cluster.merged import AskedStore, in_flight, ranked_pages
from minicrawl.crawler.sharing.records import from_bytes
from minicrawl.errors import StoreError
from minicrawl.model import State
from minicrawl.opic.arrays import Flags, IntArray, Pages
from minicrawl.store.links import LinkGraph
from minicrawl.store.reader import Store

_RANKINGS = ("importance", "history", "inlinks")


def verify_all(stores: Sequence[AskedStore]) -> Verification:
    """Compare the rankings of a crawl with exact PageRank. stores: those of partitions 0, 1, 2 ... Raises StoreError.

    History is that of the page's partition, in each of which time has its own pace.
    """
    each = [store.ask(books_of, {}) for store in stores]
    if not any(len(books.links.sources) for books in each):
        raise StoreError("no page of this crawl has been read yet; let 'minicrawl cluster crawl' go on with it")
    numbers, pages = _numbered(stores, each)
    books = _merged(stores, each, numbers, pages)
    try:
        folded = folded_graph(books.links, books.states, births_of(books.rule, books.states))
    except ValueError as error:
        raise StoreError(
            f"the links of all partitions cannot be ranked: {error}; 'minicrawl cluster check' may say more"
        ) from error
    return verified(books, folded)


@dataclass(frozen=True, eq=False)
class _Kept:
    """Births as partitions have them, by page."""

    units: IntArray
    alike: int | None = None

    def of(self, pages: Pages | slice, gone: Flags, alias: Flags) -> IntArray:
        return np.where(gone, 0, self.units[pages])

    def of_one(self, page: int, *, gone: bool, alias: bool) -> int:
        return 0 if gone else self.units.item(page)

    def grow(self, size: int) -> None:
        pass


def _numbered(stores: Sequence[AskedStore], each: Sequence[Books]) -> tuple[dict[str, int], list[IntArray]]:
    """The number of every URL, and of each store the numbers of its pages. URLs that their home does not know yet, as
    the row that tells of them was not taken, come last."""
    numbers: dict[str, int] = {}
    urls = [store.ask(_urls) for store in stores]
    for known, books in zip(urls, each, strict=True):
        for url, state in zip(known, books.states.tolist(), strict=True):
            if state != State.ELSEWHERE:
                numbers[url] = len(numbers)
    for url in chain.from_iterable(urls):
        numbers.setdefault(url, len(numbers))
    return numbers, [np.array([numbers[url] for url in known], dtype=np.int64) for known in urls]


def _urls(store: Store) -> list[str]:
    return list(store.page_table.urls())


def _merged(
    stores: Sequence[AskedStore], each: Sequence[Books], numbers: dict[str, int], pages: Sequence[IntArray]
) -> Books:
    size = len(numbers)
    received, forwarded = np.zeros((2, size), dtype=np.int64)
    states = np.full(size, State.WAITING, dtype=np.array(list(State)).dtype)
    here = [books.states != State.ELSEWHERE for books in each]
    births = np.full(size, each[0].rule.alike or 1, dtype=np.int64)
    for books, own, at_home in zip(each, pages, here, strict=True):
        states[own[at_home]] = books.states[at_home]
        received[own[at_home]] = books.received[at_home]
        forwarded[own[at_home]] = books.forwarded[at_home]
        gone, alias = books.states == State.GONE, books.states == State.ALIAS
        births[own[at_home]] = books.rule.of(slice(0, len(own)), gone, alias)[at_home]
    for books, own, at_home in zip(each, pages, here, strict=True):
        received[own[~at_home]] += (books.received - books.forwarded)[~at_home]
    for _, row in in_flight(stores):
        records = from_bytes(row.records)
        received[[numbers[url] for url in records.urls]] += records.received
    return Books(
        links=_links([books.links for books in each], pages, size),
        states=states,
        received=received,
        forwarded=forwarded,
        rankings=_rankings(stores, numbers),
        virtual=sum(books.virtual for books in each),
        surfer=each[0].surfer,
        rule=_Kept(births),
    )


def _links(each: Sequence[LinkGraph], pages: Sequence[IntArray], size: int) -> LinkGraph:
    """The links of all stores by the numbers of one crawl: only pages at home have any, so their numbers rise."""
    degrees = np.concatenate([np.diff(links.indptr) for links in each])
    places: list[npt.NDArray[np.uint8]] = [
        np.zeros(len(links.targets), dtype=np.uint8) if links.places is None else links.places for links in each
    ]
    return LinkGraph(
        sources=np.concatenate([own[links.sources] for links, own in zip(each, pages, strict=True)]),
        indptr=np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(degrees)]),
        targets=np.concatenate([own[links.targets] for links, own in zip(each, pages, strict=True)]).astype(np.int32),
        size=size,
        places=None if all(links.places is None for links in each) else np.concatenate(places),
    )


def _rankings(stores: Sequence[AskedStore], numbers: dict[str, int]) -> dict[str, FloatArray]:
    rankings = {name: np.zeros(len(numbers)) for name in _RANKINGS}
    for page in ranked_pages(stores):
        for name, ranking in rankings.items():
            ranking[numbers[page.url]] = getattr(page, name)
    return rankings
