"""Pages that stand for others by a hint, where partitions must ask each other, or all must have settled.

Only the home of a page knows whether it is dead, and only the partition of a page knows what that names as canonical.
The keeper brings them together when nothing is left to fetch, and before the ranking is settled.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from minicrawl.crawler.intake import Intake

if TYPE_CHECKING:
    from minicrawl.cluster.keeper import Keeper


async def void_hints(keeper: "Keeper") -> bool:
    """Let pages stand for themselves that name dead pages of other partitions as canonical. Returns True if there were
    any, or a partition could not answer."""
    named: Mapping[int, Mapping[int, Sequence[str]] | None]
    named = await keeper.all("on_intake", named_elsewhere, changes=False)
    by_home: defaultdict[int, set[str]] = defaultdict(set)
    for home, urls in chain.from_iterable((answer or {}).items() for answer in named.values()):
        by_home[home].update(urls)
    looks = {home: (partial(dead, sorted(urls)),) for home, urls in by_home.items()}
    found: Mapping[int, Sequence[str] | None] = await keeper.each("on_intake", looks, changes=False)
    gone = sorted(chain.from_iterable(answer or () for answer in found.values()))
    voided = await keeper.all("void_hints", gone) if gone else {}
    return any(voided.values()) or None in (*named.values(), *found.values(), *voided.values())


def named_elsewhere(intake: Intake) -> Mapping[int, Sequence[str]]:
    """URLs of other partitions that pages here name as canonical, by home."""
    assert intake.state.mirrors is not None, "the crawl has partitions"
    urls = list(map(intake.state.urls.url, intake.visits.aliases.hinted_mirrors()))
    named: defaultdict[int, list[str]] = defaultdict(list)
    for url, home in zip(urls, intake.state.mirrors.homes(urls), strict=True):
        if home is not None:
            named[home].append(url)
    return named


def dead(urls: Sequence[str], intake: Intake) -> Sequence[str]:
    """Those of some URLs of this partition whose last turn found nothing."""
    visited, is_dead = intake.state.accounts.had_turn, intake.visits.aliases.is_dead
    pages = zip(urls, intake.state.urls.find(urls), strict=True)
    return [url for url, page in pages if page is not None and visited[page] and is_dead(page)]


def voided(urls: Sequence[str], now: float, intake: Intake) -> int:
    """Let pages that name some URLs as canonical stand for themselves. Returns their number."""
    pages = [page for page in intake.state.urls.find(urls) if page is not None]
    count = sum(map(intake.visits.aliases.void_hints_to, pages))
    intake.state.discovery.offer_new(now)
    return count
