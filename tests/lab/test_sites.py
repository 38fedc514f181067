"""Jumps to sites, measured: what is taken apart for it, and webs so small that the answer is known."""

from typing import Any

import numpy as np
import pytest

from minicrawl.errors import SettingError
from minicrawl.lab.sites import (
    JUMPS,
    Web,
    by_cash,
    course,
    experiment,
    farm_share,
    fronts_first,
    small_sites,
    with_farm,
)
from minicrawl.rank import Graph


def web_from(
    links: list[list[int]], site: list[int], fronts: list[int] | tuple[Any, ...] = (), seeds: range | tuple[int] = (0,)
) -> Web:
    is_front = np.zeros(len(site), dtype=bool)
    is_front[list(fronts)] = True
    return Web(Graph.from_links(links, len(site)), np.array(site), is_front, np.array(seeds))


def drawn(seed: int, sites: int = 30) -> Web:
    return small_sites(sites, np.random.default_rng(seed))


@pytest.mark.parametrize("seed", range(3))
def test_small_sites_are_small_whole_and_hardly_link_to_each_other(seed: int) -> None:
    web = drawn(seed, 200)
    sizes = np.bincount(web.site)
    assert (sizes.min() >= 3, sizes.max() <= 120, web.sites) == (True, True, 200)
    assert web.reached().graph.size == web.graph.size
    across = web.site[web.graph.sources()] != web.site[web.graph.targets]
    assert 50 <= np.count_nonzero(across) <= 100
    assert not (web.graph.sources() == web.graph.targets).any()


def test_what_a_crawl_knows_is_its_seeds_and_what_it_has_read_links_to() -> None:
    web = web_from([[1, 2], [3], [4], [], [0]], [0] * 5)
    part, known = web.when(np.array([True, False, True, False, False]))
    assert known.tolist() == [True, True, True, False, True]
    assert list(zip(part.graph.sources().tolist(), part.graph.targets.tolist(), strict=True)) == [
        (0, 1),
        (0, 2),
        (2, 4),
    ]


def test_pages_that_the_seeds_do_not_lead_to_are_left_out() -> None:
    web = web_from([[2], [0], [], [2]], [5, 6, 7, 8], fronts=[2, 3]).reached()
    assert (web.graph.size, web.sites, web.fronts.tolist(), web.seeds.tolist()) == (2, 2, [False, True], [0])
    with pytest.raises(SettingError, match="lead to no other page"):
        web_from([[], [0]], [0, 0]).reached()


def test_the_order_by_cash_reads_more_importance_than_one_that_is_drawn() -> None:
    web, where = drawn(2, 100), JUMPS["trust and doors"]
    random = np.random.default_rng(0).permutation(web.graph.size)
    by, at_random = (course(web, where, order) for order in (by_cash(web, where, web.graph.size), random))
    assert all(more > less for more, less in zip(by.read, at_random.read, strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_fronts_are_counted_as_a_loop_does(seed: int) -> None:
    web = drawn(seed)
    values = np.random.default_rng(seed).permutation(10_000)[: web.graph.size].astype(np.float64)
    places = []
    for site in range(web.sites):
        pages = sorted(np.flatnonzero(web.site == site), key=lambda page: -values[page])
        places.append(next(place for place, page in enumerate(pages) if web.entrances[page]))
    found = fronts_first(web, values)
    assert found == tuple(float(np.mean([place < limit for place in places])) for limit in (1, 3))


def test_a_farm_is_behind_one_honest_link_and_all_of_it_links_to_its_target() -> None:
    web = drawn(4)
    farmed = with_farm(web, 7, np.random.default_rng(0), links_back=False)
    sources, targets = farmed.graph.sources(), farmed.graph.targets
    honest = sources < web.graph.size
    assert np.count_nonzero(honest & (targets >= web.graph.size)) == 1
    assert np.count_nonzero(~honest & (targets < web.graph.size)) == 0
    assert len(np.unique(sources[targets == web.graph.size])) == 5000
    assert farmed.sites == web.sites + 200
    back = with_farm(web, 7, np.random.default_rng(0), links_back=True)
    assert len(back.graph.targets) == len(targets) + 200


def test_a_farm_has_a_share_by_its_pages_of_jumps_to_any_page_and_hardly_one_of_jumps_to_trusted_sites() -> None:
    web, rng = drawn(5, 100), np.random.default_rng
    assert farm_share(web, JUMPS["any page"], rng(0), links_back=False) > 0.5
    assert farm_share(web, JUMPS["trust and doors"], rng(0), links_back=False) < 0.02


def test_all_questions_are_answered() -> None:
    found = experiment(drawn(6, 150), 0, draws=1)
    assert {row[0] for row in found.rows} == {
        "agreement", "early", "order", "order, best possible", "fronts", "farm"
    }  # fmt: skip
    assert all(0.0 <= row[3] <= 1.0 + 1e-9 for row in found.rows)
    assert len(found.claims) == 6
    lone = web_from([[1, 2], [0], [0, 1]] + [[0, 1]] * 120, [0] * 123, seeds=range(123))
    assert len(experiment(lone, 0, draws=1).claims) == 5
