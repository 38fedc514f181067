"""The live crawl and a plain loop over the same graph drive the papers' algorithm to the same end."""

from pathlib import Path

import pytest
from support.plain import plain_loop
from support.sites import crawl, random_site


@pytest.mark.parametrize("strategy", ["greedy", "breadth-first", "cycle", "random"])
@pytest.mark.parametrize("seed", range(2))
def test_crawl_and_plain_loop_visit_the_same_pages_in_the_same_order(store: Path, seed: int, strategy: str) -> None:
    site, seeds = random_site(seed)
    visits, _ = plain_loop(site, seeds, strategy)
    _, server = crawl(site, store, seeds, strategy=strategy, jump="pages", ignore_robots=True)
    assert server.asked == visits
