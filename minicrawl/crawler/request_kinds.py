"""The kinds of request that a crawl makes, put together. One that gives hosts errands by itself joins the list here."""

from minicrawl.crawler.absorb import Absorber
from minicrawl.crawler.requests.due import DueRequests
from minicrawl.crawler.requests.page import Pages
from minicrawl.settings import CrawlSettings
from minicrawl.timing import STANDARD, Timing


def requests_of(absorber: Absorber, settings: CrawlSettings, timing: Timing = STANDARD) -> DueRequests:
    """All that a crawl asks for."""

    def is_allowed(url: str) -> bool:
        return settings.ignore_robots or absorber.robots.allows(url)

    pages = Pages(absorber.visits, absorber.guesses, absorber.probes, is_allowed, absorber.turns, absorber.urls)
    return DueRequests(
        absorber.frontier,
        absorber.turns,
        pages,
        absorber.robots,
        absorber.sitemaps,
        [absorber.sitemaps],
        settings,
        timing,
    )
