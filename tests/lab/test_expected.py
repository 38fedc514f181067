"""A replay knows at every stop what a crawl that stopped there knows; figures are what their definitions give."""

import random
from pathlib import Path

import numpy as np
import pytest
from support.sites import Site, crawl, rows

from minicrawl.crawler.urls.groups import levels_of
from minicrawl.errors import StoreError
from minicrawl.lab.expected import (
    EXPECTED,
    KNOWN_GRAPH,
    STOPS,
    Agreement,
    Replay,
    experiment,
    rankings_at,
    replay_of,
    stays,
)
from minicrawl.store.links import LinkGraph
from minicrawl.store.reader import open_store

SEEDS = ["http://s0.test/", "http://s1.test/"]


def web(pages: int = 160) -> Site:
    """Six sites; some pages are redirects, some are not there."""
    draw = random.Random(4)
    urls = [f"http://s{number % 6}.test/{number // 6 or ''}" for number in range(pages)]
    site: Site = {}
    for number, url in enumerate(urls):
        near = [urls[(number + 6 * draw.randint(1, 9)) % pages] for _ in range(4)]
        site[url] = [urls[number % 6], *near, *draw.sample(urls, 1)]
        if number > 20 and draw.random() < 0.1:
            site[url] = draw.choice([404, near[0]])
    return site


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Replay:
    path = tmp_path_factory.mktemp("finished") / "crawl.db"
    crawl(web(), path, SEEDS, jump="pages")
    with open_store(path) as store:
        return replay_of(store, levels_of(store.page_table.urls()))


@pytest.mark.parametrize("answers", [10, 40, 70])
def test_replay_is_the_crawl_that_stopped_there(tmp_path: Path, replay: Replay, answers: int) -> None:
    """Pages have the same numbers in both, because the crawl goes the same way until then. Some were fetched twice."""
    path = tmp_path / "crawl.db"
    crawl(web(), path, SEEDS, pages=answers, jump="pages")
    ((first_answers,),) = rows(path, "SELECT count(*) FROM fetches")
    links, pages = replay.at(first_answers)
    stopped = rows(path, "SELECT id, visited FROM pages ORDER BY id")
    assert np.flatnonzero(pages.jump).tolist() == [page for page, _ in stopped]
    assert np.flatnonzero(pages.visited).tolist() == [page for page, visited in stopped if visited]
    with open_store(path) as store:
        assert links.targets.tolist() == store.links().targets.tolist()
        importance = store.ranks.arrays()["importance"]
    known = rankings_at(links, pages)[KNOWN_GRAPH][: len(importance)]
    assert np.abs(known - importance).sum() < 1e-5


def test_rankings_are_one_at_the_end(replay: Replay) -> None:
    rankings = rankings_at(*replay.at(np.inf), tolerance=1e-11)
    assert np.abs(rankings[KNOWN_GRAPH] - rankings[EXPECTED]).sum() <= 1e-9


def test_page_without_an_answer_had_its_turn_between_failures_by_its_clock(tmp_path: Path) -> None:
    """A page that robots.txt forbids is visited without an answer, the better ones before it."""
    site = web()
    path = tmp_path / "crawl.db"
    crawl(site, path, SEEDS, jump="pages")
    url = "http://s2.test/9"
    rows(path, "UPDATE pages SET fetch = NULL, state = 'disallowed' WHERE url = ?", url)
    ((page, clock),) = rows(path, "SELECT id, clock FROM pages WHERE url = ?", url)
    ((before,),) = rows(path, "SELECT max(fetch) FROM pages WHERE state = 'error' AND clock <= ?", clock)
    ((after,),) = rows(path, "SELECT min(fetch) FROM pages WHERE state = 'error' AND clock >= ?", clock)
    with open_store(path) as store:
        turn = replay_of(store, levels_of(store.page_table.urls())).turns[page]
    assert (before or 0) <= turn <= (after or 200)


def test_experiment_has_two_rankings_at_every_stop(replay: Replay) -> None:
    result = experiment(replay)
    assert [row[0] for row in result.rows] == [f"{stop:.0%}" for stop in STOPS for _ in range(2)]
    assert [row[2] for row in result.rows] == [KNOWN_GRAPH, EXPECTED] * len(STOPS)
    assert [claim.sentence for claim in result.claims] == [
        "no stop has .02 less of the first 100 right",
        "how many of the first 100 will stay is said to .1, mean of 20 stops",
    ]


def test_experiment_promises_gains_of_webs_of_many_sites() -> None:
    """Forty sites of ten pages that all link to their home pages, read one site after the other."""
    size = 400
    targets = np.arange(size, dtype=np.int32) // 10 * 10
    links = LinkGraph(np.arange(size), np.arange(size + 1), targets, size)
    found_on = np.where(np.arange(size) % 10 == 0, -1, np.arange(size) // 10 * 10)
    site = np.arange(size) // 10
    result = experiment(Replay(links, np.arange(1.0, size + 1), np.zeros(size, dtype=bool), found_on, [site]))
    assert len(result.claims) == 4


def test_of_few_pages_all_stay_and_of_more_most(replay: Replay) -> None:
    """The first stop knows fewer than a hundred."""
    truth = rankings_at(*replay.at(np.inf))[KNOWN_GRAPH]
    found = stays(replay, truth)
    assert len(found) == 20
    assert all(0.0 <= share <= 1.0 for pair in found for share in pair)
    assert found[0] == (1.0, 1.0)
    assert found[-1][1] > 0.8


def test_agreement_of_rankings() -> None:
    """Of five pages four are known; the best of all is not."""
    truth = np.array([0.1, 0.2, 0.15, 0.05, 0.5])
    now = np.array([0.2, 0.4, 0.3, 0.1, 0.0])
    one = Agreement.of(now, truth, np.arange(4))
    assert (one.first_20, one.first_100, one.first_1000, one.whole) == (1.0, 1.0, 1.0, 0.04)
    assert (one.tau, one.l1) == pytest.approx((1.0, 0.0))
    assert Agreement.of(now[::-1], truth, np.arange(1, 5)).tau == pytest.approx((1 - 5) / 6)


def test_too_short_a_crawl_gets_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    crawl(web(), path, SEEDS, pages=20, jump="pages")
    with open_store(path) as store, pytest.raises(StoreError, match="too few answers to replay: it takes 100"):
        replay_of(store, [])
