"""Titles and descriptions."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from minicrawl.analysis.page_links import Flags, Pages
from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Need, Severity, rule


def _is_shown(crawled: Crawled) -> Flags:
    """Pages that search engines may show."""
    found: Flags = crawled.is_indexed & (crawled.columns.status == 200)
    return found


def _titles(crawled: Crawled) -> Iterable[tuple[int, str]]:
    return crawled.store.audit_table.texts("title")


def _descriptions(crawled: Crawled) -> Iterable[tuple[int, str]]:
    return crawled.store.facts.texts("description")


def _lengths(crawled: Crawled, texts: Iterable[tuple[int, str]]) -> Pages:
    """Characters of the text of every page, shape (size,); 0 without one."""
    length = np.zeros(crawled.size, dtype=np.int64)
    for page, text in texts:
        length[page] = len(text)
    return length


def _alike(crawled: Crawled, texts: Callable[[Crawled], Iterable[tuple[int, str]]]) -> Iterator[Fault]:
    """A fault for each text that several pages of a site have: of the most important one. Copies of a page, which are
    the same in all, and versions in other languages do not count."""
    is_meant = _is_shown(crawled) & ~crawled.is_copy
    said, language = (np.zeros(crawled.size, dtype=np.int64) for _ in range(2))
    for column, values in ((said, texts(crawled)), (language, crawled.store.facts.texts("language"))):
        for page, text in values:
            column[page] = hash(text)
    is_meant &= said != 0
    pages = np.flatnonzero(is_meant)
    pages = pages[np.lexsort((-crawled.stake[pages], language[pages], crawled.sites[pages], said[pages]))]
    same = np.column_stack([said[pages], crawled.sites[pages], language[pages]])
    starts = np.flatnonzero(np.any(same[1:] != same[:-1], axis=1)) + 1
    groups = [group for group in np.split(pages, starts) if len(group) > 1 and not _are_versions(crawled, group)]
    firsts = {int(group[0]) for group in groups}
    words = {page: text for page, text in texts(crawled) if page in firsts}
    for group in groups:
        yield Fault(int(group[0]), words[int(group[0])], group[1:], float(crawled.stake[group].sum()))


def _are_versions(crawled: Crawled, pages: Pages) -> bool:
    """True if each page has versions in other languages, so that the pages are some of them."""
    return all(page in crawled.hreflangs for page in pages.tolist())


@rule(
    "title-missing",
    Severity.WARNING,
    why="The page has no title, which search results, tabs and bookmarks show.",
    how="Give it a title element that says what is on this page.",
)
def title_missing(crawled: Crawled) -> Iterator[Fault]:
    return crawled.faults(_is_shown(crawled) & (_lengths(crawled, _titles(crawled)) == 0))


@rule(
    "title-duplicate",
    Severity.WARNING,
    why="Several pages of the site have the same title, and cannot be told apart in search results.",
    how="Say in each title what is on that page alone.",
)
def title_duplicate(crawled: Crawled) -> Iterator[Fault]:
    return _alike(crawled, _titles)


@rule(
    "description-missing",
    Severity.NOTICE,
    why="The page has no description, so search engines choose the words that they show.",
    how="Describe the page in a sentence or two: meta name=description.",
    needs=Need.FACTS,
)
def description_missing(crawled: Crawled) -> Iterator[Fault]:
    among = _is_shown(crawled) & crawled.has_facts
    return crawled.faults(among & ~crawled.facts.has_description)


@rule(
    "description-duplicate",
    Severity.NOTICE,
    why="Several pages of the site have the same description, which then tells nothing of any of them.",
    how="Describe each page by itself, or leave the description out.",
    needs=Need.FACTS,
)
def description_duplicate(crawled: Crawled) -> Iterator[Fault]:
    return _alike(crawled, _descriptions)
