"""The shape of a web, by 'status --graph' and 'graph stats', against networkx."""

from collections import Counter
from pathlib import Path

import networkx
import pytest
from support.command_line import answer, run
from support.sites import crawl, random_site

from minicrawl.store.writer import Writer


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A crawl that stopped early: many pages are known and not read."""
    site, seeds = random_site(7)
    crawl(site, tmp_path / "crawl.db", seeds, pages=12)
    return tmp_path / "crawl.db"


def known(store: Path) -> "networkx.DiGraph[str]":
    """The links that the crawl has found, as the exported graph has them."""
    path = store.with_suffix(".graphml")
    assert run("graph", "export", path, "--store", store).exit_code == 0
    graph: networkx.DiGraph[str] = networkx.DiGraph(networkx.read_graphml(path))
    graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
    return graph


def test_figures_are_those_of_networkx_while_a_crawl_runs(store: Path) -> None:
    graph = known(store)
    with Writer(store):
        shape = answer("status", "--graph", "--store", store)["graph"]
    strong = sorted(map(len, networkx.strongly_connected_components(graph)))
    lengths = [
        length for _, ends in networkx.all_pairs_shortest_path_length(graph) for length in ends.values() if length
    ]
    core = graph.subgraph(max(networkx.strongly_connected_components(graph), key=len))
    assert (shape["pages"], shape["links"]) == (len(graph), graph.number_of_edges())
    assert shape["strong_components"] == {"count": len(strong), "largest": strong[-1]}
    assert shape["weak_components"]["count"] == networkx.number_weakly_connected_components(graph)
    assert shape["distances"]["is_exact"] is True
    assert shape["distances"]["average"] == pytest.approx(sum(lengths) / len(lengths))
    assert shape["core"]["diameter"]["lower"] == shape["core"]["diameter"]["upper"] == networkx.diameter(core)
    for kind, degrees in (("inlinks", graph.in_degree()), ("outlinks", graph.out_degree())):
        counts = Counter(degree for _, degree in degrees)
        assert shape[kind]["pages_by_degree"] == {str(degree): pages for degree, pages in sorted(counts.items())}
    assert sum(shape["bow_tie"].values()) == len(graph)


def test_distances_are_told_as_they_grew(store: Path) -> None:
    shape = answer("status", "--graph", "--store", store)["graph"]
    last = shape["growth"][-1]
    assert (last["average"], last["longest"]) == (shape["distances"]["average"], shape["distances"]["longest"])
    assert [point["read"] for point in shape["growth"]] == list(range(1, len(shape["growth"]) + 1))
    lines = run("status", "--graph", "--store", store).output.splitlines()
    first = lines.index("distances while it was crawled (exact)") + 2
    table = [line.split() for line in lines[first : first + 5]]
    assert table[-1] == [str(last["read"]), str(last["known"]), f"{last['average']:.2f}", str(last["longest"])]


def test_status_and_graph_stats_say_the_same(store: Path) -> None:
    shape = run("status", "--graph", "--store", store).output.split("\n\n", 1)[1]
    stats = run("graph", "stats", "--store", store).output
    assert shape.partition(":")[2] == stats.partition(":")[2]
    assert shape.startswith("as of the last commit: ")
    assert answer("status", "--graph", "--store", store)["graph"] == {
        key: value for key, value in answer("graph", "stats", "--store", store).items() if key != "files"
    }


def test_without_it_status_looks_at_no_graph(store: Path) -> None:
    assert "graph" not in answer("status", "--store", store)


def test_crawl_that_has_read_nothing_says_so(tmp_path: Path) -> None:
    Writer(tmp_path / "crawl.db").close()
    result = run("status", "--graph", "--store", tmp_path / "crawl.db")
    assert (result.exit_code, "has been read yet" in result.stderr) == (3, True)
