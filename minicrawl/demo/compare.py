"""How well a crawl did on a web whose importance is known."""

from collections.abc import Iterable, Mapping, Sequence


def overlap(ranking: Sequence[str], truth: Mapping[str, float], k: int) -> float:
    """Share of the k truly most important URLs that are among the first k of `ranking`."""
    best = sorted(truth, key=lambda url: (-truth[url], url))[:k]
    return len(set(best) & set(ranking[:k])) / k


def mass_curve(order: Iterable[str], truth: Mapping[str, float], shares: Iterable[float]) -> list[float | None]:
    """Share of all importance fetched once each of `shares` of the web's pages has been; None where it never was.

    order: URLs in the order they were fetched; truth: importance of every URL of the web, sum 1.
    """
    fetched = list(dict.fromkeys(order))
    masses = [0.0]
    for url in fetched:
        masses.append(masses[-1] + truth.get(url, 0.0))
    counts = [round(share * len(truth)) for share in shares]
    return [masses[count] if count <= len(fetched) else None for count in counts]


def pages_needed(order: Iterable[str], truth: Mapping[str, float], share: float) -> int | None:
    """How many pages had been fetched when they held `share` of all importance; None where they never did.

    order, truth: as for `mass_curve`.
    """
    mass = 0.0
    for count, url in enumerate(dict.fromkeys(order), start=1):
        mass += truth.get(url, 0.0)
        if mass >= share:
            return count
    return None
