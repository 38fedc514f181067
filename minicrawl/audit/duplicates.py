"""Pages with the same text."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Severity, rule
from minicrawl.store.audit_columns import NO_PAGE


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


@rule(
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


@rule(
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
