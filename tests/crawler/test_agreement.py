"""The live crawl and a plain loop over the same graph drive the papers' algorithm to the same end."""

from pathlib import Path

import numpy as np
import pytest
from support.plain import plain_loop
from support.sites import crawl, random_site, rows


@pytest.mark.parametrize("strategy", ["greedy", "breadth-first", "cycle", "random"])
@pytest.mark.parametrize("seed", range(2))
def test_crawl_and_plain_loop_visit_the_same_pages_in_the_same_order_with_the_same_cash(
    tmp_path: Path, seed: int, strategy: str
) -> None:
    site, seeds = random_site(seed)
    visits, cash, _ = plain_loop(site, seeds, strategy)
    store = tmp_path / "crawl.db"
    _, server = crawl(site, store, seeds, strategy=strategy, jump="pages", ignore_robots=True)
    assert server.asked == visits
    assert dict(rows(store, "SELECT url, cash FROM ranks")) == cash


@pytest.mark.parametrize("seed", range(2))
def test_ledger_of_the_crawl_settles_to_that_of_the_plain_loop(tmp_path: Path, seed: int) -> None:
    site, seeds = random_site(seed)
    visits, _, ledger = plain_loop(site, seeds, "greedy")
    store = tmp_path / "crawl.db"
    crawl(site, store, seeds, jump="pages")
    number = {url: page for page, url in rows(store, "SELECT id, url FROM pages")}
    for _ in range(200):
        for url in visits:
            links = [number[target] for target in dict.fromkeys(site[url]) if target != url]
            ledger.visit(number[url], np.array(links, dtype=np.int32), np.array(links, dtype=np.int32))
    importance = [value for (value,) in rows(store, "SELECT importance FROM ranks ORDER BY id")]
    assert np.abs(np.array(importance) - ledger.importance()).sum() < 2e-6
