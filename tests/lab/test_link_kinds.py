"""Which links find pages."""

import numpy as np
import pytest

from minicrawl.errors import SettingError
from minicrawl.lab.generate import power_law
from minicrawl.lab.link_kinds import EXTERNAL, INTERNAL, experiment, yields
from minicrawl.rank import Graph, pagerank


def slowly(graph: Graph, hosts: np.ndarray, order: list[int], read: int) -> dict[str, list[list[int]]]:
    """By kind: the pages that each link found, for every link of the pages read, in their order."""
    found: dict[str, list[list[int]]] = {INTERNAL: [], EXTERNAL: []}
    known = set()
    for at, page in enumerate(order[:read]):
        for target in graph.targets[graph.indptr[page] : graph.indptr[page + 1]].tolist():
            kind = INTERNAL if hosts[page] == hosts[target] else EXTERNAL
            new = target not in known and target not in order[: at + 1]
            found[kind].append([target] if new else [])
            known.add(target)
    return found


@pytest.mark.parametrize("seed", range(3))
def test_yields_are_those_of_following_link_by_link(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graph = power_law(80, rng)
    hosts, order = rng.integers(0, 5, 80), rng.permutation(80)[:60]
    importance = pagerank(graph)
    found = yields(graph, hosts, order, importance)
    assert len({one.read for one in found}) == len(found) // 2
    for one in found:
        links = slowly(graph, hosts, order.tolist(), one.read)[one.kind]
        pages = [page for some in links for page in some]
        assert (one.followed, one.pages) == (len(links), len(pages))
        assert one.importance == pytest.approx(80 * np.mean(importance[pages]) if pages else 0.0)


def test_a_site_is_new_where_a_link_from_another_one_finds_its_first_page() -> None:
    graph = Graph.from_links([[1, 2, 4], [3], [3], [], [5], [2]])
    hosts = np.array([0, 0, 1, 1, 2, 2])
    last = yields(graph, hosts, np.arange(6), pagerank(graph))[-2:]
    assert [(one.kind, one.sites) for one in last] == [(INTERNAL, 0), (EXTERNAL, 2)]


@pytest.mark.slow
def test_experiment_has_a_row_per_look_and_kind() -> None:
    graph = power_law(500, np.random.default_rng(0))
    result = experiment(graph, np.arange(500) % 7, seed=0, seed_sets=2)
    assert [row[0] for row in result.rows] == [1] * 10 + [2] * 10
    assert all(0 <= row[5] <= 100 for row in result.rows)
    assert len(result.claims) == 2


def test_one_site_has_no_links_between_sites() -> None:
    with pytest.raises(SettingError, match="all pages of this graph are of one site"):
        experiment(power_law(50, np.random.default_rng(0)), np.zeros(50, dtype=np.int64), seed=0)
