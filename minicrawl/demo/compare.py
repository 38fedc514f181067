"""The quality of a crawl on a web whose importance is known."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate


def overlap(ranking: Sequence[str], truth: Mapping[str, float], k: int) -> float:
    """Share of the k truly most important URLs that are among the first k of `ranking`."""
    best = sorted(truth, key=lambda url: (-truth[url], url))[:k]
    return len(set(best) & set(ranking[:k])) / k


def masses(order: Iterable[str], truth: Mapping[str, float]) -> list[float]:
    """Cumulative importance of the first 0, 1, 2 ... fetched pages, each counted once.

    order: URLs in the order they were fetched; truth: importance of every URL of the web, sum 1. Compare only sums from
    here: added up in another order they differ in the last digits.
    """
    return list(accumulate((truth.get(url, 0.0) for url in dict.fromkeys(order)), initial=0.0))


def mass_curve(order: Iterable[str], truth: Mapping[str, float], shares: Iterable[float]) -> list[float | None]:
    """Importance fetched after each fraction in `shares` of the web's pages; None if the crawl did not get there.

    order, truth: as for `masses`.
    """
    held = masses(order, truth)
    counts = [round(share * len(truth)) for share in shares]
    return [held[count] if count < len(held) else None for count in counts]


def pages_until_mass(order: Iterable[str], truth: Mapping[str, float], share: float) -> int | None:
    """The number of fetched pages that first held `share` of all importance; None if they never did.

    order, truth: as for `masses`.
    """
    return next((count for count, mass in enumerate(masses(order, truth)) if mass >= share), None)
