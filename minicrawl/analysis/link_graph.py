"""The graph of a store for link analysis, with aliases folded into their target pages."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.books.stored import stored_births
from minicrawl.errors import StoreError
from minicrawl.graphs.graph_files import graph_of_keys, keys_of
from minicrawl.model import READ, State
from minicrawl.opic.arrays import FloatArray
from minicrawl.opic.sites import UNIT
from minicrawl.opic.surfer import Surfer
from minicrawl.rank import Graph, pagerank
from minicrawl.rank.blocks import LinkRows
from minicrawl.rank.graph_stats import subgraph
from minicrawl.rank.hits import balanced_weights
from minicrawl.reasons import NOT_THERE, has
from minicrawl.store.links import LinkGraph, Places
from minicrawl.store.reader import Store

States = npt.NDArray[np.str_]


@dataclass(frozen=True, eq=False)
class FoldedPages:
    """The pages of a store, by number.

    jump: the jump distribution: birth cash; an alias adds its own to its target's. stands_for: the page itself, or an
    alias's target. hosts: hosts.id. cited: pages.cited. is_parsed: True for pages whose links are stored: an answer
    came, and was no failure. is_live: False for pages that have gone, or were never there. damping: that of the crawl.
    """

    jump: FloatArray
    stands_for: npt.NDArray[np.int64]
    states: States
    hosts: npt.NDArray[np.int64]
    cited: npt.NDArray[np.integer]
    is_parsed: npt.NDArray[np.bool_]
    is_live: npt.NDArray[np.bool_]
    damping: float

    @property
    def size(self) -> int:
        """Number of pages."""
        return len(self.states)

    @property
    def is_alias(self) -> npt.NDArray[np.bool_]:
        """True for aliases, which have no links in the folded graph, shape (size,)."""
        is_alias: npt.NDArray[np.bool_] = self.states == State.ALIAS
        return is_alias

    @property
    def all_alike(self) -> FloatArray:
        """The uniform jump distribution of the papers: 1 for a page, 0 for one that has gone and for an alias."""
        return (~np.isin(self.states, [State.ALIAS, State.GONE, State.ELSEWHERE])).astype(np.float64)


@dataclass(frozen=True, eq=False)
class FoldedStore(FoldedPages):
    """Folded pages with their links. places: the place of each link on its page; None: all alike."""

    graph: Graph
    places: Places | None

    def weights(self, surfer: Surfer) -> FloatArray | None:
        """Weight of each link of the graph, 1 on average over those of a page, shape (links,); None: all alike."""
        weights = link_weights(surfer, self.places)
        return None if weights is None else balanced_weights(self.graph, weights)

    def importance(self, surfer: Surfer) -> FloatArray:
        """Exact importance of every page, shape (size,), sum 1: PageRank of the live pages."""
        ranks = pagerank(self.graph, self.damping, self.jump, weights=self.weights(surfer))
        ranks[~self.is_live] = 0.0
        return ranks / ranks.sum() if ranks.any() else ranks

    def simple(self) -> "FoldedStore":
        """The same with each link once, and none from a page to itself, as in the papers on trust.

        Aliases make such links: a page may link to a page and to its alias, or to its own. Of several the first stays.
        """
        sources, targets = self.graph.sources(), self.graph.targets
        _, first = np.unique(sources * self.size + targets, return_index=True)
        kept = first[sources[first] != targets[first]]
        graph = Graph.from_edges(sources[kept], targets[kept], self.size)
        return replace(self, graph=graph, places=None if self.places is None else self.places[kept])


def folded_store(store: Store, links: LinkGraph | None = None) -> FoldedStore:
    """The folded graph of a store. links: its own, if loaded. Raises StoreError if there is nothing to rank."""
    with store.snapshot():
        pages = folded_pages(store)
        links = links or store.link_table.graph()
    with rankable(store):
        graph, places = folded_graph(links, pages.states)
    return FoldedStore(**vars(pages), graph=graph, places=places)


def folded_pages(store: Store) -> FoldedPages:
    """The pages of `folded_store`, without loading the links."""
    with store.snapshot():
        check_is_rankable(store)
        names = "state", "is_dead", "host", "cited"
        chunks = [tuple(pages[name] for name in names) for pages in store.page_table.columns()]
        states, is_dead, hosts, cited = (np.concatenate(column) for column in zip(*chunks, strict=True))
        rule, is_dead = stored_births(store, hosts, cited), is_dead != 0
        is_live, is_alias = ~is_dead & (states != State.GONE), states == State.ALIAS
        births = rule.of(slice(0, len(states)), ~is_live | (states == State.ELSEWHERE), is_alias) / UNIT
        aliases = store.link_table.graph_of(np.flatnonzero(is_alias).tolist())
    with rankable(store):
        stands_for = _stands_for(aliases, is_alias)
    is_parsed, damping = np.isin(states, list(READ)), rule.twentieths / 20
    jump = np.bincount(stands_for, births, minlength=len(births)).astype(np.float64)
    return FoldedPages(jump, stands_for, states, hosts, cited, is_parsed, is_live, damping)


def folded_rows(store: Store, pages: FoldedPages, surfer: Surfer) -> Iterator[LinkRows]:
    """The links of the folded graph with their weights, some thousand at a time. Raises StoreError for a dangling
    link."""
    is_alias = pages.is_alias
    for block in store.link_table.blocks():
        with rankable(store):
            check_ends(block)
        own = block.rows(np.flatnonzero(~is_alias[block.sources]))
        weights = link_weights(surfer, own.places)
        yield LinkRows(own.sources, np.diff(own.indptr), pages.stands_for[own.targets], weights)


def folded_graph(links: LinkGraph, states: States) -> tuple[Graph, Places | None]:
    """The graph whose PageRank is exact importance, and the places of its links.

    Links to an alias lead to its target; an alias itself has none. states: of every page. Raises ValueError if
    aliases or links lead nowhere.
    """
    check_ends(links)
    is_alias = states == State.ALIAS
    stands_for = _stands_for(links, is_alias)
    sources = links.link_sources()
    counts = ~is_alias[sources]
    graph = Graph.from_edges(sources[counts], stands_for[links.targets[counts]], links.size)
    places = None if links.places is None else links.places[counts]  # in the order of the links: sources rise
    return graph, places


def link_weights(surfer: Surfer, places: Places | None) -> FloatArray | None:
    """Weights of links in these places; None: all alike."""
    is_all_alike = places is None or surfer.is_uniform
    return None if is_all_alike else surfer.weights[places].astype(np.float64)


def check_ends(links: LinkGraph) -> None:
    """Raise ValueError for a link from or to a page that is not in the store."""
    for ends in (links.sources, links.targets):
        if len(ends) and not 0 <= ends.min() <= ends.max() < links.size:
            raise ValueError("a link leaves the store")


def _stands_for(links: LinkGraph, is_alias: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The target of every page: itself, or the end of its chain of aliases. links: those of aliases."""
    check_ends(links)
    stands_for = np.arange(links.size)
    rows = np.flatnonzero(is_alias[links.sources] & (np.diff(links.indptr) > 0))
    stands_for[links.sources[rows]] = links.targets[links.indptr[rows]]
    for _ in range(links.size.bit_length()):  # each time halves the chains
        stands_for = stands_for[stands_for]
    if is_alias[stands_for].any():
        raise ValueError("aliases stand for each other, or for nothing")
    return stands_for


def check_is_rankable(store: Store) -> None:
    """Raise StoreError if no page has been read, or none is there. An alias is not a page of its own."""
    kinds = set(store.page_table.counts())
    if {state for state, _ in kinds} <= {State.WAITING}:
        raise StoreError(
            f"no page in {store.path} has been read yet; run 'minicrawl crawl SEEDS --store {store.path}' first"
        )
    failed = (State.ERROR, State.WAITING)
    own = [kind for kind in kinds if kind[0] != State.ALIAS]
    if own and all(state == State.GONE or (state in failed and has(reason, NOT_THERE)) for state, reason in own):
        raise StoreError(f"no page in {store.path} exists any more, so there is nothing to rank")


@contextlib.contextmanager
def rankable(store: Store) -> Iterator[None]:
    """Turn a ValueError about the links of a store into a StoreError."""
    try:
        yield
    except ValueError as error:
        raise StoreError(f"{store.path} cannot be ranked: {error}; 'minicrawl check' may say more") from error


def web_of_store(store: Store) -> tuple[Graph, int]:
    """The known web of a crawl, with distinct links between two pages, and the number of its pages that were never
    read. Raises StoreError when it has read nothing."""
    with store.snapshot():
        folded = folded_store(store)
    graph, pages = folded.graph, np.flatnonzero(~folded.is_alias)
    sources = graph.sources()
    keys = keys_of(sources, graph.targets)[sources != graph.targets]
    graph = subgraph(graph_of_keys(np.unique(keys), graph.size), pages)
    return graph, int(np.count_nonzero(~folded.is_parsed[pages]))
