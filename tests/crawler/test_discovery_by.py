"""A live crawl holds the share of its fetches for never-read pages by the cash of the virtual page, as in the paper."""

import asyncio
import random
from pathlib import Path

import pytest
from support.sites import Server, Site, crawl, faults_in, rows

from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.run import crawl_with
from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings

PAGES = 1500
LEVEL = "SELECT value FROM meta WHERE key = 'unvisited_level'"
TURNS = "SELECT count(*), total(visited) FROM pages"


def wide_site() -> tuple[Site, list[str]]:
    """Every page has a link to a page that no other has, one that the site turns on, and some to any."""
    draw = random.Random(4)
    urls = [f"http://h{page % 8}.test/{''.join(draw.choices('abcdefghij', k=9))}" for page in range(PAGES)]
    site: Site = {url: [urls[int(draw.paretovariate(0.8)) % 40], *draw.sample(urls, 3)] for url in urls}
    for page in range(1, PAGES):
        site[urls[(page - 1) // 3]].append(urls[page])
    return site, urls[:3]


def crawled(store: Path, fetches: int, **settings: object) -> None:
    site, seeds = wide_site()
    crawl(site, store, seeds, pages=fetches, traps=False, probe=False, sitemaps=False, ignore_robots=True, **settings)


def first_reads(store: Path) -> int:
    return int(rows(store, TURNS)[0][1])


@pytest.mark.parametrize("rule", ["income", "edges"])
def test_cash_that_never_read_pages_are_paid_adds_up(tmp_path: Path, rule: str) -> None:
    """Also what the view of the store says, and what a later run by credit makes of it."""
    store = tmp_path / "crawl.db"
    crawled(store, 200, discovery=0.7, discovery_by=rule)
    assert rows(store, LEVEL)[0][0] > 0
    (waiting,) = rows(store, "SELECT count(*) FROM pages WHERE NOT visited")
    assert waiting[0] > 100
    for _ in range(2):
        assert faults_in(store) == []
        ((cash, virtual, total),) = rows(
            store,
            "SELECT (SELECT sum(cash) FROM ranks), (SELECT sum(value) FROM meta WHERE key IN ('reserve', 'income')), "
            "(SELECT value FROM meta WHERE key = 'cash_total')",
        )
        assert cash + virtual == total
        crawled(store, 20, discovery=0.7, discovery_by="credit")
        assert rows(store, LEVEL) == [(0,)]


@pytest.mark.parametrize("rule", ["credit", "income", "edges"])
def test_crawl_in_two_runs_is_one(tmp_path: Path, rule: str) -> None:
    """Lever and levels go on where they were."""
    whole, halves = tmp_path / "whole.db", tmp_path / "halves.db"
    crawled(whole, 240, discovery=0.6, discovery_by=rule, jump="pages")
    crawled(halves, 120, discovery=0.6, discovery_by=rule, jump="pages")
    crawled(halves, 120)
    asked = "SELECT url, visited, standing FROM pages ORDER BY url"
    assert rows(whole, asked) == rows(halves, asked)
    levels = "SELECT key, value FROM meta WHERE key IN ('level', 'unvisited_level', 'discovery_lever', 'income')"
    assert sorted(rows(whole, levels)) == sorted(rows(halves, levels))


def test_shares_are_held_as_well_as_the_rule_can(tmp_path: Path) -> None:
    """Once their levers have moved: paying never-read pages does not reach .8; larger small edges do, and the account
    is exact."""
    shares = {}
    for rule in ("credit", "income", "edges"):
        store = tmp_path / f"{rule}.db"
        crawled(store, 400, discovery=0.8, discovery_by=rule)
        early = first_reads(store)
        crawled(store, 400)
        shares[rule] = (first_reads(store) - early) / 400
    assert shares["credit"] == pytest.approx(0.8, abs=0.01)
    assert shares["edges"] == pytest.approx(0.8, abs=0.06)
    assert shares["income"] < shares["edges"] - 0.05


def test_pages_given_up_wait_again_with_their_cash(tmp_path: Path) -> None:
    """A page that is asked for once more leaves what visited pages are paid, and gets what the others are."""
    store = tmp_path / "crawl.db"
    site, seeds = wide_site()
    broken: Site = {url: (404 if number % 5 == 1 else links) for number, (url, links) in enumerate(site.items())}
    settings = {"discovery_by": "edges", "discovery": 0.6, "probe": False, "concurrency": 1}
    crawl(broken, store, seeds, pages=150, **settings)
    crawl(site, store, [], pages=50, retry="http-404", **settings)
    assert faults_in(store) == []


@pytest.mark.parametrize("settings", [{"refresh": True}, {"strategy": "anticipated"}, {"strategy": "random"}], ids=str)
def test_what_does_not_go_by_cash_alone_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(SettingError, match="--discovery-by income goes by cash alone"):
        CrawlSettings.of({"discovery_by": "income", **settings})


def test_pages_that_gain_most_are_refreshed_all_the_same(tmp_path: Path) -> None:
    """A round of `minicrawl refresh` goes by due times; the crawl after it by cash again."""
    store = tmp_path / "crawl.db"
    crawled(store, 60, discovery=0.6, discovery_by="income")
    site, _ = wide_site()
    given = {"delay": 0.0, "concurrency": 1, "probe": False, "sitemaps": False, "ignore_robots": True}
    asyncio.run(crawl_with(given, Seeds([]), store, refreshed=5, transport=Server(site)))
    assert faults_in(store) == []
    crawled(store, 20)
    assert rows(store, LEVEL)[0][0] > 0
    assert faults_in(store) == []
