"""Orders that rank what is known again and again."""

import networkx as nx
import numpy as np
import pytest

from minicrawl.lab import batches
from minicrawl.lab.frontiers import PageArray
from minicrawl.rank import Graph

pytestmark = pytest.mark.slow  # all of them wait for compiled loops

Links = list[list[int]]


def random_links(seed: int, size: int = 40) -> tuple[Links, list[int]]:
    """Few links, so that many pages have none and many tie; and three seeds."""
    rng = np.random.default_rng(seed)
    links = [[int(t) for t in rng.permutation(size)[: rng.integers(0, 6)] if t != page] for page in range(size)]
    return links, rng.permutation(size)[:3].tolist()


def array(pages: list[int]) -> PageArray:
    return np.array(pages, dtype=np.int32)


def reached(links: Links, seeds: list[int]) -> list[int]:
    known = list(seeds)
    for page in known:  # it grows
        known += [target for target in links[page] if target not in known]
    return known


@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("seed", range(3))
def test_batch_pagerank_reads_by_pagerank_of_what_is_known(seed: int, batch: int) -> None:
    """With steps enough the ranks are exact; equals may go in any order here, a float's last bit tells them apart."""
    links, seeds = random_links(seed)
    order = batches.batch_pagerank(Graph.from_links(links), array(seeds), batch, steps=300).tolist()
    assert sorted(order) == sorted(reached(links, seeds))
    for start in range(0, len(order), batch):
        read = order[:start]
        known = list(dict.fromkeys(seeds + [target for page in read for target in links[page]]))
        web = nx.DiGraph([(page, target) for page in read for target in links[page]])
        web.add_nodes_from(known)
        ranks = nx.pagerank(web, tol=1e-13, max_iter=1000)
        waiting = sorted((ranks[page] for page in known if page not in read), reverse=True)
        got = [ranks.get(page, 0.0) for page in order[start : start + batch]]
        assert got == pytest.approx((waiting + [0.0] * batch)[: len(got)], abs=1e-9)


def test_pages_without_a_rank_yet_come_last_in_the_order_of_discovery() -> None:
    links = [[3, 2], [], [], [1]]
    assert batches.batch_pagerank(Graph.from_links(links), array([0]), batch=9).tolist() == [0, 3, 2, 1]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("passes_on", [False, True])
def test_page_found_since_has_its_parts_of_the_ranks_of_those_that_link_to_it(seed: int, passes_on: bool) -> None:
    """Ranks are given out once, at the beginning: half a unit and more for the seeds."""
    links, seeds = random_links(seed)
    given = 0.5 + np.random.default_rng(seed).integers(0, 4, len(links)) / 8
    keys = {page: int(given[page] * 2**61) for page in seeds}
    read: list[int] = []
    while waiting := [page for page in keys if page not in read]:
        page = max(waiting, key=keys.__getitem__)
        read.append(page)
        for target in links[page]:
            if target not in seeds and target not in read:
                share = keys[page] // len(links[page]) if passes_on else 0
                keys[target] = keys.get(target, 0) + share
    order = batches.by_ranks(Graph.from_links(links), array(seeds), lambda known: given, [], passes_on=passes_on)
    assert order.tolist() == read


def test_ranks_are_asked_for_what_is_known_at_each_stop() -> None:
    """A chain from page 0 on."""
    seen: list[tuple[list[int], list[int], int]] = []

    def ranks(known: batches.Known) -> np.ndarray:  # type: ignore[type-arg]
        pages, visited = np.flatnonzero(known.pages), np.flatnonzero(known.visited)
        seen.append((pages.tolist(), visited.tolist(), len(known.graph.targets)))
        return np.ones(5)

    batches.by_ranks(Graph.from_links([[1], [2], [3], [4], []]), array([0]), ranks, [1, 3])
    assert seen == [([0], [], 0), ([0, 1], [0], 1), ([0, 1, 2, 3], [0, 1, 2], 3)]


@pytest.mark.parametrize("crowded", [1, 2])
def test_pages_that_wait_are_expected_to_link_like_those_of_their_host(crowded: int) -> None:
    """Pages 1 and 2, on hosts of their own, link alike, each to 20 pages. Ten pages wait on the host of one of them."""
    links: Links = [[2, 1, *range(3, 13)], list(range(13, 33)), list(range(33, 53)), *[[] for _ in range(50)]]
    hosts = np.array([0, 1, 2, *[crowded] * 10, *[3] * 40])
    order = batches.by_expected_importance(Graph.from_links(links), array([0]), hosts, batch=1).tolist()
    of_one, of_two = (np.mean([order.index(page) for page in links[each]]) for each in (1, 2))
    assert (of_one < of_two) == (crowded == 1)
