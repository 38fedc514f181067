"""Quotas of pages for partitions, so that they fetch exactly --pages pages in total.

A quota is the number of pages that a partition may have fetched by now, in all runs; it never fetches more. When a
quota is lowered, the partition keeps the pages fetched or in flight, and reports the quota in force. So

    pages fetched by all <= sum of the quotas <= pages before this run + --pages

even if messages or processes are late, lost or killed. `ahead`: pages that a partition may fetch beyond those fetched:

    rest  = pages that all may still fetch
    ahead = rest / (2 * partitions)      at least 1 where a partition has a page to fetch, but no quota

Unused quota of slow partitions is taken back as the rest shrinks, and half of the rest is reserved for busy ones; at
the end only partitions that could ask at once have any.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from minicrawl.settings import CrawlSettings

_ANY = 2**50


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

    def __init__(self, pages: int | None, numbers: Iterable[int]) -> None:
        """pages: limit of this run; None: unlimited. numbers: of all partitions."""
        self._pages = _ANY if pages is None else pages
        self._unheard = set(numbers)
        self._before = 0
        self._parts: dict[int, Part] = {}

    def note(self, number: int, part: Part) -> None:
        """Record a partition's answer to the latest order. Its first one comes before any fetch of this run."""
        if number in self._unheard:
            self._unheard.remove(number)
            self._before += part.fetched
        self._parts[number] = part

    def orders(self) -> Mapping[int, int]:
        """The quotas to send, by partition; one counts as given until the partition reports otherwise."""
        if self._unheard:
            return {}
        quotas = shared_out(self._pages + self._before, list(self._parts.values()))
        orders = dict(zip(self._parts, quotas, strict=True))
        for number, quota in orders.items():
            part = self._parts[number]
            self._parts[number] = part._replace(quota=max(quota, part.quota))
        return orders


def shared_out(pages: int, parts: Sequence[Part]) -> Sequence[int]:
    """Quotas of partitions that may fetch `pages` pages together in all runs."""
    ahead = (pages - sum(part.fetched for part in parts)) // (2 * max(len(parts), 1))
    wanted = [part.fetched + (max(ahead, 1) if part.is_short else ahead) for part in parts]
    free = pages - sum(part.quota for part in parts)
    orders = list(wanted)
    for number in sorted(range(len(parts)), key=lambda number: parts[number].quota - parts[number].fetched):
        more = wanted[number] - parts[number].quota
        if more > 0:
            given = min(more, free)
            free -= given
            orders[number] = parts[number].quota + given
    return orders
