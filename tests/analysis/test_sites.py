"""Hosts and registrable domains of a store."""

from pathlib import Path

import pytest
from sites import Site, crawl

from minicrawl.analysis.sites import domain_of, site_of, sites_of
from minicrawl.store.reader import open_store

A, B, C = "http://www.a.test/", "http://blog.a.test:81/", "http://c.test/"
SITE: Site = {A: [B, C, A + "gone"], B: [C], C: [A + "moved"], A + "moved": B}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sites") / "crawl.db"
    crawl(SITE, path, [A])
    return path


@pytest.mark.parametrize(
    ("authority", "domain"),
    [("www.a.co.uk", "a.co.uk"), ("a.test:8080", "a.test"), ("127.0.0.1:80", "127.0.0.1"), ("[::1]:80", "[::1]")],
)
def test_a_host_with_a_port_has_the_domain_of_its_name(authority: str, domain: str) -> None:
    assert domain_of(authority) == site_of("domain")(authority) == domain
    assert site_of("host")(authority) == authority


def test_pages_are_read_when_their_answer_was_taken_in(store: Path) -> None:
    """A page that was asked for in vain is known, not read; an alias is both."""
    with open_store(store) as reader:
        by_domain = {row.site: (row.known, row.read, row.linking_domains) for row in sites_of(reader, "domain")}
        by_host = {row.site: (row.known, row.read) for row in sites_of(reader, "host")}
    assert by_domain == {"a.test": (4, 3, 1), "c.test": (1, 1, 1)}
    assert by_host == {"www.a.test": (3, 2), "blog.a.test:81": (1, 1), "c.test": (1, 1)}
