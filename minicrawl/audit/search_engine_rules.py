"""Rules on canonicals, versions in other languages, sitemaps, and pages that search engines may not read or show."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Severity, rule
from minicrawl.crawler.urls.keys import site_of
from minicrawl.model import State

_canonicals, _hreflang, _indexability, _sitemaps = (
    partial(rule, each) for each in ("canonicals", "hreflang", "indexability", "sitemaps")
)


def _named(crawled: Crawled, is_at_fault: Callable[[int], bool], detail: Callable[[int], str]) -> Iterator[Fault]:
    """The canonicals at fault, each with the pages that name it."""
    for url, sources in crawled.naming.items():
        page = crawled.named.get(url)
        if page is not None and is_at_fault(page):
            yield Fault(page, detail(page), sources)


@_canonicals(
    "canonical-broken",
    Severity.ERROR,
    why="The pages say that they stand for one that is not there, so that search engines show neither.",
    how="Let the pages name themselves, or the page that replaces the other.",
)
def canonical_broken(crawled: Crawled) -> Iterator[Fault]:
    return _named(
        crawled,
        lambda page: bool(crawled.leads_nowhere[page]),
        lambda page: str(crawled.columns.reason[crawled.web.end[page]]),
    )


@_canonicals(
    "canonical-redirect",
    Severity.WARNING,
    why="The canonical redirects, so that search engines may not believe it.",
    how="Name the address at the end of the redirect.",
)
def canonical_redirect(crawled: Crawled) -> Iterator[Fault]:
    web = crawled.web
    moved = web.is_redirect & ~web.is_broken[web.end]
    return _named(
        crawled, lambda page: bool(moved[page]), lambda page: crawled.urls([int(web.end[page])])[int(web.end[page])]
    )


@_canonicals(
    "canonical-chain",
    Severity.WARNING,
    why="The canonical names a further page as its canonical; search engines follow no chains.",
    how="Let all of them name the last one.",
)
def canonical_chain(crawled: Crawled) -> Iterator[Fault]:
    is_html, canonicals = crawled.is_html & ~crawled.web.is_redirect, crawled.web.canonicals
    return _named(crawled, lambda page: bool(is_html[page]) and page in canonicals, lambda page: canonicals[page])


@_canonicals(
    "canonical-noindex",
    Severity.ERROR,
    why="The canonical asks search engines not to show it, so that they show neither.",
    how="Take noindex off the canonical, or let the pages name themselves.",
)
def canonical_noindex(crawled: Crawled) -> Iterator[Fault]:
    hidden = crawled.is_html & crawled.is_noindex
    return _named(crawled, lambda page: bool(hidden[page]), lambda page: "")


@_canonicals(
    "canonical-to-other-site",
    Severity.NOTICE,
    why="The pages leave their place in search engines to another site.",
    how="Let the pages name themselves, unless the other site is meant to be shown.",
)
def canonical_to_other_site(crawled: Crawled) -> Iterator[Fault]:
    pages = {page for sources in crawled.naming.values() for page in sources}
    site = {page: site_of(url) for page, url in crawled.urls(pages).items()}
    for url, sources in crawled.naming.items():
        from_others = tuple(page for page in sources if site[page] != site_of(url))
        if from_others:
            yield Fault(crawled.named.get(url, url), "", from_others, float(crawled.stake[list(from_others)].sum()))


_WHOLE, _MOST = 9_900, 100
"""Characters and versions from which on the store may not have all of a page."""


def _read(text: str) -> list[tuple[str, str]]:
    """Language and URL of each version."""
    parts = (part.partition("=") for part in text.split(" "))
    return [(language, url) for language, _, url in parts]


def _by_target(crawled: Crawled) -> dict[int, list[int]]:
    """The pages of ours that name each page as a version in another language."""
    naming = defaultdict[int, list[int]](list)
    for page, text in crawled.hreflangs.items():
        for target in dict.fromkeys(crawled.named.get(url, page) for _, url in _read(text)):
            if target != page and crawled.is_page[page]:
                naming[target].append(page)
    return naming


@_hreflang(
    "hreflang-broken",
    Severity.ERROR,
    why="The version in another language is a page that is not there.",
    how="Name the page that replaces it, or take it out of the list of versions.",
)
def hreflang_broken(crawled: Crawled) -> Iterator[Fault]:
    for target, sources in _by_target(crawled).items():
        if crawled.leads_nowhere[target]:
            yield Fault(target, str(crawled.columns.reason[crawled.web.end[target]]), tuple(sources))


@_hreflang(
    "hreflang-to-noncanonical",
    Severity.WARNING,
    why="The version in another language redirects or names another canonical; search engines ignore it then.",
    how="Name the page that it leads to.",
)
def hreflang_to_noncanonical(crawled: Crawled) -> Iterator[Fault]:
    web = crawled.web
    moved = web.is_redirect & ~web.is_broken[web.end]
    for target, sources in _by_target(crawled).items():
        if moved[target] or (crawled.is_html[target] and target in crawled.web.canonicals):
            yield Fault(target, "redirects" if moved[target] else "names another page", tuple(sources))


@_hreflang(
    "hreflang-no-return",
    Severity.WARNING,
    why="Search engines believe versions only if each of two pages names the other.",
    how="Let the page name the pages that name it.",
)
def hreflang_no_return(crawled: Crawled) -> Iterator[Fault]:
    end = crawled.web.end
    for target, sources in _by_target(crawled).items():
        text = crawled.hreflangs.get(target, "")
        versions = _read(text) if text else []
        may_be_cut = len(text) > _WHOLE or len(versions) >= _MOST
        if may_be_cut or not crawled.is_html[target] or target in crawled.web.canonicals:
            continue
        back = {int(end[crawled.named[url]]) for _, url in versions if url in crawled.named}
        lacking = [page for page in sources if page not in back and _is_version(crawled, page, target)]
        if lacking:
            yield Fault(target, "", tuple(lacking))


def _is_version(crawled: Crawled, page: int, target: int) -> bool:
    """True if the page names the target as of a language, and not only as the default, which need not name it."""
    versions = _read(crawled.hreflangs[page])
    return any(language.lower() != "x-default" for language, url in versions if crawled.named.get(url) == target)


@_indexability(
    "noindex-linked",
    Severity.NOTICE,
    why="The page asks search engines not to show it, yet links pass importance to it.",
    how="Take noindex off if the page is meant to be found.",
)
def noindex_linked(crawled: Crawled) -> Iterator[Fault]:
    for target, sources in crawled.linked(crawled.is_page & crawled.is_noindex):
        yield Fault(target, "", sources)


@_indexability(
    "robots-blocked",
    Severity.WARNING,
    why="robots.txt keeps search engines from a page that has more importance than the average.",
    how="Allow it in robots.txt, or link to it less.",
)
def robots_blocked(crawled: Crawled) -> Iterator[Fault]:
    blocked = crawled.are(State.DISALLOWED) & crawled.are_for("robots") & crawled.is_ours
    for target, sources in crawled.linked(blocked & crawled.is_important):
        yield Fault(target, "", sources)


@_sitemaps(
    "sitemap-broken",
    Severity.ERROR,
    why="A sitemap lists a page that is not there, and search engines ask for it again and again.",
    how="Take it out of the sitemap.",
)
def sitemap_broken(crawled: Crawled) -> Iterator[Fault]:
    return crawled.faults(
        crawled.is_listed & crawled.leads_nowhere, lambda page: str(crawled.columns.reason[crawled.web.end[page]])
    )


@_sitemaps(
    "sitemap-redirect",
    Severity.WARNING,
    why="A sitemap lists an address that redirects; it should have the pages that are to be shown.",
    how="List the address at the end of the redirect.",
)
def sitemap_redirect(crawled: Crawled) -> Iterator[Fault]:
    web = crawled.web
    return crawled.faults(crawled.is_listed & web.is_redirect & ~web.is_broken[web.end])


@_sitemaps(
    "sitemap-noindex",
    Severity.WARNING,
    why="A sitemap offers a page to search engines that asks them not to show it.",
    how="Take it out of the sitemap, or take noindex off the page.",
)
def sitemap_noindex(crawled: Crawled) -> Iterator[Fault]:
    return crawled.faults(crawled.is_listed & crawled.is_html & crawled.is_noindex)


@_sitemaps(
    "sitemap-missing",
    Severity.NOTICE,
    why="The page has more importance than the average, but no sitemap of its host lists it.",
    how="Add it to the sitemap.",
)
def sitemap_missing(crawled: Crawled) -> Iterator[Fault]:
    sitemaps, waiting = crawled.store.sitemaps, crawled.store.sitemaps.listed_counts()
    unread = [row.host for row in sitemaps.all() if row.reason != "ok"] + [
        host for host, (count, _) in waiting.items() if count
    ]
    listed, host = crawled.is_listed, crawled.columns.host
    with_sitemap = np.isin(host, np.unique(host[listed])) & ~np.isin(host, unread)
    stands = crawled.is_indexed & crawled.is_important & ~crawled.web.is_redirect
    return crawled.faults(stands & with_sitemap & ~listed)
