"""PageRank of a store by every method, where walkers jump to, and what is said of it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.sites import crawl, crawled_once, random_site

from minicrawl.analysis.link_graph import folded_pages, folded_store
from minicrawl.analysis.rankings.options import Found, Options
from minicrawl.analysis.rankings.pagerank_ranking import (
    METHODS,
    pagerank_on_disk,
    pagerank_ranking,
    pagerank_ranking_on_disk,
)
from minicrawl.errors import SettingError
from minicrawl.opic.surfer import REASONABLE, UNIFORM
from minicrawl.rank import pagerank
from minicrawl.store.reader import open_store


@pytest.mark.parametrize("memory", ["800", "1MB"])
def test_count_is_near_what_was_measured(tmp_path: Path, memory: str) -> None:
    """Measured is without the blocks of ranks that no link comes from, and with those of the round before."""
    site, seeds = random_site(4)
    crawl(site, tmp_path / "crawl.db", seeds)
    with open_store(tmp_path / "crawl.db") as store:
        pages = folded_pages(store)
        _, rounds, _, found = pagerank_on_disk(memory, Options(), store, pages, UNIFORM, pages.jump)
    ranks = 8 * found.plan.size
    a_round = found.moved(rounds)
    assert found.split_table + 2 * ranks <= a_round <= found.count + ranks
    assert found.table <= found.split_table
    assert (found.plan.blocks > 1) == (memory == "800")
    assert f"{found.plan.blocks} blocks; a round by B|S| + |D| + |L|(1 + e) = {found.plan.blocks} x" in found.cost(
        rounds
    )


store = crawled_once(*random_site(5))


def ranked(store: Path, **asked: Any) -> Found:
    with open_store(store) as reader:
        options = Options(**asked)
        if options.memory is not None:
            return pagerank_ranking_on_disk(options.memory, options, reader, folded_pages(reader))
        return pagerank_ranking(options, reader, folded_store(reader))


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_come_to_the_same(store: Path, method: str) -> None:
    found, power = ranked(store, method=method), ranked(store)
    assert found[0]["pagerank"] == pytest.approx(power[0]["pagerank"], abs=1e-11)
    assert power[1] == ()
    assert ["rounds" in note and "links followed" in note for note in found[1]] == [True] * (method != "power")


@pytest.mark.parametrize("memory", [None, "1500"])
def test_walkers_jump_to_the_pages_of_a_file(store: Path, tmp_path: Path, memory: str | None) -> None:
    with open_store(store) as reader:
        urls, folded = list(reader.page_table.urls()), folded_store(reader)
    (tmp_path / "mine.txt").write_text(f"{urls[3]} 2\n{urls[5]} 1\n")
    jump = np.zeros(len(urls))
    jump[[3, 5]] = 2.0, 1.0
    expected = pagerank(folded.graph, preference=jump, weights=folded.weights(REASONABLE))
    found = ranked(store, jump=str(tmp_path / "mine.txt"), memory=memory)
    assert found[0]["pagerank"] == pytest.approx(expected, abs=1e-11)


def test_links_of_a_host_cannot_be_counted_on_disk(store: Path) -> None:
    with pytest.raises(SettingError, match="which --memory never has"):
        ranked(store, memory="1MB", cap=3)
