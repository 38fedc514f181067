"""Links to pages that are not there, cannot be reached, or have moved."""

from collections.abc import Iterator

import numpy as np

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Severity, rule


@rule(
    "broken-link",
    Severity.ERROR,
    why="Whoever follows the links comes to a page that is not there.",
    how="Correct the links, or let the address redirect to the page that replaces it.",
)
def broken_link(crawled: Crawled) -> Iterator[Fault]:
    for target, sources in crawled.linked(crawled.is_dead):
        yield Fault(target, str(crawled.columns.reason[target]), sources)


@rule(
    "link-no-url",
    Severity.ERROR,
    why="The link is not a URL, so it leads nowhere.",
    how="Correct the address of the link.",
)
def link_no_url(crawled: Crawled) -> Iterator[Fault]:
    for page, texts in crawled.store.link_table.malformed():
        if crawled.is_ours[page]:
            yield Fault(page, ", ".join(texts))


@rule(
    "link-unreachable",
    Severity.WARNING,
    why="The page could not be read, which may pass: its host was silent, failed, or refused the crawler.",
    how="Look at the page in a browser; correct the links if it stays so.",
)
def link_unreachable(crawled: Crawled) -> Iterator[Fault]:
    end = crawled.web.end
    for target, sources in crawled.linked(crawled.is_unreachable[end]):
        yield Fault(target, str(crawled.columns.reason[end[target]]), sources)


@rule(
    "link-to-redirect",
    Severity.NOTICE,
    why="Each reader waits for one request more than needed.",
    how="Let the links lead to the address at the end of the redirect.",
)
def link_to_redirect(crawled: Crawled) -> Iterator[Fault]:
    web = crawled.web
    moved = crawled.are_for("redirect-301", "redirect-308", "meta-refresh") & ~web.is_broken[web.end]
    ends = np.flatnonzero(moved)
    urls = crawled.urls(web.end[ends].tolist())
    for target, sources in crawled.linked(moved & crawled.is_ours):
        yield Fault(target, urls[int(web.end[target])], sources)
