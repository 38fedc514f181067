"""Headings, and what a page says of itself to browsers: its language and how it fits a screen."""

from collections.abc import Iterator

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Need, Severity, rule


@rule(
    "h1-missing",
    Severity.WARNING,
    why="The page has no main heading, by which readers and screen readers see what it is about.",
    how="Make its heading an h1.",
    needs=Need.FACTS,
)
def h1_missing(crawled: Crawled) -> Iterator[Fault]:
    among = crawled.has_facts & ~crawled.is_noindex
    return crawled.faults_by_host(among & (crawled.facts.h1s == 0) & ~crawled.facts.is_cut, among)


@rule(
    "h1-multiple",
    Severity.NOTICE,
    why="The page has several main headings, so that none says what all of it is about.",
    how="Keep one h1, and make the others h2.",
    needs=Need.FACTS,
)
def h1_multiple(crawled: Crawled) -> Iterator[Fault]:
    h1s, among = crawled.facts.h1s, crawled.has_facts & ~crawled.is_noindex
    return crawled.faults_by_host(among & (h1s > 1), among, lambda page: f"{h1s[page]} h1")


@rule(
    "heading-skipped",
    Severity.NOTICE,
    why="A heading is two levels or more below the one before it, so the outline that screen readers tell has a gap.",
    how="Use the next level: an h3 below an h2.",
    needs=Need.FACTS,
)
def heading_skipped(crawled: Crawled) -> Iterator[Fault]:
    skips = crawled.facts.skips
    is_skipped = crawled.has_facts & (skips > 0)
    return crawled.faults_by_host(
        is_skipped, crawled.has_facts, lambda page: f"h{skips[page] % 10} behind h{skips[page] // 10}"
    )


@rule(
    "language-missing",
    Severity.WARNING,
    why="The page does not name its language, so screen readers may pronounce it as another.",
    how="Name it: <html lang=en>.",
    needs=Need.FACTS,
)
def language_missing(crawled: Crawled) -> Iterator[Fault]:
    return crawled.faults_by_host(crawled.has_facts & ~crawled.facts.has_language, crawled.has_facts)


@rule(
    "viewport-missing",
    Severity.WARNING,
    why="A phone shows the page as if its screen were a desk's, too small to read.",
    how='Add <meta name="viewport" content="width=device-width">.',
    needs=Need.FACTS,
)
def viewport_missing(crawled: Crawled) -> Iterator[Fault]:
    return crawled.faults_by_host(crawled.has_facts & ~crawled.facts.viewport, crawled.has_facts)
