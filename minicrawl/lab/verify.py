"""How exact a crawl's own ranking is: against PageRank by power iteration of the links in its store.

Twice: as it is stored (a crawl that was killed, or still runs, is not settled), and once the ledger has been
settled in memory. The store is only read.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from minicrawl.errors import StoreError
from minicrawl.model import State
from minicrawl.opic import Ledger
from minicrawl.opic.ledger import SETTLED_ERROR
from minicrawl.rank import Graph, kendall_tau, l1, overlap, pagerank
from minicrawl.store.links import LinkGraph
from minicrawl.store.reader import Store
from minicrawl.store.rows import Account

FloatArray = npt.NDArray[np.float64]
States = npt.NDArray[np.str_]

_TOP = 100
_COLUMNS = ("state", *Account._fields)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a ranking agrees with exact PageRank; both as shares of the pages that are no aliases.

    overlap: share of the first `Verification.top` pages that agree. tau: Kendall's; None where there is no order.
    l1, largest: sum and maximum of the differences. certificate: bound on l1, of the ledger's rankings.
    """

    overlap: float
    tau: float | None
    l1: float
    largest: float
    certificate: float | None = None


@dataclass(frozen=True, slots=True)
class Verification:
    """What `verify` found.

    stored, settled: the ledger's importance as the store has it, and after settling, which took `rounds` with
    `visits` virtual visits in all. history: that of the cash book, the paper's own estimator. inlinks: their number.
    rounding: what whole units may add to the certificate.
    """

    known: int
    read: int
    aliases: int
    links: int
    top: int
    stored: Agreement
    settled: Agreement
    history: Agreement
    inlinks: Agreement
    rounds: int
    visits: int
    rounding: float

    def excess(self) -> float:
        """How much more the settled ranking is off than it certainly can be; not above 0 when all is well."""
        return self.settled.l1 - (self.settled.certificate or 0.0) - self.rounding


def verify(store: Store) -> Verification:
    """Compare the rankings of a store with exact PageRank of its links. Raises StoreError when there are none."""
    with store.snapshot():
        _check_is_rankable(store)
        links, rankings, columns = store.links(), store.rankings(), _columns(store)
        virtual = int(store.meta("ledger_virtual") or 0)
    try:
        graph, jump = folded_graph(links, columns["state"])
    except ValueError as error:
        raise StoreError(f"{store.path} cannot be ranked: {error}; 'minicrawl check' may say more") from error
    exact = pagerank(graph, preference=jump)
    is_alias = columns["state"] == State.ALIAS
    ledger = Ledger.of(columns["received"], columns["forwarded"], columns["birth"], is_alias, virtual)

    def agreement(ranking: FloatArray, certificate: float | None = None) -> Agreement:
        return _agreement(ranking[~is_alias], exact[~is_alias], certificate)

    stored = agreement(rankings["importance"], ledger.certificate())
    rounds, visits = _settle(ledger, links)
    return Verification(
        known=links.size,
        read=int(np.count_nonzero(columns["is_read"])),
        aliases=int(np.count_nonzero(is_alias)),
        links=len(links.targets),
        top=min(_TOP, int(np.count_nonzero(~is_alias))),
        stored=stored,
        settled=agreement(ledger.importance(), ledger.certificate()),
        history=agreement(rankings["history"]),
        inlinks=agreement(rankings["inlinks"]),
        rounds=rounds,
        visits=visits,
        rounding=ledger.rounding(len(links.targets)),
    )


def folded_graph(links: LinkGraph, states: States) -> tuple[Graph, FloatArray]:
    """The graph whose PageRank is exact importance, and where its walkers jump to.

    Links to an alias lead to the page it stands for. A walker jumps to all pages alike, to an alias meaning to the
    page it stands for, but never to a page that has gone. states: of every page. Raises ValueError where aliases
    or links lead nowhere.
    """
    ends = np.concatenate([links.sources, links.targets])
    if len(ends) and not 0 <= ends.min() <= ends.max() < links.size:
        raise ValueError("a link leaves the store")
    stands_for = _stands_for(links, states == State.ALIAS)
    # An alias keeps its link, but no walker ever comes to follow it.
    sources = np.repeat(links.sources, np.diff(links.indptr))
    graph = Graph.from_edges(sources, stands_for[links.targets], links.size)
    return graph, np.bincount(stands_for[states != State.GONE], minlength=links.size).astype(np.float64)


def _stands_for(links: LinkGraph, is_alias: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """The page that every page stands for: itself, or the end of its chain of aliases."""
    stands_for = np.arange(links.size)
    rows = np.flatnonzero(is_alias[links.sources] & (np.diff(links.indptr) > 0))
    stands_for[links.sources[rows]] = links.targets[links.indptr[rows]]
    for _ in range(links.size.bit_length()):  # each time chains are half as long
        stands_for = stands_for[stands_for]
    if is_alias[stands_for].any():
        raise ValueError("aliases stand for each other, or for nothing")
    return stands_for


def _check_is_rankable(store: Store) -> None:
    states = {state for state, _ in store.counts()}
    if states <= {State.WAITING}:
        raise StoreError(
            f"no page in {store.path} has been read yet; run 'minicrawl crawl SEEDS --store {store.path}' first"
        )
    if states == {State.GONE}:
        raise StoreError(f"every page in {store.path} has gone, so there is nothing to rank")


def _columns(store: Store) -> dict[str, npt.NDArray[Any]]:
    """The state and the accounts of all pages, by the names of schema.sql, each as an array by page number."""
    chunks = [
        {name: np.array(values) for name, values in zip(_COLUMNS, (pages.state, *pages.account), strict=True)}
        for pages in store.columns()
    ]
    return {name: np.concatenate([chunk[name] for chunk in chunks]) for name in _COLUMNS}


def _settle(ledger: Ledger, links: LinkGraph) -> tuple[int, int]:
    """Virtual visits along all links until the ranking is settled; how many rounds and visits that took."""
    rounds = visits = 0
    while len(rows := ledger.unsettled(links.sources, SETTLED_ERROR)):
        due = links.rows(rows)
        ledger.visit_many(due.sources, due.indptr, due.targets)
        rounds, visits = rounds + 1, visits + len(rows)
    return rounds, visits


def _agreement(ranking: FloatArray, exact: FloatArray, certificate: float | None) -> Agreement:
    total = ranking.sum()
    shares = ranking / total if total > 0 else ranking
    tau = kendall_tau(shares, exact)
    return Agreement(
        overlap=overlap(shares, exact, _TOP),
        tau=None if math.isnan(tau) else tau,
        l1=l1(shares, exact),
        largest=float(np.abs(shares - exact).max()),
        certificate=certificate,
    )
