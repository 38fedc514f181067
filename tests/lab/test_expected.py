"""A replay knows at every stop what a crawl that stopped there knows; figures are what their definitions give."""

import random

import pytest
from support.sites import Site, crawl

from minicrawl.crawler.urls.groups import levels_of
from minicrawl.lab.expected import (
    EXPECTED,
    KNOWN_GRAPH,
    STOPS,
    Replay,
    experiment,
    replay_of,
)
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


def test_experiment_has_two_rankings_at_every_stop(replay: Replay) -> None:
    result = experiment(replay)
    assert [row[0] for row in result.rows] == [f"{stop:.0%}" for stop in STOPS for _ in range(2)]
    assert [row[2] for row in result.rows] == [KNOWN_GRAPH, EXPECTED] * len(STOPS)
    assert [claim.sentence for claim in result.claims] == [
        "no stop has .02 less of the first 100 right",
        "how many of the first 100 will stay is said to .1, mean of 20 stops",
    ]
