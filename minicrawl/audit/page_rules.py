"""Rules on copies, ways to pages, titles, descriptions, headings, images, and http where https is meant."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

import numpy as np

from minicrawl.analysis.page_links import by_target
from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Need, Severity, rule
from minicrawl.errors import counted
from minicrawl.opic.arrays import Flags, Pages
from minicrawl.store.audit_columns import NO_PAGE

_duplicates, _reach, _titles, _headings, _images, _security = (
    partial(rule, each) for each in ("duplicates", "reach", "titles", "headings", "images", "security")
)


def _copies(crawled: Crawled, groups: Mapping[int, Iterable[int]]) -> Iterator[Fault]:
    """The pages with copies on their host, each the one of the shortest address. groups: of pages that are alike."""
    host = crawled.columns.host
    by_host = defaultdict[tuple[int, int], dict[int, None]](dict)
    for key, pages in groups.items():
        for page in pages:
            if crawled.is_indexed[page]:
                by_host[key, int(host[page])][page] = None
    for alike in by_host.values():
        urls = dict(sorted(crawled.urls(list(alike)).items(), key=lambda each: each[1]))
        # The same page over http and https is one of the faults of security.
        same = list({url.partition("://")[2]: page for page, url in urls.items()}.values())
        if len(same) > 1:
            target = min(same, key=lambda page: (len(urls[page]), urls[page]))
            others = tuple(page for page in same if page != target)
            yield Fault(target, "", others, float(crawled.stake[list(others)].sum()))


@_duplicates(
    "duplicate-exact",
    Severity.WARNING,
    why="Several addresses give the same page, so that links and importance are split among them.",
    how="Let all but one redirect to that one, or name it as their canonical.",
)
def duplicate_exact(crawled: Crawled) -> Iterator[Fault]:
    groups, payload = defaultdict[int, list[int]](list), crawled.columns.payload
    copied = np.isin(payload, payload[crawled.is_copy])
    for page in np.flatnonzero(copied).tolist():
        groups[int(payload[page])].append(page)
    return _copies(crawled, groups)


@_duplicates(
    "duplicate-near",
    Severity.NOTICE,
    why="Several pages say nearly the same, and search engines will show one of them.",
    how="Make one page of them, or name one as the canonical of the others.",
)
def duplicate_near(crawled: Crawled) -> Iterator[Fault]:
    groups, leader = dict[int, list[int]](), crawled.columns.leader
    is_near = (leader != NO_PAGE) & crawled.columns.is_near & ~crawled.is_copy
    for page in np.flatnonzero(is_near).tolist():
        groups.setdefault(int(leader[page]), [int(leader[page])]).append(page)
    return _copies(crawled, groups)


DEEP = 5
"""Links from a seed."""


@_reach(
    "orphan",
    Severity.WARNING,
    why="No page links to this one, which only a sitemap or a seed names; readers never come there.",
    how="Link to it, or remove it.",
    needs=Need.FINISHED,
)
def orphan(crawled: Crawled) -> Iterator[Fault]:
    source, target = crawled.links
    to_itself = np.bincount(target[source == target], minlength=crawled.size)
    alone = crawled.is_page & (crawled.columns.inlinks <= to_itself)
    pages = np.flatnonzero(alone).tolist()
    urls = crawled.urls(pages)
    return (Fault(page) for page in pages if urls[page].partition("://")[2].partition("/")[2])


@_reach(
    "too-deep",
    Severity.NOTICE,
    why=f"It takes more than {DEEP} links to come to the page, so that readers and crawlers seldom do.",
    how="Link to it from a page nearer to the start.",
)
def too_deep(crawled: Crawled) -> Iterator[Fault]:
    depth = crawled.columns.depth
    return crawled.faults(crawled.is_page & (depth > DEEP), lambda page: f"{depth[page]} links")


@_reach(
    "dead-end",
    Severity.NOTICE,
    why="The page has no link on which readers could go on.",
    how="Link at least to the start of the site.",
)
def dead_end(crawled: Crawled) -> Iterator[Fault]:
    has_links = np.zeros(crawled.size, dtype=np.bool_)
    has_links[crawled.links[0]] = True
    return crawled.faults(crawled.is_page & ~has_links & (crawled.columns.left_out == 0) & ~crawled.is_nofollow)


def _is_shown(crawled: Crawled) -> Flags:
    """Pages that search engines may show."""
    found: Flags = crawled.is_indexed & (crawled.columns.status == 200)
    return found


def _titles_of(crawled: Crawled) -> Iterable[tuple[int, str]]:
    return crawled.store.audit_table.texts("title")


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
    for column, values in ((said, texts(crawled)), (language, crawled.store.audit_table.facts("language"))):
        for page, text in values:
            column[page] = hash(text)
    is_meant &= said != 0
    pages = np.flatnonzero(is_meant)
    pages = pages[np.lexsort((-crawled.stake[pages], language[pages], crawled.sites[pages], said[pages]))]
    same = np.column_stack([said[pages], crawled.sites[pages], language[pages]])
    starts = np.flatnonzero(np.any(same[1:] != same[:-1], axis=1)) + 1
    several = (group for group in np.split(pages, starts) if len(group) > 1)
    groups = [group for group in several if not crawled.hreflangs.keys() >= set(group.tolist())]
    firsts = {int(group[0]) for group in groups}
    words = {page: text for page, text in texts(crawled) if page in firsts}
    for group in groups:
        yield Fault(int(group[0]), words[int(group[0])], group[1:], float(crawled.stake[group].sum()))


@_titles(
    "title-missing",
    Severity.WARNING,
    why="The page has no title, which search results, tabs and bookmarks show.",
    how="Give it a title element that says what is on this page.",
)
def title_missing(crawled: Crawled) -> Iterator[Fault]:
    return crawled.faults(_is_shown(crawled) & (_lengths(crawled, _titles_of(crawled)) == 0))


@_titles(
    "title-duplicate",
    Severity.WARNING,
    why="Several pages of the site have the same title, and cannot be told apart in search results.",
    how="Say in each title what is on that page alone.",
)
def title_duplicate(crawled: Crawled) -> Iterator[Fault]:
    return _alike(crawled, _titles_of)


@_titles(
    "description-missing",
    Severity.NOTICE,
    why="The page has no description, so search engines choose the words that they show.",
    how="Describe the page in a sentence or two: meta name=description.",
    needs=Need.FACTS,
)
def description_missing(crawled: Crawled) -> Iterator[Fault]:
    among = _is_shown(crawled) & crawled.has_facts
    return crawled.faults(among & ~crawled.columns.has_description)


@_titles(
    "description-duplicate",
    Severity.NOTICE,
    why="Several pages of the site have the same description, which then tells nothing of any of them.",
    how="Describe each page by itself, or leave the description out.",
    needs=Need.FACTS,
)
def description_duplicate(crawled: Crawled) -> Iterator[Fault]:
    return _alike(crawled, lambda crawled: crawled.store.audit_table.facts("description"))


@_headings(
    "h1-missing",
    Severity.WARNING,
    why="The page has no main heading, by which readers and screen readers see what it is about.",
    how="Make its heading an h1.",
    needs=Need.FACTS,
)
def h1_missing(crawled: Crawled) -> Iterator[Fault]:
    among = crawled.has_facts & ~crawled.is_noindex
    return crawled.faults(among & (crawled.columns.h1s == 0))


@_headings(
    "language-missing",
    Severity.WARNING,
    why="The page does not name its language, so screen readers may pronounce it as another.",
    how="Name it: <html lang=en>.",
    needs=Need.FACTS,
)
def language_missing(crawled: Crawled) -> Iterator[Fault]:
    return crawled.faults(crawled.has_facts & ~crawled.columns.has_language)


@_images(
    "image-without-alt",
    Severity.WARNING,
    why="Who does not see an image is told nothing of it, or its file name.",
    how='Say in alt what it shows; alt="" for one that only decorates.',
    needs=Need.FACTS,
)
def image_without_alt(crawled: Crawled) -> Iterator[Fault]:
    without = crawled.columns.without_alt
    is_without = crawled.has_facts & (without > 0)
    return crawled.faults(is_without, lambda page: counted(int(without[page]), "image"))


@_security(
    "mixed-content",
    Severity.ERROR,
    why="An https page loads a file or sends a form by http: browsers block it, and others on the way can change it.",
    how="Name the file by https.",
    needs=Need.FACTS,
)
def mixed_content(crawled: Crawled) -> Iterator[Fault]:
    """A fault for each URL that pages load."""
    pages_of = defaultdict[str, list[int]](list)
    for page, urls in crawled.store.audit_table.facts("mixed"):
        if crawled.has_facts[page]:
            for url in json.loads(urls):
                pages_of[url].append(page)
    for url, pages in pages_of.items():
        yield Fault(url, "", tuple(pages), float(crawled.stake[pages].sum()))


@_security(
    "insecure-link",
    Severity.NOTICE,
    why="A link leads from an https page to an http address, where others can read and change what is sent.",
    how="Link to https.",
)
def insecure_link(crawled: Crawled) -> Iterator[Fault]:
    is_https, (source, target) = crawled.columns.is_https, crawled.links
    is_insecure = is_https[source] & ~is_https[target]
    for page, pages in by_target(source[is_insecure], target[is_insecure], np.ones(crawled.size, dtype=np.bool_)):
        yield Fault(page, "", pages, float(crawled.stake[page]))


@_security(
    "insecure-page",
    Severity.WARNING,
    why="The host answers by https, but gives this page by http too, where others can read and change it.",
    how="Let http redirect to https.",
)
def insecure_page(crawled: Crawled) -> Iterator[Fault]:
    columns = crawled.columns
    is_read = crawled.is_page & (columns.status == 200)
    is_http = is_read & ~columns.is_https & np.isin(columns.host, columns.host[is_read & columns.is_https])
    return crawled.faults(is_http)
