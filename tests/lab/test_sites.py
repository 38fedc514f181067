"""Where walkers jump to, on a store: the crawl's own importance, and what is measured of it."""

from pathlib import Path

import numpy as np
import pytest
from support.sites import crawl, web_of_sites

from minicrawl.cli.lab import site_web
from minicrawl.lab.sites import agreement, by_count, by_sites, result
from minicrawl.store.reader import open_store


@pytest.mark.parametrize("seed", range(3))
def test_importance_is_that_of_the_crawl(tmp_path: Path, seed: int) -> None:
    web, seeds = web_of_sites(seed)
    missing = [url for at, url in enumerate(web) if at % 9 == 4 and url not in seeds]
    crawl(web | dict.fromkeys(missing, 404), tmp_path / "crawl.db", seeds, jump="sites")
    with open_store(tmp_path / "crawl.db") as store:
        assert by_sites(site_web(store)) == pytest.approx(store.ranks.importance(), abs=1e-6)


def test_measures_by_hand(tmp_path: Path) -> None:
    """Each of three sites links to the first page of the next two; who has all links of a judge agrees in full."""
    fronts = [f"http://{name}.test/" for name in "abc"]
    web = {front: [other for other in fronts if other != front] for front in fronts}
    crawl(web, tmp_path / "crawl.db", fronts, jump="sites")
    with open_store(tmp_path / "crawl.db") as store:
        found = site_web(store)
        assert by_count(found) == pytest.approx([2 + 1 / 3] * 3)
        assert agreement(found, lambda web: np.full(web.graph.size, 1.0), 0)[0] >= 0.6
        told = result(found)
    assert [row[0] for row in told.rows] == ["count", "pages", "sites"]
    assert [row[3] for row in told.rows] == [None] * 3  # no site has three pages
