"""Cores against the paper's pseudo-code with sets, and where they can be told by looking."""

from typing import Any

import networkx
import numpy as np
import numpy.typing as npt
import pytest
from support.link_webs import ends

from minicrawl.rank import Graph, extract_seeds, hits
from minicrawl.rank.seeds import core_distances, reach


def random_web(seed: int, size: int = 50, hosts: int = 8) -> tuple[Graph, npt.NDArray[Any]]:
    rng = np.random.default_rng(seed)
    links = {page: (size * rng.random(rng.integers(0, 9)) ** 2).astype(int).tolist() for page in range(size)}
    return Graph.from_links(links, size), rng.integers(0, hosts, size)


def between_hosts(graph: Graph, hosts: npt.NDArray[Any]) -> set[tuple[int, int]]:
    return {(source, target) for source, target in ends(graph) if hosts[source] != hosts[target]}


def slow_core(
    links: set[tuple[int, int]], h: npt.NDArray[Any], a: npt.NDArray[Any], least: float, size: tuple[int, int] | None
) -> tuple[list[int], list[int]]:
    """The pseudo-code, with its two assignments the right way round and its last addition undone.

    Returns hubs and authorities in the order they came in.
    """

    def density(hubs: list[int], authorities: list[int]) -> float:
        return 100 * sum((hub, page) in links for hub in hubs for page in authorities) / len(hubs) / len(authorities)

    def best(scores: npt.NDArray[Any], pages: set[int]) -> int | None:
        return max(pages, key=lambda page: (scores[page], -page), default=None)

    hubs: list[int] = []
    authorities = [max({target for _, target in links}, key=lambda page: (a[page], -page))]
    while len(hubs) < 999:
        before = len(hubs), len(authorities)
        if size is None or len(hubs) < size[0]:
            page = best(h, {v for v, w in links if w in authorities and v not in hubs})
            if page is not None:
                hubs.append(page)
                if size is None and density(hubs, authorities) < least:
                    return hubs[:-1], authorities
        if size is None or len(authorities) < size[1]:
            page = best(a, {w for v, w in links if v in hubs and w not in authorities})
            if page is not None:
                authorities.append(page)
                if size is None and density(hubs, authorities) < least:
                    return hubs, authorities[:-1]
        if before == (len(hubs), len(authorities)):
            break
    return hubs, authorities


def slow_seeds(  # noqa: PLR0913 - as the function that it is compared with
    graph: Graph,
    hosts: npt.NDArray[Any],
    count: int,
    least: float = 100.0,
    size: tuple[int, int] | None = None,
    one_per_host: bool = True,
) -> list[tuple[int, list[int], list[int]]]:
    links = between_hosts(graph, hosts)
    cores: list[tuple[int, list[int], list[int]]] = []
    while links and len(cores) < count:
        sources, targets = np.array(sorted(links)).T
        h, a = hits(Graph.from_edges(sources, targets, graph.size), iterations=60)
        hubs, authorities = slow_core(links, h, a, least, size)
        cores.append((hubs[0], hubs, authorities))
        out = {*hubs, *authorities}
        links = {(v, w) for v, w in links if v not in out and w not in out}
        if one_per_host:
            links = {(v, w) for v, w in links if hosts[v] != hosts[hubs[0]]}
    return cores


@pytest.mark.parametrize(
    "options",
    [{}, {"least": 60.0}, {"least": 30.0}, {"size": (3, 2)}, {"size": (1, 4)}],
    ids=["complete", "density 60", "density 30", "3x2", "1x4"],
)
@pytest.mark.parametrize("one_per_host", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_cores_are_those_of_the_pseudo_code(seed: int, one_per_host: bool, options: dict[str, Any]) -> None:
    graph, hosts = random_web(seed)
    expected = slow_seeds(graph, hosts, 10, one_per_host=one_per_host, **options)
    named = {"density" if name == "least" else name: value for name, value in options.items()}
    found = extract_seeds(graph, hosts, 10, one_per_host=one_per_host, **named)
    assert [(core.seed, core.hubs.tolist(), core.authorities.tolist()) for core in found] == expected
    links = between_hosts(graph, hosts)
    for core, (_, hubs, authorities) in zip(found, expected, strict=True):
        inside = sum((hub, page) in links for hub in hubs for page in authorities)
        assert core.density == 100 * inside / (len(hubs) * len(authorities))


def test_without_links_between_hosts_there_are_no_cores() -> None:
    graph, _ = two_communities()
    for web in (graph, Graph.from_links([])):
        assert extract_seeds(web, np.zeros(web.size, dtype=np.int64), 10) == []


def two_communities() -> tuple[Graph, npt.NDArray[Any]]:
    """Pages 0 to 3 on hosts 0, 0, 1, 1 link to 4, 5 and 6 of host 2; pages 7 and 8, hosts 3 and 4, to 9 and 10."""
    graph = Graph.from_links([*([[4, 5, 6]] * 4), [], [], [], [9, 10, 8], [9, 10], [], []])
    return graph, np.array([0, 0, 1, 1, 2, 2, 2, 3, 4, 5, 5])


def test_core_has_999_hubs_at_most() -> None:
    """1,500 pages that link to the same two."""
    graph = Graph.from_links([[], [], *([[0, 1]] * 1500)])
    core = extract_seeds(graph, np.arange(graph.size), 1)[0]
    assert (core.hubs.tolist(), core.authorities.tolist()) == (list(range(2, 1001)), [0, 1])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"count": 0}, "count must be at least 1, not 0"),
        ({"density": 0.0}, "density must be more than 0 and at most 100, not 0.0"),
        ({"size": (0, 3)}, "a core has at least 1 hub and 1 authority, not 0 and 3"),
        ({"hosts": np.zeros(3, dtype=np.int64)}, "every one of 11 pages has one host, but 3 are given"),
    ],
)
def test_what_cannot_be_meant_is_refused(options: dict[str, Any], message: str) -> None:
    graph, hosts = two_communities()
    given: dict[str, Any] = {"hosts": hosts, "count": 1} | options
    with pytest.raises(ValueError, match=message):
        extract_seeds(graph, **given)


@pytest.mark.parametrize("seed", range(4))
def test_reach_and_distances_are_those_of_shortest_paths(seed: int) -> None:
    graph, hosts = random_web(seed)
    drawn = networkx.DiGraph(ends(graph))
    drawn.add_nodes_from(range(graph.size))
    ranks = np.random.default_rng(seed).random(graph.size)

    def links_from(pages: list[int]) -> dict[int, float]:
        return networkx.multi_source_dijkstra_path_length(drawn, set(pages))

    depth = links_from([3, 7, 11])
    pages, mass = reach(graph, np.array([3, 7, 11]), ranks, 2)
    assert pages.tolist() == [sum(at == d for at in depth.values()) for d in range(3)]
    assert mass == pytest.approx([sum(ranks[p] for p, at in depth.items() if at == d) for d in range(3)])

    cores = [core.pages().tolist() for core in extract_seeds(graph, hosts, 5)]
    expected = [
        [min((links_from(core)[page] for page in other if page in links_from(core)), default=-1) for other in cores]
        for core in cores
    ]
    assert core_distances(graph, [np.array(core) for core in cores]).tolist() == expected
