"""Batch and cache sizes: one frozen value, passed in with a store, so that a small site reaches the limits of a
crawl of millions of pages."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Counts, but for `cache`.

    cache            kilobytes of the file kept in memory while a crawl writes to it
    rows             rows of the store turned into columns at a time: as many as fit the processor's cache
    link_rows        rows of its link table, one per page, at a time
    links            links kept in memory for repeated passes; more are kept on disk
    exported         links held as Python objects at a time: these take fifty times the memory
    accounts         changed accounts written as rows at a time, for a commit
    settled          pages visited virtually at a time
    loaded           pages queued at a time when a crawl is resumed
    seeds            seeds added and committed at a time: a second or two, after which the crawl can be stopped
    """

    cache: int = 40_960
    rows: int = 1_000
    link_rows: int = 8_000
    links: int = 4_000_000
    exported: int = 20_000
    accounts: int = 2**14
    settled: int = 5_000
    loaded: int = 2**20
    seeds: int = 2**15


STANDARD_SIZES = Sizes()
