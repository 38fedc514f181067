"""Seeds from cores: what is measured of them is what a slow count finds."""

import networkx
import numpy as np
import pytest

from minicrawl.lab.seeds import FIGURES, Study, figure_11, figure_13, figures_7_8, figures_14_15, figures_18_19
from minicrawl.lab.webs import communities
from minicrawl.rank import pagerank


@pytest.fixture(scope="module")
def study() -> Study:
    return Study(*communities(200, np.random.default_rng(2)), seed=2)


@pytest.fixture(scope="module")
def linked(study: Study) -> "networkx.DiGraph[int]":
    graph: networkx.DiGraph[int] = networkx.DiGraph()
    graph.add_nodes_from(range(study.graph.size))
    graph.add_edges_from(zip(study.graph.sources().tolist(), study.graph.targets.tolist(), strict=True))
    return graph


def test_webs_of_communities_have_distinct_links_and_none_to_oneself(study: Study) -> None:
    sources, targets = study.graph.sources(), study.graph.targets
    assert len(set(zip(sources.tolist(), targets.tolist(), strict=True))) == len(targets)
    assert (sources != targets).all()
    assert len(study.hosts) == study.graph.size


def test_degrees_are_counted(study: Study, linked: "networkx.DiGraph[int]") -> None:
    rows = figures_7_8(study).rows
    ins = [degree for _, degree in linked.in_degree() if degree]
    assert [row[1:] for row in rows if row[0] == "In-Degree"] == [(d, ins.count(d)) for d in sorted(set(ins))]


def test_cores_are_complete_and_between_hosts(study: Study, linked: "networkx.DiGraph[int]") -> None:
    result = figure_11(study)
    for core, row in zip(study.cores, result.rows, strict=False):
        assert row[1:] == (len(core.hubs), len(core.authorities))
        assert all(linked.has_edge(hub, page) for hub in core.hubs for page in core.authorities)
        assert all(study.hosts[hub] != study.hosts[page] for hub in core.hubs for page in core.authorities)


def test_distances_of_cores_are_the_shortest_of_all_pairs(study: Study, linked: "networkx.DiGraph[int]") -> None:
    found = {(a, b): links for a, b, links in figure_13(study).rows}
    cores = study.cores[:54]
    for a, one in enumerate(cores, start=1):
        reached = networkx.multi_source_dijkstra_path_length(linked, set(one.pages().tolist()))
        for b, other in enumerate(cores, start=1):
            ways = [reached[page] for page in other.pages().tolist() if page in reached]
            assert found.get((a, b)) == (min(ways) if ways and a != b else None)


def test_pages_and_their_rank_are_told_by_depth(study: Study, linked: "networkx.DiGraph[int]") -> None:
    ranks, seeds = pagerank(study.graph), {core.seed for core in study.cores[:10]}
    depth = networkx.multi_source_dijkstra_path_length(linked, seeds)
    for number, who, pages, rank in figures_14_15(study).rows:
        if who == "cores":
            there = [page for page, links in depth.items() if links == number - 1]
            assert (pages, rank) == (len(there), pytest.approx(ranks[there].mean()))


def test_a_newer_web_keeps_the_links_of_pages_that_stay_and_the_out_degrees_of_every_host(study: Study) -> None:
    newer, left = study.newer()
    sizes = (newer.size, len(newer.targets))
    assert sizes == (study.graph.size, len(study.graph.targets))
    old, new = study.graph, newer
    for seed in left.tolist():
        assert (
            old.targets[slice(*old.indptr[seed : seed + 2])] == new.targets[slice(*new.indptr[seed : seed + 2])]
        ).all()
    hosts = int(study.hosts.max()) + 1
    by_host = [np.bincount(study.hosts, graph.outdegrees(), hosts).tolist() for graph in (old, new)]
    assert by_host[0] == by_host[1]
    assert (old.outdegrees() != new.outdegrees()).any()
    assert f"{len(left)} of {len(study.cores)} seeds" in figures_18_19(study).title


@pytest.mark.parametrize("name", FIGURES)
def test_every_figure_has_rows_curves_and_claims(study: Study, name: str) -> None:
    result = FIGURES[name](study)
    assert result.rows
    assert result.claims
    assert {len(row) for row in result.rows} == {len(result.columns)}
    assert all(len(curve.x) == len(curve.y) > 0 for panel in result.panels for curve in panel.curves)
