"""How many pages each partition may fetch, so that all together fetch exactly as many as --pages says.

A quota: pages that a partition may have fetched by now, in all runs. A partition never fetches more. It takes one back
that is lowered, but for pages that it has fetched or is fetching, and says what it has then. So

    pages fetched by all <= sum of the quotas <= pages before this run + --pages

whatever is late, lost or killed. `ahead`: how many more pages than it has fetched a partition may fetch:

    rest  = pages that all may still fetch
    ahead = rest / (2 * partitions)      and 1 at least where a partition has a page to ask for, and may not

What a slow one has and cannot use is taken back as the rest shrinks, and half of the rest is kept for who needs it; at
the end only partitions that could ask at once have any.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from minicrawl.settings import CrawlSettings

_ANY = 2**50


def has_quotas(settings: CrawlSettings) -> bool:
    """Whether partitions begin with none: where pages are limited, or where enough of them may be read already."""
    return settings.pages is not None or settings.until_coverage is not None


@dataclass(frozen=True)
class Part:
    """What a partition has said. fetched, quota: in all runs. is_short: it would ask for a page if it might."""

    fetched: int
    quota: int
    is_short: bool


class Quotas:
    """Those of one run. Partitions begin with none, also one that is started again."""

    def __init__(self, pages: int | None, partitions: int, before: Mapping[int, int] | None = None) -> None:
        """pages: that all may fetch in this run; None: any. before: pages of each before this run, where they began
        without quotas."""
        self.adjust(pages)
        self._before = dict(before or {})
        self._parts: list[Part | None] = [None] * partitions

    def adjust(self, pages: int | None) -> None:
        """Let all fetch so many pages in this run; None: any."""
        self._pages = _ANY if pages is None else pages

    def note(self, number: int, fetched: int, quota: int, *, is_short: bool) -> None:
        """A partition has answered the latest order. The first time it has fetched nothing in this run."""
        self._before.setdefault(number, fetched)
        self._parts[number] = Part(fetched, quota, is_short)

    def orders(self) -> Sequence[int]:
        """The quota of each partition, to be told now; it has them until it says otherwise."""
        parts = [part for part in self._parts if part is not None]
        if len(parts) < len(self._parts):
            return [0] * len(self._parts)
        orders = shared_out(self._pages + sum(self._before.values()), parts)
        for number, (part, quota) in enumerate(zip(parts, orders, strict=True)):
            self._parts[number] = Part(part.fetched, max(quota, part.quota), part.is_short)
        return orders


def shared_out(pages: int, parts: Sequence[Part]) -> Sequence[int]:
    """The quotas of partitions that may fetch so many pages in all runs."""
    ahead = (pages - sum(part.fetched for part in parts)) // (2 * len(parts))
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
