"""Rankings of stores of real crawls, against PageRank."""

import asyncio
from dataclasses import astuple
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from support.intakes import DAYS_LATER
from support.sites import HOME, Server, Site, crawl, faults_in, random_site, rows

from minicrawl.analysis.link_graph import folded_store
from minicrawl.analysis.verify import Verification, verify
from minicrawl.api import acrawl
from minicrawl.errors import StoreError
from minicrawl.opic.book import SETTLED_ERROR
from minicrawl.rank import pagerank
from minicrawl.store.reader import open_store

WEB: Site = {
    HOME: ["/moved", "/copy", "/page", "/closed", "/nowhere"],
    HOME + "moved": HOME + "moved-again",
    HOME + "moved-again": HOME + "page",
    HOME + "page": [HOME, "/copy", "/leaves"],
    HOME + "copy": [f'<link rel="canonical" href="{HOME}page">', "/elsewhere"],
    HOME + "leaves": ["/page", "/elsewhere"],
    HOME + "elsewhere": [],
    HOME + "closed": [HOME],
}


ROBOTS = "User-agent: *\nDisallow: /closed"


def verified(store: Path) -> Verification:
    with open_store(store) as reader:
        return verify(reader)


def interrupted(store: Path, seed: int, after: int = 120, **settings: Any) -> None:
    """A crawl that is cancelled once it has asked for `after` pages: it saves what it has, and does not settle."""
    site, seeds = random_site(seed, pages=400)
    for url, neighbour in pairwise(site):
        site[neighbour] = [*site[neighbour], url]
    server = Server(site)

    async def cancelled() -> None:
        crawling = asyncio.create_task(acrawl(seeds, store, transport=server, delay=0.0, concurrency=2, **settings))
        while len(server.asked) < after and not crawling.done():
            await asyncio.sleep(0)
        assert not crawling.done()
        crawling.cancel()
        await asyncio.gather(crawling, return_exceptions=True)

    asyncio.run(cancelled())


@pytest.mark.parametrize("pages", [None, 15])
def test_crawl_that_ended_is_exact_as_it_is_stored(store: Path, pages: int | None) -> None:
    site, seeds = random_site(1)
    report, _ = crawl(site, store, seeds, pages=pages)
    found = verified(store)
    assert (found.known, found.read, found.aliases) == (report.known, report.read, 0)
    assert (found.rounds, found.visits) == (0, 0)
    assert found.stored.certificate == found.settled.certificate == pytest.approx(report.error)
    assert found.stored.l1 == pytest.approx(found.settled.l1, abs=1e-12)
    assert found.settled.l1 < SETTLED_ERROR + found.rounding
    assert found.excess() <= 0
    assert found.settled.overlap == 1.0
    assert found.history.l1 > 0.01


def test_crawl_that_was_interrupted_is_exact_once_settled(store: Path) -> None:
    """Its ranking as stored is rough; the settled one is as good as that of a crawl that has ended."""
    interrupted(store, 2)
    before, database = store.read_bytes(), rows(store, "SELECT * FROM pages")
    found = verified(store)
    assert found.stored.l1 > 0.001
    assert ((found.births or 0.0) > 0.1, found.births_are_old, found.stored.certificate) == (True, True, None)
    assert found.settled.l1 < found.stored.l1 / 1000
    assert found.settled.certificate is not None
    assert found.settled.certificate <= SETTLED_ERROR
    assert found.excess() <= 0
    assert found.settled.overlap == 1.0
    assert found.settled.tau == pytest.approx(1.0, abs=0.01)
    assert found.visits >= found.rounds > 0
    assert store.read_bytes() == before
    assert rows(store, "SELECT * FROM pages") == database


@pytest.mark.parametrize("jump", ["pages", "sites"])
def test_settling_in_memory_ends_where_the_crawl_itself_does(store: Path, jump: str) -> None:
    """The interrupted crawl, run again without asking for anything more, stores what was only computed before."""
    interrupted(store, 1, jump=jump)
    settled = verified(store).settled
    _, server = crawl({}, store, [], time=1e-9)
    assert server.asked == []
    assert astuple(verified(store).stored) == pytest.approx(astuple(settled), abs=1e-12)


def test_exact_importance_is_that_of_networkx(store: Path) -> None:
    """Of the graph drawn by hand: aliases folded, pages that were never found or never read without links."""
    crawl(Server(WEB, ROBOTS), store, [HOME])
    links = {
        "": ["page", "page", "page", "closed", "nowhere"],
        "page": ["", "page", "leaves"],
        "leaves": ["page", "elsewhere"],
    }
    weights = dict.fromkeys(["", "closed", "nowhere", "leaves", "elsewhere"], 1) | {"page": 4}
    drawn: networkx.MultiDiGraph[str] = networkx.MultiDiGraph(
        [(source, target) for source in links for target in links[source]]
    )
    expected = networkx.pagerank(drawn, alpha=0.85, personalization=weights, tol=1e-14, max_iter=500)
    with open_store(store) as reader:
        folded = folded_store(reader)
        jump = np.bincount(folded.stands_for).astype(float)
        ranks = dict(zip(reader.page_table.urls(), pagerank(folded.graph, preference=jump), strict=True))
    assert {url: rank for url, rank in ranks.items() if rank} == pytest.approx(
        {HOME + path: rank for path, rank in expected.items()}, abs=1e-11
    )
    assert verified(store).settled.l1 < 1e-6


def test_aliases_are_folded_and_whatever_became_of_a_page_is_counted(store: Path) -> None:
    server = Server(dict(WEB), ROBOTS)
    crawl(server, store, [HOME])
    server.site[HOME + "leaves"] = 404
    crawl(server, store, [], **DAYS_LATER)
    assert {state for (state,) in rows(store, "SELECT DISTINCT state FROM pages")} == {
        *("fetched", "alias", "error", "disallowed", "gone")
    }
    found = verified(store)
    assert (found.known, found.aliases, found.top) == (9, 3, 6)
    assert found.settled.l1 < 1e-6
    assert found.excess() <= 0
    assert faults_in(store) == []


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE pages SET cash = cash + 1000000 + (cash + forwarded) / 10 WHERE cash + forwarded > 0",
        "UPDATE links SET targets = x'05000000' WHERE source = 0",
    ],
    ids=["cash from nowhere", "links that are not those of the book"],
)
def test_accounts_that_do_not_belong_to_the_links_are_found_out(store: Path, damage: str) -> None:
    site, seeds = random_site(4)
    crawl(site, store, seeds)
    rows(store, damage)
    assert verified(store).excess() > 1e-4


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        ("UPDATE links SET targets = x'ffffff00' WHERE source = 0", "a link leaves the store"),
        ("UPDATE links SET source = 99 WHERE source = 0", "a link leaves the store"),
        ("DELETE FROM links WHERE source = (SELECT id FROM pages WHERE state = 'alias')", "aliases stand for each"),
        ("UPDATE pages SET state = 'alias'", "aliases stand for each other, or for nothing"),
    ],
)
def test_links_that_lead_nowhere_are_one_sentence(store: Path, damage: str, problem: str) -> None:
    crawl(Server(WEB, ROBOTS), store, [HOME])
    rows(store, damage)
    with pytest.raises(StoreError, match=f"cannot be ranked: {problem}.*'minicrawl check' may say more"):
        verified(store)


def test_read_page_without_a_row_of_links_does_not_keep_settling_going(store: Path) -> None:
    """What such a page holds cannot be moved."""
    interrupted(store, 1)
    rows(
        store,
        "DELETE FROM links WHERE source = (SELECT id FROM pages WHERE forwarded > 0 ORDER BY forwarded DESC LIMIT 1)",
    )
    found = verified(store)
    assert found.settled.certificate is not None
    assert found.settled.certificate > SETTLED_ERROR
