"""Hosts, registrable domains and owners of a store, and how far these are trusted."""

from collections import defaultdict
from pathlib import Path

import pytest
from support.sites import Site, crawl, rows, web_of_sites

from minicrawl.analysis.sites import best_sites, domain_of, site_of, sites_of
from minicrawl.crawler.urls.keys import hostname, owner_of
from minicrawl.store.links import from_bytes
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


@pytest.mark.parametrize("seed", range(4))
def test_who_trusts_a_site_is_what_a_slow_count_of_links_says(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "crawl.db"
    web, seeds = web_of_sites(seed, redirects=0.1)
    crawl(web, path, seeds, jump="sites")
    owner = {page: owner_of(hostname(url)) for page, url in rows(path, "SELECT id, url FROM pages")}
    trust = dict(rows(path, "SELECT name, trust FROM sites"))
    trusting: defaultdict[str, set[str]] = defaultdict(set)
    for source, targets in rows(path, "SELECT source, targets FROM links"):
        for target in from_bytes(targets).tolist():
            if owner[source] != owner[target] and trust[owner[source]] > 0:
                trusting[owner[target]].add(owner[source])
    roots = {owner[page] for (page,) in rows(path, "SELECT id FROM pages WHERE depth = 0")}
    with open_store(path) as reader:
        found = best_sites(reader, "domain")
    assert {row.site: row.trust for row in found} == trust
    assert [row.trust for row in found] == sorted(trust.values(), reverse=True)
    assert sum(trust.values()) == pytest.approx(1.0)
    for row in found:
        assert (row.trusted_by, row.is_seed) == (len(trusting[row.site]), row.site in roots)
        if row.trusted_first is not None:
            assert row.trusted_first in trusting[row.site]
        assert trust.get(row.trusted_first or "", 0.0) == max((trust[site] for site in trusting[row.site]), default=0.0)


def test_parts_of_a_shared_domain_are_sites_where_trust_is(tmp_path: Path) -> None:
    one, other = "http://one.github.io/", "http://other.github.io/"
    site: Site = {one: [other], other: [one]}
    for jump, names in (("sites", {"one.github.io", "other.github.io"}), ("pages", {"github.io"})):
        crawl(site, tmp_path / f"{jump}.db", [one], jump=jump)
        with open_store(tmp_path / f"{jump}.db") as reader:
            found = best_sites(reader, "domain")
            assert {row.site for row in found} == names
            assert {row.trust is None for row in found} == {jump == "pages"}
            assert {row.trust for row in best_sites(reader, "host")} == {None}
