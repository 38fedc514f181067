"""Ways to pages, and on from there."""

from collections.abc import Iterator

import numpy as np

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Need, Severity, rule

DEEP = 5
"""Links from a seed."""


@rule(
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


@rule(
    "too-deep",
    Severity.NOTICE,
    why=f"It takes more than {DEEP} links to come to the page, so that readers and crawlers seldom do.",
    how="Link to it from a page nearer to the start.",
)
def too_deep(crawled: Crawled) -> Iterator[Fault]:
    depth = crawled.columns.depth
    return crawled.faults(crawled.is_page & (depth > DEEP), lambda page: f"{depth[page]} links")


@rule(
    "dead-end",
    Severity.NOTICE,
    why="The page has no link on which readers could go on.",
    how="Link at least to the start of the site.",
)
def dead_end(crawled: Crawled) -> Iterator[Fault]:
    has_links = np.zeros(crawled.size, dtype=np.bool_)
    has_links[crawled.links.source] = True
    return crawled.faults(crawled.is_page & ~has_links & (crawled.columns.left_out == 0) & ~crawled.is_nofollow)
