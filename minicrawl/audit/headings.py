"""Headings, and the language that a page says."""

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
    return crawled.faults(among & (crawled.facts.h1s == 0))


@rule(
    "language-missing",
    Severity.WARNING,
    why="The page does not name its language, so screen readers may pronounce it as another.",
    how="Name it: <html lang=en>.",
    needs=Need.FACTS,
)
def language_missing(crawled: Crawled) -> Iterator[Fault]:
    return crawled.faults(crawled.has_facts & ~crawled.facts.has_language)
