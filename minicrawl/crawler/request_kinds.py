"""The kinds of request that a crawl makes, put together. One that gives hosts errands by itself joins the list here."""

from minicrawl.crawler.intake import Intake
from minicrawl.crawler.parts.requisites import Requisites
from minicrawl.crawler.requests.due import DueRequests
from minicrawl.crawler.requests.page import LastProbes, Pages
from minicrawl.crawler.requests.request import Kind
from minicrawl.crawler.requests.requisite import Requisites as RequisiteKind
from minicrawl.settings import CrawlSettings
from minicrawl.timing import STANDARD, Timing


def requests_of(intake: Intake, settings: CrawlSettings, timing: Timing = STANDARD) -> DueRequests:
    """All requests of a crawl."""

    def is_allowed(url: str) -> bool:
        if not (settings.ignore_robots or intake.robots.allows(url)):
            return False
        return usage is None or usage.refusal(url) is None

    state, usage = intake.state, None
    if settings.respect_usage:
        from minicrawl.crawler.requests.usage import UsageRefusals  # noqa: PLC0415 - few crawls respect any

        usage = UsageRefusals(settings.respect_usage, settings.user_agent, intake.robots)
    kinds: list[Kind] = [intake.sitemaps, LastProbes(intake.parts, is_allowed, state.hosts, intake.turns)]
    part = intake.parts.find(Requisites)
    if part is not None:
        kinds.append(
            RequisiteKind(
                part.queue,
                state.frontier,
                state.hosts,
                state.urls,
                state.admission,
                intake.turns,
                state.writer,
                timing,
            )
        )
    pages = Pages(intake.visits, intake.visits.guesses, intake.parts, is_allowed, intake.turns, state.urls)
    return DueRequests(
        state.frontier,
        intake.turns,
        pages,
        intake.robots,
        intake.sitemaps,
        usage,
        kinds,
        settings,
        timing,
    )
