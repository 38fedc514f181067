"""Answers that mislead, or come slowly."""

from collections.abc import Iterator

import numpy as np

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Severity, rule

SLOW = 2.0
"""Seconds."""
LARGE = 1_000_000
"""Bytes of HTML on the network."""


@rule(
    "soft-404",
    Severity.ERROR,
    why="The server says 200 OK for a page that is not there, so that search engines show it.",
    how="Answer with 404 or 410 there, and correct the links.",
)
def soft_404(crawled: Crawled) -> Iterator[Fault]:
    for target, sources in crawled.linked(crawled.are_for("soft-404"), seeds=True):
        yield Fault(target, f"status {crawled.columns.status[target]}", sources)


@rule(
    "page-slow",
    Severity.WARNING,
    why=f"Readers wait more than {SLOW:g} seconds for the page, and crawlers come less often.",
    how="Look at what the server does for it; if it is slow for all pages of a host, look at the host.",
)
def page_slow(crawled: Crawled) -> Iterator[Fault]:
    """A host that is slow for most of its pages is one target."""
    seconds, host = crawled.columns.seconds, crawled.columns.host
    slow = crawled.is_page & (seconds > SLOW)
    names = crawled.store.hosts.names()
    for at in np.unique(host[slow]).tolist():
        pages = np.flatnonzero(slow & (host == at))
        median = float(np.median(seconds[crawled.is_page & (host == at)]))
        if median > SLOW and len(pages) > 1:
            yield Fault(names[at], f"{median:.1f} s mostly", pages, float(crawled.stake[pages].sum()))
        else:
            yield from (Fault(page, f"{seconds[page]:.1f} s") for page in pages.tolist())


@rule(
    "page-large",
    Severity.WARNING,
    why="The page's HTML is larger than a megabyte, which takes long on a phone.",
    how="Split the page, or send it compressed.",
)
def page_large(crawled: Crawled) -> Iterator[Fault]:
    size = crawled.columns.bytes
    return crawled.faults(crawled.is_page & (size > LARGE), lambda page: f"{size[page] / 1e6:.1f} MB")
