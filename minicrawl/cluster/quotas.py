"""Quotas of pages for partitions, so that they fetch exactly --pages pages in total.

A quota is the number of pages that a partition may have fetched by now, in all runs; it never fetches more. When a
quota is lowered, the partition keeps the pages fetched or in flight, and reports the quota in force. So

    pages fetched by all <= sum of the quotas <= pages before this run + --pages

even if messages or processes are late, lost or killed. `ahead`: pages that a partition may fetch beyond those fetched:

    rest  = pages that all may still fetch
    ahead = rest / (2 * partitions)      at least 1 if a partition has a page to fetch, but no quota

Unused quota of slow partitions is taken back as the rest shrinks, and half of the rest is reserved for busy ones; at
the end only partitions that could ask at once have any.
"""

from collections.abc import Mapping
from typing import NamedTuple

from minicrawl.settings import CrawlSettings


def has_quotas(settings: CrawlSettings) -> bool:
    """True if partitions begin without quota: pages are limited, or the coverage may be reached already."""
    return settings.pages is not None or settings.until_coverage is not None


class Part(NamedTuple):
    """What a partition reports for its quota. fetched, quota: in all runs. is_short: it waits for quota."""

    fetched: int
    quota: int
    is_short: bool


class Quotas:
    """The quotas of one run. Partitions begin with none, also after a restart."""

    def __init__(self, pages: int | None, partitions: int) -> None:
        """pages: limit of this run; None: unlimited. partitions: their number."""
        self._pages = 2**50 if pages is None else pages
        """What all may fetch in all runs, once each has reported what it had before."""
        self._partitions = partitions
        self._parts: dict[int, Part] = {}

    def note(self, number: int, part: Part) -> None:
        """Record a partition's answer to the latest order. Its first one comes before any fetch of this run."""
        if number not in self._parts:
            self._pages += part.fetched
        self._parts[number] = part

    def orders(self) -> Mapping[int, int]:
        """The quotas to send, by partition; one counts as given until the partition reports otherwise."""
        if len(self._parts) < self._partitions:
            return {}
        orders: dict[int, int] = {}
        ahead = (self._pages - sum(part.fetched for part in self._parts.values())) // (2 * self._partitions)
        free = self._pages - sum(part.quota for part in self._parts.values())
        for number, part in sorted(self._parts.items(), key=lambda item: item[1].quota - item[1].fetched):
            more = part.fetched + (max(ahead, 1) if part.is_short else ahead) - part.quota
            if more > 0:
                more = min(more, free)
                free -= more
            orders[number] = part.quota + more
            self._parts[number] = part._replace(quota=max(orders[number], part.quota))
        return orders
