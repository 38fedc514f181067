"""The kinds of request that a crawl makes, put together. One that gives hosts errands by itself joins the list here."""

from minicrawl.crawler.intake import Intake
from minicrawl.crawler.requests.due import DueRequests
from minicrawl.crawler.requests.page import Pages
from minicrawl.settings import CrawlSettings
from minicrawl.timing import STANDARD, Timing


def requests_of(intake: Intake, settings: CrawlSettings, timing: Timing = STANDARD) -> DueRequests:
    """All requests of a crawl."""

    def is_allowed(url: str) -> bool:
        return settings.ignore_robots or intake.robots.allows(url)

    pages = Pages(intake.visits, intake.visits.guesses, intake.parts, is_allowed, intake.turns, intake.state.urls)
    return DueRequests(
        intake.state.frontier,
        intake.turns,
        pages,
        intake.robots,
        intake.sitemaps,
        [intake.sitemaps],
        settings,
        timing,
    )
