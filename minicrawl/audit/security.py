"""Security: http where https is meant."""

import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Need, Severity, rule

_ADDRESS = re.compile(r"\[.*|[\d.]+(:\d+)?")
"""A host that is an IP address, which Strict-Transport-Security does not hold for (RFC 6797 8.1.1)."""


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
    return crawled.faults_by_host(is_http, is_read)


@rule(
    "hsts-missing",
    Severity.WARNING,
    why="The host does not ask browsers to keep to https, so a first visit by http can be caught on the way.",
    how="Send the header Strict-Transport-Security: max-age=31536000 with all https answers.",
    needs=Need.FACTS,
)
def hsts_missing(crawled: Crawled) -> Iterator[Fault]:
    """A fault for each host none of whose pages has the header."""
    is_https, host = crawled.has_facts & crawled.columns.is_https, crawled.columns.host
    names = crawled.store.hosts.names()
    without = np.setdiff1d(host[is_https], host[is_https & crawled.facts.hsts])
    for at in without.tolist():
        if _ADDRESS.fullmatch(names[at]) is None:
            pages = np.flatnonzero(is_https & (host == at))
            yield Fault(names[at], "", pages, float(crawled.stake[pages].sum()))
