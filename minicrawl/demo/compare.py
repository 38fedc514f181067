"""How well a crawl did on a web whose importance is known."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate


def overlap(ranking: Sequence[str], truth: Mapping[str, float], k: int) -> float:
    """Share of the k truly most important URLs that are among the first k of `ranking`."""
    best = sorted(truth, key=lambda url: (-truth[url], url))[:k]
    return len(set(best) & set(ranking[:k])) / k


def masses(order: Iterable[str], truth: Mapping[str, float]) -> list[float]:
    """The importance that the first 0, 1, 2 ... fetched pages hold together, each counted once.

    order: URLs in the order they were fetched; truth: importance of every URL of the web, sum 1. Whoever compares two
    of these sums has both from here: added up in another order they differ in the last digits.
    """
    return list(accumulate((truth.get(url, 0.0) for url in dict.fromkeys(order)), initial=0.0))


def mass_curve(order: Iterable[str], truth: Mapping[str, float], shares: Iterable[float]) -> list[float | None]:
    """Share of all importance fetched once each of `shares` of the web's pages has been; None where it never was.

    order, truth: as for `masses`.
    """
    held = masses(order, truth)
    counts = [round(share * len(truth)) for share in shares]
    return [held[count] if count < len(held) else None for count in counts]


def pages_until_mass(order: Iterable[str], truth: Mapping[str, float], share: float) -> int | None:
    """How many pages had been fetched when they held `share` of all importance; None where they never did.

    order, truth: as for `masses`.
    """
    return next((count for count, mass in enumerate(masses(order, truth)) if mass >= share), None)
