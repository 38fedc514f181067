"""Pages with the same text."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from minicrawl.analysis.page_links import Flags
from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Severity, rule
from minicrawl.store.read.audit_columns import NO_PAGE


def _copies(crawled: Crawled, is_copy: Flags) -> Iterator[Fault]:
    """The pages with copies on their host, each the one of the shortest address."""
    leader, host = crawled.columns.leader, crawled.columns.host
    groups = defaultdict[tuple[int, int], list[int]](list)
    for page in np.flatnonzero(is_copy & crawled.is_indexed).tolist():
        groups[int(leader[page]), int(host[page])].append(page)
    for (first, at), pages in groups.items():
        same = [*([first] if host[first] == at and crawled.is_indexed[first] else []), *pages]
        urls = dict(sorted(crawled.urls(same).items(), key=lambda each: each[1]))
        # The same page over http and https is one of the faults of security.
        same = list({url.partition("://")[2]: page for page, url in urls.items()}.values())
        if len(same) > 1:
            target = min(same, key=lambda page: (len(urls[page]), urls[page]))
            others = tuple(page for page in same if page != target)
            yield Fault(target, "", others, float(crawled.stake[list(others)].sum()))


@rule(
    "duplicate-exact",
    Severity.WARNING,
    why="Several addresses give the same page, so that links and importance are split among them.",
    how="Let all but one redirect to that one, or name it as their canonical.",
)
def duplicate_exact(crawled: Crawled) -> Iterator[Fault]:
    return _copies(crawled, (crawled.columns.leader != NO_PAGE) & ~crawled.columns.is_near)


@rule(
    "duplicate-near",
    Severity.NOTICE,
    why="Several pages say nearly the same, and search engines will show one of them.",
    how="Make one page of them, or name one as the canonical of the others.",
)
def duplicate_near(crawled: Crawled) -> Iterator[Fault]:
    return _copies(crawled, (crawled.columns.leader != NO_PAGE) & crawled.columns.is_near)
