"""Which pages that were given up are asked for again when a crawl goes on.

of our making  no connection came about: a network that was down, an option that was wrong. Always asked for again
passing        these, and what a host may have got over: time-outs, broken connections, 5xx, dead hosts. With --retry
any other      with its reason behind --retry, or "all"
a seed         if it is given again

A page that is asked for again waits like one that never had a turn. What it passed on then stays passed on.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from minicrawl.crawler.outcomes.outcome import is_transient
from minicrawl.crawler.urls.keys import origin_of
from minicrawl.store.writer import Writer

PASSING, ALL = "passing", "all"
_OURS = frozenset({"dns", "dns-unanswered", "private-address", "connect", "refused", "proxy"})


def is_ours(reason: str) -> bool:
    """Whether the trouble may well have been on our side."""
    return reason in _OURS or reason.startswith("tls")


def is_passing(reason: str) -> bool:
    """Whether the trouble may be over by now."""
    return is_ours(reason) or is_transient(reason) or reason in ("host-dead", "robots-unreachable")


def wants(reason: str, retry: Sequence[str]) -> bool:
    """Whether pages that were given up for a reason are asked for again. retry: as `CrawlSettings.retry`."""
    return is_ours(reason) or reason in retry or ALL in retry or (PASSING in retry and is_passing(reason))


class AskedAgain(NamedTuple):
    """How many pages are asked for again, and the reasons behind --retry for which none was given up."""

    pages: int
    unknown: tuple[str, ...] = ()


def ask_again(writer: Writer, seeds: Iterable[str], retry: Sequence[str]) -> AskedAgain:
    """Let given-up pages of a store wait for another turn. seeds: those that are given for this run."""
    given = set(writer.page_table.find(list(seeds)).values())
    given_up = writer.page_table.given_up()
    pages = [page for page, reason in given_up if page in given or wants(reason, retry)]
    if pages:
        reasons = {reason for _, reason in given_up if wants(reason, retry)}
        with writer.transaction():
            writer.page_rows.ask_again(pages, {origin_of(writer.page_table.url(page)) for page in pages}, reasons)
    known = {PASSING, ALL, *(reason for _, reason in given_up)}
    return AskedAgain(len(pages), tuple(reason for reason in retry if reason not in known))
