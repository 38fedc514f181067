"""Accuracy of a crawl's own ranking: its distance from PageRank of the stored links, weighed as in the crawl.

Measured twice: as stored (a crawl that was killed, or still runs, is not settled), and after settling the book in
memory. Where walkers jump to sites, the chances of their jumps are recomputed from the links as well. The store is
only read.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from minicrawl.analysis.link_graph import FoldedPages, folded_store
from minicrawl.analysis.sites import site_pages
from minicrawl.crawler.books.stored import RULE, SHARED_BY, SHARED_OUT, jumps_to_sites, stored_births
from minicrawl.opic import Book
from minicrawl.opic.arrays import FloatArray
from minicrawl.opic.book import SETTLED_ERROR
from minicrawl.opic.sites import UNIT, SiteBirths
from minicrawl.opic.surfer import REASONABLE
from minicrawl.rank import kendall_tau, l1, overlap, pagerank
from minicrawl.store.links import LinkGraph
from minicrawl.store.reader import Store

_TOP = 100


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of a ranking with exact PageRank; both as shares over the pages that are not aliases.

    overlap: share of the first `Verification.top` pages that agree. tau: Kendall's; None if undefined.
    l1, largest: sum and maximum of the differences. certificate: bound on l1, of the book's rankings; none where jumps
    have changed since.
    """

    overlap: float
    tau: float | None
    l1: float
    largest: float
    certificate: float | None = None


@dataclass(frozen=True, slots=True)
class Verification:
    """Result of `verify`.

    stored, settled: the book's importance as stored, and after settling in `rounds` rounds with `visits` virtual
    visits in all. history: within the window. inlinks: ranking by in-degree. rounding: error of
    whole units, beyond the certificate. births: L1 distance of the jump as stored from that by the links, both as
    shares; None where it is not recomputed, as walkers jump to all pages alike, or other partitions know more.
    births_are_old: the crawl runs, or was cut short before it shared births out for the last time, or an earlier
    version did that. coverage, coverage_about, coverage_shown: as stored.
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
    births: float | None
    births_are_old: bool
    coverage: float
    coverage_about: float
    coverage_shown: float

    def excess(self) -> float:
        """Error of the settled ranking beyond its certificate and rounding; not above 0 when all is well."""
        return self.settled.l1 - (self.settled.certificate or 0.0) - self.rounding

    def wrong_births(self) -> float:
        """`births`, if the store claims that they are as the links say."""
        return 0.0 if self.births is None or self.births_are_old else self.births


def verify(store: Store) -> Verification:
    """Compare the rankings of a store with exact PageRank of its links. Raises StoreError when there are none."""
    with store.snapshot():
        links, rankings = store.link_table.graph(), store.ranks.arrays()
        folded = folded_store(store, links)
        cash, forwarded = store.array("SELECT cash, forwarded FROM pages ORDER BY id", np.int64).reshape(-1, 2).T.copy()
        rule, virtual = stored_births(store, folded.hosts, folded.cited), int(store.meta("virtual") or 0)
        coverage = store.coverage()
        # Other partitions have told a partition of their voices.
        by_sites = jumps_to_sites(store) and store.meta("partitions") is None
        by_links = births_by_links(store, folded, links) if by_sites else rule
        is_unfinished = bool(store.meta("in_doubt")) or store.meta(SHARED_OUT) != links.size
        births_are_old = by_sites and (is_unfinished or store.meta(SHARED_BY) != RULE)
    is_alias, is_page = folded.is_alias, folded.is_live & ~folded.is_alias
    born, anew = folded.jump, by_links.of(slice(0, links.size), ~folded.is_live, is_alias) / UNIT
    # What an alias has is its target's: a partition may hear of voices for the one or the other.
    folded = replace(folded, jump=np.bincount(folded.stands_for, anew, links.size).astype(np.float64))
    exact = pagerank(folded.graph, folded.damping, folded.jump, weights=folded.weights(REASONABLE))[is_page]
    exact /= max(exact.sum(), 1e-300)
    book = Book.of(cash, forwarded, ~folded.is_live, is_alias, virtual, surfer=REASONABLE, rule=rule)

    def agreement(ranking: FloatArray, certificate: float | None = None) -> Agreement:
        total = ranking[is_page].sum()
        shares = ranking[is_page] / (total if total > 0 else 1.0)
        tau = kendall_tau(shares, exact)
        return Agreement(
            overlap=overlap(shares, exact, _TOP),
            tau=None if math.isnan(tau) else tau,
            l1=l1(shares, exact),
            largest=float(np.abs(shares - exact).max()),
            certificate=certificate,
        )

    stored = agreement(rankings["importance"], None if births_are_old else book.certificate())
    book = Book.of(cash, forwarded, ~folded.is_live, is_alias, virtual, surfer=REASONABLE, rule=by_links)
    rounds, visits = _settle(book, links)
    return Verification(
        known=links.size,
        read=int(np.count_nonzero(folded.is_parsed)),
        aliases=int(np.count_nonzero(is_alias)),
        links=len(links.targets),
        top=min(_TOP, int(np.count_nonzero(~is_alias))),
        stored=stored,
        settled=agreement(book.importance(), book.certificate()),
        history=agreement(rankings["history"]),
        inlinks=agreement(rankings["inlinks"]),
        rounds=rounds,
        visits=visits,
        rounding=book.rounding(len(links.targets)),
        births=l1(born / born.sum(), folded.jump / folded.jump.sum()) if by_sites else None,
        births_are_old=births_are_old,
        **coverage.figures(),
    )


def births_by_links(store: Store, pages: FoldedPages, links: LinkGraph) -> SiteBirths:
    """Births of all pages where walkers jump to sites, as the links say. pages, links: of the store."""
    return site_pages(store, pages).births(links.sources, links.indptr, links.targets, links.places)


def _settle(book: Book, links: LinkGraph) -> tuple[int, int]:
    """Visit pages virtually until the ranking is settled; return the numbers of rounds and visits."""
    rounds = visits = 0
    while (least := book.least_worth(SETTLED_ERROR)) is not None:
        rows = book.unsettled(links.sources, least)
        if not len(rows):
            break  # the rest was received by pages whose links are missing
        due = links.rows(rows)
        book.visit_many(due.sources, due.indptr, due.targets, due.places)
        rounds, visits = rounds + 1, visits + len(rows)
    return rounds, visits
