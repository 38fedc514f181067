"""Batch and cache sizes: one frozen value, passed in with a store, so that a small site reaches the limits of a
crawl of millions of pages."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Counts.

    rows             of the store that are turned into columns at a time: as many as stay in the processor's cache
    link_rows        of its link table, each of them a page's
    links            in all, up to which they are kept in memory where they are read again and again, else on disk
    exported         links that are objects of Python at a time: as such they take fifty times the memory
    accounts         that have changed, and are made rows for a commit at a time
    settled          pages that are visited virtually at a time
    arrays           pages known, from which on the store keeps columns of all pages, too, for a crawl that begins
    block            pages whose columns are kept together
    loaded           pages that are put into the queues at a time where a crawl goes on
    pages            known, up to which all of their accounts is in memory; then on disk what their own turns look at
    expected         pages, up to which expected importance is worked out: it takes 14 numbers a page in memory
    seeds            taken in and committed at a time: a second or two, after which the crawl can be told to stop
    read             pages before the shape of a crawl is looked at: to load what finds components would cost more than
                     a hundredth of its time
    """

    rows: int = 1_000
    link_rows: int = 8_000
    links: int = 4_000_000
    exported: int = 20_000
    accounts: int = 2**14
    settled: int = 5_000
    arrays: int = 2**17
    block: int = 2**16
    loaded: int = 2**20
    pages: int = 1_000_000
    expected: int = 4_000_000
    seeds: int = 2**15
    read: int = 20_000


STANDARD_SIZES = Sizes()
