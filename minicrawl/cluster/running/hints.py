"""Pages that stand for others by a hint, where partitions must ask each other, or all must have settled.

hints  URLs of other partitions that pages here name as canonical, by home
dead   those of some URLs of this partition whose last turn found nothing
void   let pages that name some URLs as canonical stand for themselves; the answer is their number

Only the home of a page knows whether it is dead, and only the partition of a page knows what that names as canonical.
The keeper brings them together when nothing is left to fetch, and before the ranking is settled.
"""

from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from itertools import chain

from minicrawl.control.messages import Message
from minicrawl.crawler.intake import Intake

Each = Callable[[Mapping[int, Message]], Awaitable[Mapping[int, Message | None]]]
"""Sends partitions their own messages; None for one that was restarted."""


class _NotNowError(Exception):
    """A partition is being started, or ends its crawl."""


async def void_hints(partitions: Collection[int], each: Each) -> bool:
    """Void the hints to dead pages of other partitions. Returns True if any were, or a partition could not answer."""
    try:
        named = await _told({number: {"do": "hints"} for number in partitions}, each)
        by_home: defaultdict[str, set[str]] = defaultdict(set)
        for home, urls in chain.from_iterable(answer["answer"].items() for answer in named.values()):
            by_home[home].update(urls)
        dead_of = {int(home): {"do": "dead", "urls": sorted(urls)} for home, urls in by_home.items()}
        found = await _told({home: asked for home, asked in dead_of.items() if home in partitions}, each)
        dead = set(chain.from_iterable(answer["answer"] for answer in found.values()))
        void = {
            number: sorted(dead.intersection(chain(*answer["answer"].values()))) for number, answer in named.items()
        }
        pages = await _told({number: {"do": "void", "urls": urls} for number, urls in void.items() if urls}, each)
    except _NotNowError:
        return True
    return any(answer["answer"] for answer in pages.values())


async def _told(messages: Mapping[int, Message], each: Each) -> Mapping[int, Message]:
    """The answers to messages, by partition. Raises _NotNowError."""
    answers = await each(messages)
    some = {number: answer for number, answer in answers.items() if answer is not None and answer["answer"] is not None}
    if len(some) < len(answers):
        raise _NotNowError
    return some


def of_hints(asked: Message, now: float, intake: Intake) -> object:
    """The answer of a partition."""
    match asked["do"]:
        case "hints":
            return _named_elsewhere(intake)
        case "dead":
            return _dead(asked["urls"], intake)
    return _void(asked["urls"], now, intake)


def _named_elsewhere(intake: Intake) -> Mapping[int, Sequence[str]]:
    assert intake.state.mirrors is not None, "the crawl has partitions"
    urls = list(map(intake.state.urls.url, intake.visits.aliases.hinted_mirrors()))
    named: defaultdict[int, list[str]] = defaultdict(list)
    for url, home in zip(urls, intake.state.mirrors.homes(urls), strict=True):
        if home is not None:
            named[home].append(url)
    return named


def _dead(urls: Sequence[str], intake: Intake) -> Sequence[str]:
    visited, is_dead = intake.state.accounts.had_turn, intake.visits.aliases.is_dead
    pages = zip(urls, intake.state.urls.find(urls), strict=True)
    return [url for url, page in pages if page is not None and visited[page] and is_dead(page)]


def _void(urls: Sequence[str], now: float, intake: Intake) -> int:
    pages = [page for page in intake.state.urls.find(urls) if page is not None]
    voided = sum(map(intake.visits.aliases.void_hints_to, pages))
    intake.state.discovery.offer_new(now)
    return voided
