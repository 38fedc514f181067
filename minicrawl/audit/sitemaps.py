"""Sitemaps against what the crawl found."""

from collections.abc import Iterator

import numpy as np

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Severity, rule


@rule(
    "sitemap-broken",
    Severity.ERROR,
    why="A sitemap lists a page that is not there, and search engines ask for it again and again.",
    how="Take it out of the sitemap.",
)
def sitemap_broken(crawled: Crawled) -> Iterator[Fault]:
    return crawled.faults(
        crawled.is_listed & crawled.leads_nowhere, lambda page: str(crawled.columns.reason[crawled.web.end[page]])
    )


@rule(
    "sitemap-redirect",
    Severity.WARNING,
    why="A sitemap lists an address that redirects; it should have the pages that are to be shown.",
    how="List the address at the end of the redirect.",
)
def sitemap_redirect(crawled: Crawled) -> Iterator[Fault]:
    web = crawled.web
    return crawled.faults(crawled.is_listed & web.is_redirect & ~web.is_broken[web.end])


@rule(
    "sitemap-noindex",
    Severity.WARNING,
    why="A sitemap offers a page to search engines that asks them not to show it.",
    how="Take it out of the sitemap, or take noindex off the page.",
)
def sitemap_noindex(crawled: Crawled) -> Iterator[Fault]:
    return crawled.faults(crawled.is_listed & crawled.is_html & crawled.is_noindex)


@rule(
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
