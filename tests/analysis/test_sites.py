"""Sites and hosts of a store, how far sites are trusted, and the one notion of a site of all that counts by site."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from support.sites import Site, crawl, crawled_once, rows, web_of_sites

from minicrawl.analysis.page_links import Asked, numbered_sites, page_links
from minicrawl.analysis.sites import DIVISIONS, GradedSite, best_sites, graded_sites, sites_of
from minicrawl.analysis.top import top_list
from minicrawl.store.links import from_bytes
from minicrawl.store.reader import Store, open_store
from minicrawl.web.urls.keys import partition_key, politeness_key, site_of

A, B, C = "http://www.a.test/", "http://blog.a.test:81/", "http://c.test/"
SITE: Site = {A: [B, C, A + "gone"], B: [C], C: [A + "moved"], A + "moved": B}
store = crawled_once(SITE, [A])


def test_pages_are_read_when_their_answer_was_taken_in(store: Path) -> None:
    """A page that was asked for in vain is known, not read; an alias is both."""
    with open_store(store) as reader:
        by_site = {row.site: (row.known, row.read, row.linking_domains) for row in sites_of(reader, "site")}
        by_host = {row.site: (row.known, row.read) for row in sites_of(reader, "host")}
    assert by_site == {"a.test": (4, 3, 1), "c.test": (1, 1, 1)}
    assert by_host == {"www.a.test": (3, 2), "blog.a.test:81": (1, 1), "c.test": (1, 1)}


def test_who_trusts_a_site_is_what_a_slow_count_of_links_says(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    web, seeds = web_of_sites(1, redirects=0.1)
    crawl(web, path, seeds, jump="sites")
    owner = {page: site_of(url) for page, url in rows(path, "SELECT id, url FROM pages")}
    trust = dict(rows(path, "SELECT name, trust FROM sites"))
    trusting: defaultdict[str, set[str]] = defaultdict(set)
    for source, targets in rows(path, "SELECT source, targets FROM links"):
        for target in from_bytes(targets).tolist():
            if owner[source] != owner[target] and trust[owner[source]] > 0:
                trusting[owner[target]].add(owner[source])
    roots = {owner[page] for (page,) in rows(path, "SELECT id FROM pages WHERE depth = 0")}
    with open_store(path) as reader:
        found = best_sites(reader, "site")
    assert {row.site: row.trust for row in found} == trust
    assert [row.trust for row in found] == sorted(trust.values(), reverse=True)
    assert sum(trust.values()) == pytest.approx(1.0)
    for row in found:
        assert (row.trusted_by, row.is_seed) == (len(trusting[row.site]), row.site in roots)
        if row.trusted_first is not None:
            assert row.trusted_first in trusting[row.site]
        assert trust.get(row.trusted_first or "", 0.0) == max((trust[site] for site in trusting[row.site]), default=0.0)


# One site


PROJECTS = [f"p{number}.readthedocs.io" for number in range(51)]
FRONTS = [f"https://{project}/" for project in PROJECTS]
SHARED: Site = {
    front: [f"{front}en", FRONTS[number - 1], FRONTS[(number + 1) % 51]] for number, front in enumerate(FRONTS)
} | {f"{front}en": [front, f"{front}more"] for front in FRONTS}
projects = crawled_once(SHARED, FRONTS, pages=102, sitemaps=False, strategy="breadth-first")
"""51 projects of one shared domain, a page of each left unread."""


CONSUMERS: dict[str, Callable[[Store], Iterable[object]]] = {
    "top --sites": lambda store: [row.site for row in best_sites(store, "site")],
    "lines of a site in top": lambda store: [
        line.page.url.split("/")[2] for line in top_list(store, "importance", 102, per_site=1).lines
    ],
    "trust": lambda store: [row.name for row in store.site_table.trusted()],
    "partition key": lambda store: [
        host.name for host in {partition_key(host.name): host for host in store.hosts.all()}.values()
    ],
}


@pytest.mark.parametrize("consumer", CONSUMERS)
def test_projects_of_a_shared_domain_are_sites_of_their_own(projects: Path, consumer: str) -> None:
    with open_store(projects) as reader:
        found = list(CONSUMERS[consumer](reader))
    assert sorted(map(str, found)) == sorted(PROJECTS)


def test_links_between_projects_of_a_shared_domain_are_external(projects: Path) -> None:
    with open_store(projects) as reader, reader.snapshot():
        assert len(page_links(reader, Asked(external=True))) == 51 * 2


def test_sites_have_trust_where_walkers_jump_to_sites_and_hosts_have_none(tmp_path: Path) -> None:
    for jump in ("sites", "pages"):
        crawl(SHARED, tmp_path / f"{jump}.db", FRONTS[:1], jump=jump)
        with open_store(tmp_path / f"{jump}.db") as reader:
            found = best_sites(reader, "site")
            assert {row.site for row in found} == set(PROJECTS)
            assert {row.trust is None for row in found} == {jump == "pages"}
            assert {row.trust for row in best_sites(reader, "host")} == {None}


GRADED_HOME = "http://home.test/"
NAMES = ["a.test", "b.test", "c.test", "d.test", "e.test", "f.test", "g.test"]


@pytest.fixture
def sites(tmp_path: Path) -> list[GradedSite]:
    return graded(tmp_path, None)


def graded(folder: Path, most: int | None) -> list[GradedSite]:
    """Sites of which each has twice as many links to it as the one before: pages of home lead there."""
    site: Site = {GRADED_HOME: [f"/{number}" for number in range(64)]}
    for number in range(64):
        site[f"{GRADED_HOME}{number}"] = [
            GRADED_HOME,
            *(f"http://{name}/" for place, name in enumerate(NAMES) if number < 2**place),
        ]
    site |= {f"http://{name}/": [GRADED_HOME] for name in NAMES}
    store = folder / "crawl.db"
    if not store.exists():
        crawl(site, store, [GRADED_HOME], traps=False)
    with open_store(store) as reader:
        return graded_sites(reader, "site", 4, most)


def test_sites_are_graded_by_importance_as_many_to_each_grade(sites: list[GradedSite]) -> None:
    assert [one.site for one in sites] == ["home.test", *reversed(NAMES)]
    assert [one.grade for one in sites] == [4, 4, 3, 3, 2, 2, 1, 1]
    assert [one.pages for one in sites] == [65, *[1] * 7]
    assert all(one.is_selected for one in sites)
    assert sites[1].bytes == len(f'<a href="{GRADED_HOME}">to</a>')


def test_the_most_important_sites_that_fit_are_selected(sites: list[GradedSite], tmp_path: Path) -> None:
    small = sites[1].bytes
    fitting = graded(tmp_path, 3 * small)
    assert [one.site for one in fitting if one.is_selected] == ["g.test", "f.test", "e.test"]


@pytest.mark.parametrize("kind", DIVISIONS)
def test_every_page_has_the_number_of_its_own_site(kind: str, tmp_path: Path) -> None:
    site, seeds = web_of_sites(3)
    crawl(site, tmp_path / "crawl.db", seeds)
    with open_store(tmp_path / "crawl.db") as reader:
        names, numbers = numbered_sites(reader, reader.page_table.hosts(), DIVISIONS[kind])
        own = [DIVISIONS[kind](politeness_key(url)) for url in reader.page_table.urls()]
    assert [names[number] for number in numbers.tolist()] == own
    assert len(set(names)) == len(names)
