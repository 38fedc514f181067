"""Navigation pages: front pages of sites and sections, tables of contents, indexes.

Importance ranks destinations. A navigation page is linked from much of its site, and links to important pages that few
other pages link to.

I_p   links to page p from pages of its own site that can be opened
N     such pages of the site
X_t   importance of page t

    hub(p) = I_p / N * sum over links p -> t within the site of X_t / I_t

So a page t is shared by all pages that link to it: a link to a page that every page links to counts little. Aliases
count as their targets. Links between two sites do not count.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.link_graph import folded_pages, folded_rows
from minicrawl.analysis.numbered_sites import numbered_sites
from minicrawl.crawler.urls.keys import site_of
from minicrawl.model import State
from minicrawl.opic.surfer import UNIFORM
from minicrawl.rank.blocks import LinkRows
from minicrawl.store.reader import Store
from minicrawl.store.rows import RankedPage

FloatArray = npt.NDArray[np.float64]
_AT_ONCE = 100


@dataclass(frozen=True, eq=False)
class Pages:
    """Columns of pages, shape (n,): number of the site, importance, and True if the page can be opened."""

    site: npt.NDArray[np.int64]
    importance: FloatArray
    is_open: npt.NDArray[np.bool_]


def hubs(pages: Pages, rows: Callable[[], Iterable[LinkRows]]) -> FloatArray:
    """hub(p) of every page, shape (n,); `rows` gives the links, and is called twice."""
    size = len(pages.site)
    inlinks = np.zeros(size)
    for _, targets in _within_sites(pages, rows()):
        np.add.at(inlinks, targets, 1.0)
    shared = pages.importance / np.maximum(inlinks, 1.0)
    leads_to = np.zeros(size)
    for sources, targets in _within_sites(pages, rows()):
        np.add.at(leads_to, sources, shared[targets])
    open_of_site = np.bincount(pages.site[pages.is_open], minlength=int(pages.site.max(initial=-1)) + 1)
    return inlinks / np.maximum(open_of_site[pages.site], 1) * leads_to


def best_hubs(store: Store) -> Iterator[tuple[int, RankedPage, float]]:
    """Number, page and hub(p) of every page with hub(p) > 0, the best first. Raises StoreError."""
    with store.snapshot():
        folded = folded_pages(store)
        _, site = numbered_sites(store, folded.hosts, site_of)
        is_open = folded.states == State.FETCHED
        pages = Pages(site, store.ranks.importance(), is_open)
        values = hubs(pages, lambda: folded_rows(store, folded, UNIFORM))
        order = np.argsort(-values, kind="stable")[: np.count_nonzero(values)]
        for start in range(0, len(order), _AT_ONCE):
            some = order[start : start + _AT_ONCE].tolist()
            yield from zip(some, store.ranks.of(some), values[some].tolist(), strict=True)


def _within_sites(
    pages: Pages, rows: Iterable[LinkRows]
) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Sources and targets of links between two pages of a site that can be opened."""
    for block in rows:
        sources, targets = np.repeat(block.sources, block.outdegrees), np.asarray(block.targets, dtype=np.int64)
        counts = pages.is_open[sources] & pages.is_open[targets] & (sources != targets)
        counts &= pages.site[sources] == pages.site[targets]
        yield sources[counts], targets[counts]
