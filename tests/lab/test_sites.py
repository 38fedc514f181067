"""Where walkers jump to, on a store: the crawl's own importance, and what is measured of it."""

from pathlib import Path

import numpy as np
import pytest
from support.sites import crawl, web_of_sites

from minicrawl.cli.lab import site_web
from minicrawl.lab.sites import SiteWeb, agreement, by_count, by_sites, result
from minicrawl.rank import Graph
from minicrawl.store.reader import open_store


@pytest.mark.parametrize("seed", range(3))
def test_importance_is_that_of_the_crawl(tmp_path: Path, seed: int) -> None:
    web, seeds = web_of_sites(seed)
    missing = [url for at, url in enumerate(web) if at % 9 == 4 and url not in seeds]
    crawl(web | dict.fromkeys(missing, 404), tmp_path / "crawl.db", seeds, jump="sites")
    with open_store(tmp_path / "crawl.db") as store:
        assert by_sites(site_web(store)) == pytest.approx(store.ranks.importance(), abs=1e-6)


def test_measures_by_hand() -> None:
    """Each of three sites links to the one page of the next two; who has all links of a judge agrees in full."""
    on = np.ones(3, dtype=np.bool_)
    web = SiteWeb(Graph.from_links([[1, 2], [0, 2], [0, 1]]), np.arange(3), np.arange(3), on, on, on, on)
    assert by_count(web) == pytest.approx([2 + 1 / 3] * 3)
    assert agreement(web, lambda web: np.full(3, 1.0), 0)[0] >= 0.6
    told = {row[0]: row[-1] for row in result(web).rows}
    assert told == dict.fromkeys(("count", "pages", "sites"))  # no site has three pages


def test_links_to_many_pages_of_a_site_are_not_written() -> None:
    """One of two sites is the judge: the first links to 101 pages of the third, the other to one."""
    on, graph = np.ones(103, dtype=np.bool_), Graph.from_links([range(2, 103), [2], *[[]] * 101])
    web = SiteWeb(graph, np.array([0, 1, *[2] * 101]), np.arange(103), on, on, on, on)
    assert {written / all_ for all_, _, written, _ in (agreement(web, by_count, of) for of in range(9))} == {0.0, 1.0}
