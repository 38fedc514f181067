"""Sitemaps in a crawl: which are asked for, whose URLs become known, and when."""

import random
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.command_line import run
from support.prose import prose
from support.sites import HOME, Server, Site, crawl, faults_in, rows, text

from minicrawl.store.reader import open_store
from minicrawl.timing import Timing

MAP = HOME + "map.xml"
URLSET = "<?xml version='1.0'?><urlset><url><loc>{}</loc></url><url><loc>{}</loc></url></urlset>"


def with_sitemaps(site: Site, sitemaps: Mapping[str, Any], robots: str = f"Sitemap: {MAP}") -> Server:
    """Serves sitemaps, too: URL lists as text; what starts with "index " is an index, a number a status."""

    def reply(said: Any) -> Any:
        if isinstance(said, list):
            return text("\n".join(said))
        if isinstance(said, str) and said.startswith("index "):
            entries = "".join(f"<sitemap><loc>{entry}</loc></sitemap>" for entry in said.split()[1:])
            return text(f"<sitemapindex>{entries}</sitemapindex>")
        return said

    return Server(site, robots, beside={url: reply(said) for url, said in sitemaps.items()})


def reasons(store: Path) -> dict[str, str]:
    return dict(rows(store, "SELECT url, reason FROM sitemaps"))


def found_in_sitemaps(store: Path) -> dict[str, str]:
    return dict(
        rows(
            store,
            "SELECT pages.url, sitemaps.url FROM sitemap_pages JOIN pages ON pages.id = sitemap_pages.page "
            "JOIN sitemaps ON sitemaps.id = sitemap WHERE sitemap_pages.made_known",
        )
    )


def test_with_a_topic_pages_on_it_come_first_and_others_by_age(store: Path) -> None:
    """Pages on the topic come first, also those that a sitemap alone names; but one turn in ten is a site's, so the
    other seed is heard. Others come as they became known, however many link there; last those that no link leads to."""
    plain, hidden = [f"{HOME}{number}" for number in range(5)], [f"{HOME}hidden/{number}" for number in range(5)]
    boats, afloat = [f"{HOME}boats/{number}" for number in range(12)], [f"{HOME}afloat/boats/{at}" for at in range(5)]
    other = "http://b.test/"
    site = {HOME: [*plain[:4], *boats], **{url: [plain[4], HOME] for url in (*plain, *boats, *hidden, *afloat, other)}}
    server = with_sitemaps(site, {MAP: [*hidden, *afloat]})
    crawl(server, store, [HOME, other], topic="boats")
    asked = server.asked
    assert (asked[:2], asked.index(other)) == ([HOME, boats[0]], 9)
    assert [url for url in asked if url in plain] == plain
    assert max(map(asked.index, boats)) < asked.index(plain[0]) < asked.index(plain[4]) < min(map(asked.index, hidden))
    assert max(map(asked.index, afloat)) < min(map(asked.index, hidden))
    assert faults_in(store) == []


def test_pages_no_link_leads_to_are_found(store: Path) -> None:
    hidden = [f"{HOME}hidden/{number}" for number in range(130)]
    server = with_sitemaps({HOME: [], **{url: [] for url in hidden}}, {MAP: hidden})
    report, _ = crawl(server, store, [HOME])
    assert sorted(server.asked) == sorted([HOME, *hidden])
    assert (report.reason, reasons(store)) == ("nothing-left", {MAP: "ok"})
    assert found_in_sitemaps(store) == dict.fromkeys(hidden, MAP)
    assert set(rows(store, "SELECT depth, reason, inlinks FROM pages WHERE id > 0")) == {(1, "ok", 0)}
    with open_store(store) as reader:
        assert reader.page_table.seeds() == [HOME]
    assert faults_in(store) == []
    # Nothing is forwarded to them: each has its share at birth, as every page has that nothing links to.
    assert rows(store, "SELECT DISTINCT cash + forwarded FROM pages") == [(0,)]


def test_what_a_sitemap_cannot_do(store: Path) -> None:
    """It speaks of its own host, in scope, and not of endless URLs, nor of what robots.txt forbids."""
    listed = [
        HOME + "fine",
        "https://a.test/secure",
        "http://b.test/foreign",
        "http://shop.a.test/foreign",
        "http://a.test:81/foreign",
        HOME + "denied",
        HOME + "a" * 8_000,
        HOME + "forbidden",
    ]
    robots = f"User-agent: *\nDisallow: /forbidden\nSitemap: {MAP}"
    crawl(with_sitemaps({HOME: []}, {MAP: listed}, robots), store, [HOME], deny=("denied",))
    assert dict(rows(store, "SELECT url, reason FROM pages")) == {
        HOME: "ok",
        HOME + "fine": "http-404",
        "https://a.test/secure": "http-404",
        HOME + "forbidden": "robots",
    }


def test_sitemaps_elsewhere_are_read_for_the_host_that_names_them(store: Path) -> None:
    there = "http://cdn.test/map.txt"
    server = with_sitemaps({HOME: []}, {there: [HOME + "mine", "http://cdn.test/its"]}, f"Sitemap: {there}")
    crawl(server, store, [HOME])
    assert found_in_sitemaps(store) == {HOME + "mine": there}
    # The server they are on is asked what it allows, as for a page.
    assert server.all_asked.index("http://cdn.test/robots.txt") < server.all_asked.index(there)


def test_pages_with_www_are_of_the_same_host(store: Path) -> None:
    listed = ["http://www.a.test/1", "https://a.test/2", "http://b.test/3"]
    crawl(with_sitemaps({HOME: []}, {MAP: listed}), store, [HOME], scope="any")
    assert found_in_sitemaps(store).keys() == set(listed[:2])


@pytest.mark.parametrize(
    ("seed", "kind"),
    [
        (URLSET, "application/xml"),
        (URLSET, "text/xml; charset=utf-8"),
        (
            "<rss><channel><item><link>{0}</link></item><item><guid>{1}</guid></item></channel></rss>",
            "application/rss+xml",
        ),
        ("{0}\n{1}\n", "text/plain"),
        ("index", "application/xml"),
    ],
    ids=["sitemap", "sitemap as text", "feed", "list", "index"],
)
def test_a_seed_may_be_a_list_of_urls(store: Path, seed: str, kind: str) -> None:
    """Of any host in scope, as the user has named it."""
    urls = [HOME + "1", "http://b.test/2"]
    index = f"<sitemapindex><sitemap><loc>{HOME}part.xml</loc></sitemap></sitemapindex>"
    files = {HOME + "list": index if seed == "index" else seed.format(*urls)}
    files[HOME + "part.xml"] = URLSET.format(urls[0], urls[0])
    site: Site = {url: [] for url in urls} | {url: text(file, kind) for url, file in files.items()}
    crawl(site, store, [HOME + "list"], scope="any")
    found = dict(rows(store, "SELECT url, state || ' ' || reason FROM pages"))
    listed = urls[:1] if seed == "index" else urls
    assert found == {HOME + "list": "fetched list-of-urls"} | dict.fromkeys(listed, "fetched ok")
    assert not faults_in(store)


def test_a_seed_that_lists_nothing_is_no_html(store: Path) -> None:
    crawl({HOME + "words": text("words")}, store, [HOME + "words"])
    assert rows(store, "SELECT reason FROM pages") == [("not-html",)]


@pytest.mark.parametrize(
    ("url", "robots", "reason"),
    [("http://cdn.test/map.txt", "", "scope-host"), (MAP, "User-agent: *\nDisallow: /map\n", "robots")],
)
def test_a_sitemap_out_of_scope_or_forbidden_is_not_asked_for(store: Path, url: str, robots: str, reason: str) -> None:
    server = with_sitemaps({HOME: []}, {url: [HOME + "1"]}, f"{robots}Sitemap: {url}")
    crawl(server, store, [HOME], scope="host")
    assert (reasons(store), server.asked_beside) == ({url: reason}, [])


def test_redirects_and_indexes_are_followed_five_deep_and_not_in_circles(store: Path) -> None:
    steps = [f"{HOME}{number}.xml" for number in range(8)]
    maps: dict[str, Any] = {
        MAP: f"index {MAP} {steps[0]} http://b.test/foreign.xml {HOME}moved.xml",
        HOME + "moved.xml": HOME + "new.xml",
        HOME + "new.xml": [HOME + "1"],
    }
    maps |= {here: f"index {there} {MAP}" for here, there in pairwise(steps)}
    server = with_sitemaps({HOME: []}, maps)
    crawl(server, store, [HOME])
    assert server.asked_beside.count(MAP) == 1
    asked = {MAP, HOME + "moved.xml", HOME + "new.xml", *steps[:5]}
    assert set(server.asked_beside) == asked
    assert reasons(store) == dict.fromkeys(asked, "ok") | {HOME + "moved.xml": "redirect-301"}
    assert found_in_sitemaps(store) == {HOME + "1": HOME + "new.xml"}


def test_failures_have_reasons_and_are_tried_as_often_as_pages(store: Path) -> None:
    maps: dict[str, Any] = {HOME + "503.xml": 503, HOME + "404.xml": 404, HOME + "none.xml": ["x"]}
    robots = "\n".join(f"Sitemap: {url}" for url in [*maps, "ftp://a.test/map.xml", "//"])
    server = with_sitemaps({HOME: []}, maps, robots)
    report, _ = crawl(server, store, [HOME], timing=Timing(retry=0.001))
    assert report.reason == "nothing-left"
    assert reasons(store) == {
        HOME + "503.xml": "http-503",
        HOME + "404.xml": "http-404",
        HOME + "none.xml": "not-a-sitemap",
    }
    assert [server.asked_beside.count(url) for url in maps] == [3, 1, 1]


def test_switched_off(store: Path) -> None:
    server = with_sitemaps({HOME: []}, {MAP: [HOME + "1"]})
    crawl(server, store, [HOME], sitemaps=False)
    assert (server.asked_beside, server.asked) == ([], [HOME])
    # The next crawl catches up, though robots.txt is not asked for again.
    crawl(server, store, [HOME + "2"], sitemaps=True)
    assert server.asked_beside == [MAP]


def test_at_most_every_tenth_turn_of_a_host_with_pages_is_for_a_sitemap(store: Path) -> None:
    maps: dict[str, Any] = {f"{HOME}{number}.xml": [] for number in range(9)}
    links = [f"/{number}" for number in range(60)]
    site: Site = {HOME: links} | {f"{HOME}{number}": [prose(number)] for number in range(60)}
    server = with_sitemaps(site, maps, "\n".join(f"Sitemap: {url}" for url in maps))
    crawl(server, store, [HOME])
    turns = [place for place, url in enumerate(server.all_asked[1:]) if url in maps]
    assert len(turns) == 9
    with_pages = [turn for turn in turns if turn < 1 + 60 + 7]
    assert min(later - earlier for earlier, later in pairwise(with_pages)) == 10
    assert turns[-2:] == [turns[-1] - 1, turns[-1]]  # once the pages are all read, there is no need to wait


def test_sitemaps_keep_to_the_politeness_of_their_hosts(store: Path) -> None:
    hosts = ["http://a.test/", "http://b.test/"]
    maps: dict[str, Any] = {f"{hosts[1]}{number}.xml": [] for number in range(4)}
    server = with_sitemaps({host: [] for host in hosts}, maps, "\n".join(f"Sitemap: {url}" for url in maps))
    crawl(server, store, hosts, delay=0.02, concurrency=8)
    assert {host: len(asked) for host, asked in server.by_host.items()} == {"a.test": 2, "b.test": 2 + 4 * 2}
    assert min(server.gaps) >= 0.02


# How many are let in.


def big_site(seed: int) -> tuple[Site, dict[str, Any]]:
    """Pages that are linked to, most several times, and sitemaps that list them and others."""
    rng = random.Random(seed)
    linked = [f"{HOME}{number}" for number in range(80)]
    site: Site = {url: [rng.choice(linked) for _ in range(rng.randrange(9))] for url in linked}
    site[HOME] = linked[:10]
    listed = [*linked[::3], *(f"{HOME}only/{number}" for number in range(40))]
    rng.shuffle(listed)
    return site, {MAP: listed[:40], HOME + "b.xml": listed[40:]}


BOTH = f"Sitemap: {MAP}\nSitemap: {HOME}b.xml"


def test_crawl_in_pieces_lets_in_the_same_and_nothing_twice(tmp_path: Path) -> None:
    site, sitemaps = big_site(1)
    whole, pieces = tmp_path / "whole.db", tmp_path / "pieces.db"
    _, server = crawl(with_sitemaps(site, sitemaps, BOTH), whole, [HOME], traps=False)
    again = with_sitemaps(site, sitemaps, BOTH)
    for part in (1, 1, 7, 9, 1000):
        crawl(again, pieces, [HOME], pages=part, traps=False)
        assert faults_in(pieces) == []
    assert sorted(again.asked) == sorted(server.asked)
    known = "SELECT url FROM pages ORDER BY url"
    assert rows(pieces, known) == rows(whole, known)
    assert rows(pieces, "SELECT count(*) FROM sitemap_urls") == [(0,)]


# What the commands say.


@pytest.fixture
def said(store: Path) -> Path:
    server = with_sitemaps({HOME: []}, {MAP: [f"{HOME}{number}" for number in range(300)]})
    crawl(server, store, [HOME], pages=5)
    return store


def test_status_counts_sitemaps(said: Path) -> None:
    told = run("status", "--store", said).output
    assert "sitemaps  ok 1; 300 URLs in them, 200 wait, 100 became known\n" in told


def test_why_names_the_sitemap(said: Path) -> None:
    assert f"  found in    sitemap {MAP}, 1 link " in run("why", HOME + "7", "--store", said).output
    told = run("why", HOME + "299", "--store", said).output
    assert f"  sitemap     waits in {MAP}\n" in told
    assert "unknown     sitemap: " in told
