"""Pages that search engines may not read or show."""

from collections.abc import Iterator

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Severity, rule
from minicrawl.model import State


@rule(
    "noindex-linked",
    Severity.NOTICE,
    why="The page asks search engines not to show it, yet links pass importance to it.",
    how="Take noindex off if the page is meant to be found.",
)
def noindex_linked(crawled: Crawled) -> Iterator[Fault]:
    for target, sources in crawled.linked(crawled.is_page & crawled.is_noindex):
        yield Fault(target, "", sources)


@rule(
    "robots-blocked",
    Severity.WARNING,
    why="robots.txt keeps search engines from a page that has more importance than the average.",
    how="Allow it in robots.txt, or link to it less.",
)
def robots_blocked(crawled: Crawled) -> Iterator[Fault]:
    blocked = crawled.are(State.DISALLOWED) & crawled.are_for("robots") & crawled.is_ours
    for target, sources in crawled.linked(blocked & crawled.is_important):
        yield Fault(target, "", sources)
