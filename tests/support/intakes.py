"""A crawl's books with no network: the parts that take in what comes back, and pages that are handed to them."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.known.crawl_state import Terms
from minicrawl.crawler.sharing import Share
from minicrawl.model import Fetched, ParsedPage
from minicrawl.settings import CrawlSettings
from minicrawl.sizes import STANDARD_SIZES, Sizes
from minicrawl.store.writer import Writer
from minicrawl.timing import Timing

HOME = "http://a.test/"
Web = Mapping[str, Sequence[str] | int | str]
"""By URL what a page links to, the status of its answer, or where it redirects to; whatever is not in it is a 404."""


PATIENT = Timing(batch=3000.0, lease=9000.0)
"""So that hours in which nothing is due pass in few steps."""
DAYS_LATER: dict[str, Any] = {"refresh": True, "refresh_min": "8h", "time": "4d", "traps": False, "timing": PATIENT}
"""Time enough to read every page again, and to believe that one has gone."""


def at_once(settings: Mapping[str, Any]) -> dict[str, float]:
    """What lets pages be read again at once, in a crawl that goes on by cash alone."""
    return {"refresh_min": 1e-9} if settings.get("discovery", 1.0) < 1.0 else {}


def intake_of(
    store: Path,
    *,
    now: float = 0.0,
    share: Share | None = None,
    locates: bool = False,
    sizes: Sizes = STANDARD_SIZES,
    **settings: Any,
) -> Intake:
    """What a crawl with these settings takes up of a store; without any delay or least age, unless they have one.

    Whoever asks closes its writer; a store that cannot be taken up is closed here.
    """
    chosen = CrawlSettings.of({"delay": 0.0, **at_once(settings), **settings})
    writer = Writer(store, sizes)
    try:
        return Intake(writer, chosen, now, Terms(share=share, locates=locates))
    except BaseException:
        writer.close()
        raise


def answer(web: Web, url: str) -> tuple[Fetched, ParsedPage]:
    reply = web.get(url, 404)
    if isinstance(reply, int):
        return Fetched(url, status=reply), ParsedPage()
    if isinstance(reply, str):
        return Fetched(url, status=301, location=reply), ParsedPage()
    outlinks = tuple(dict.fromkeys(reply))  # each once, as a parser gives them
    parsed = ParsedPage(outlinks, anchors=("",) * len(outlinks))
    return Fetched(url, status=200, content_type="text/html", size=1), parsed


def next_page(frontier: Frontier, now: float, *, attempts: bool = True) -> int | None:
    """The best page, handed out; None where there is none."""
    page = frontier.best_page(now, attempts=attempts)
    if page is not None:
        frontier.hand_out(page, now)
    return page


def take_turn(intake: Intake, page: int, answered: tuple[Fetched, ParsedPage], now: float = 0.0) -> None:
    intake.visits.absorb(page, *answered, now)


def crawl_all(
    intake: Intake,
    web: Web,
    *,
    most: int = 1_000,
    clock: Iterator[float] | None = None,
    after_turn: Callable[[int], None] = lambda page: None,
) -> list[str]:
    """Every page in turn, until none waits or so many were asked for; the URLs asked for. clock: None: time stands."""
    asked: list[str] = []
    clock = clock or itertools.repeat(0.0)
    while len(asked) < most and (page := next_page(intake.state.frontier, next(clock))) is not None:
        asked.append(intake.state.urls.url(page))
        take_turn(intake, page, answer(web, asked[-1]), next(clock))
        after_turn(page)
    intake.commit({})
    return asked


def page_of(intake: Intake, url: str) -> int:
    (page,) = intake.state.urls.find([url])
    assert page is not None, f"{url} is not known"
    return page
