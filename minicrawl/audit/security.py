"""Security: http where https is meant."""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Need, Severity, rule


@rule(
    "mixed-content",
    Severity.ERROR,
    why="An https page loads a file or sends a form by http: browsers block it, and others on the way can change it.",
    how="Name the file by https.",
    needs=Need.FACTS,
)
def mixed_content(crawled: Crawled) -> Iterator[Fault]:
    """A fault for each URL that pages load."""
    pages_of = defaultdict[str, list[int]](list)
    for page, urls in crawled.store.facts.texts("mixed"):
        if crawled.has_facts[page]:
            for url in urls.split(" "):
                pages_of[url].append(page)
    for url, pages in pages_of.items():
        yield Fault(url, "", tuple(pages), float(crawled.stake[pages].sum()))


@rule(
    "insecure-link",
    Severity.NOTICE,
    why="A link leads from an https page to an http address, where others can read and change what is sent.",
    how="Link to https.",
)
def insecure_link(crawled: Crawled) -> Iterator[Fault]:
    is_https, links = crawled.columns.is_https, crawled.links
    is_insecure = is_https[links.source] & ~is_https[links.target]
    insecure = links._replace(source=links.source[is_insecure], target=links.target[is_insecure])
    for target, pages in insecure.by_target(np.ones(crawled.size, dtype=np.bool_)):
        yield Fault(target, "", pages, float(crawled.stake[target]))


@rule(
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
