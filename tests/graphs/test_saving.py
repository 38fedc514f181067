"""The exported graph, read back by the programs it is for: the same pages and links, whatever the format."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import igraph
import networkx
import numpy as np
import pytest
import scipy.sparse
from lxml import etree
from support.sites import HOME, Site, crawl, random_site, rows

from minicrawl.errors import SettingError
from minicrawl.graphs.graph_files import WRITERS, export_graph, load_graph
from minicrawl.sizes import Sizes
from minicrawl.store.reader import open_store

Links = list[tuple[int, int]]

WEB: Site = {
    HOME: ["/b?x=1&y=<2>", "/moved", '/"c"', "/gone", "<title>A &amp; B ]]> \"quoted\" 'n' <b>\x0b\x1b[31m</title>"],
    HOME + "b?x=1&y=%3C2%3E": ["/moved", HOME],
    HOME + "moved": HOME + "%22c%22",
    HOME + "%22c%22": ["/b?x=1&y=%3C2%3E"],
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl whose graph has aliases, errors, pages without links, and rows that are not sorted."""
    path = tmp_path_factory.mktemp("store") / "crawl.db"
    site, seeds = random_site(5)
    crawl(WEB | site, path, [HOME, *seeds], pages=20)
    assert {state for (state,) in rows(path, "SELECT DISTINCT state FROM pages")} == {
        *("fetched", "alias", "error", "waiting")
    }
    return path


FEW = Sizes(link_rows=3, exported=4)
"""Links at a time, so that a small graph is written in many parts, too."""


def stored_links(store: Path) -> Links:
    """In the order of the store: by page, then as listed."""
    found = rows(store, "SELECT source, targets FROM links ORDER BY source")
    return [(source, int(target)) for source, blob in found for target in np.frombuffer(blob, "<i4")]


def exported(store: Path, file: Path) -> Path:
    with open_store(store, FEW) as reader:
        export_graph(reader, file)
    return file


def of_matrix(matrix: Any) -> Links:
    assert set(matrix.data.tolist()) == {1.0}
    found = matrix.tocoo()
    return sorted(zip(found.row.tolist(), found.col.tolist(), strict=True))


READERS: dict[str, Callable[[Path], Links]] = {
    ".txt": lambda path: [
        (int(a), int(b)) for a, b in networkx.read_edgelist(path, create_using=networkx.DiGraph).edges
    ],
    ".npz": lambda path: of_matrix(scipy.sparse.load_npz(path)),
    ".graphml": lambda path: list(networkx.read_graphml(path, node_type=int).edges),
}


def test_every_format_is_read_back_here() -> None:
    assert {*READERS, ".parquet"} == WRITERS.keys()  # data sets: tests/cluster/test_answers.py


@pytest.mark.parametrize("ending", READERS)
def test_links_are_those_of_the_store(store: Path, tmp_path: Path, ending: str) -> None:
    links = READERS[ending](exported(store, tmp_path / f"links{ending}"))
    assert sorted(links) == sorted(stored_links(store))
    assert len(links) > 40


def test_arcs_are_sorted_by_both_ends_and_apart_by_a_tab(store: Path, tmp_path: Path) -> None:
    lines = exported(store, tmp_path / "links.txt").read_text().splitlines()
    pages = len(rows(store, "SELECT id FROM pages"))
    comment = [f"# {pages} pages from 0 on, {len(stored_links(store))} links: source, target"]
    assert lines == comment + [f"{a}\t{b}" for a, b in sorted(stored_links(store))]


@pytest.mark.parametrize("ending", [".txt", ".npz"])
def test_our_own_loader_reads_the_graph_that_it_reads_from_the_store(store: Path, tmp_path: Path, ending: str) -> None:
    """Edge lists say nothing of pages behind the last one with a link."""
    found, names = load_graph(exported(store, tmp_path / f"links{ending}"))
    expected, urls = load_graph(store)
    size = found.size
    assert found.indptr.tolist() == expected.indptr[: size + 1].tolist()
    assert found.targets.tolist() == expected.targets.tolist()
    if ending == ".npz":
        assert size == expected.size
        assert names == urls


@pytest.mark.parametrize("ending", [".txt", ".npz"])
def test_urls_stand_beside_what_has_no_room_for_them(store: Path, tmp_path: Path, ending: str) -> None:
    exported(store, tmp_path / f"links{ending}")
    assert (tmp_path / "links.urls.txt").read_text().splitlines() == [
        url for (url,) in rows(store, "SELECT url FROM pages ORDER BY id")
    ]
    assert len(list(tmp_path.iterdir())) == 2


def nodes_of_networkx(path: Path) -> dict[int, dict[str, Any]]:
    graph = networkx.read_graphml(path, node_type=int)
    assert graph.is_directed()
    return dict(graph.nodes.items())


def test_nodes_tell_url_importance_state_and_title(store: Path, tmp_path: Path) -> None:
    """Whatever a title holds; what XML has no way to write is replaced."""
    nodes = nodes_of_networkx(exported(store, tmp_path / "web.graphml"))
    assert list(tmp_path.iterdir()) == [tmp_path / "web.graphml"]
    expected = rows(store, "SELECT id, url, importance, state, title FROM ranks ORDER BY id")
    assert list(nodes) == [page for page, *_ in expected]
    for page, *told in expected:
        url, importance, state, title = told
        kept = {"url": url, "importance": importance, "state": state}
        if title is not None:
            kept["title"] = title.replace("\x0b", "�").replace("\x1b", "�")
        assert nodes[page] == kept
    assert nodes[0]["title"].startswith("A & B ]]> \"quoted\" 'n' <b>")
    assert "�[31m" in nodes[0]["title"]


def test_graphml_is_read_by_igraph(store: Path, tmp_path: Path) -> None:
    graph = igraph.Graph.Read_GraphML(str(exported(store, tmp_path / "web.graphml")))
    assert graph.is_directed()
    assert [edge.tuple for edge in graph.es] == sorted(stored_links(store))
    assert graph.vs["url"] == [url for (url,) in rows(store, "SELECT url FROM pages ORDER BY id")]
    assert sum(graph.vs["importance"]) == pytest.approx(1.0)


@pytest.mark.parametrize("title", ["\r\n\t x \ufffe\uffff\x00\x1f", "]]>&lt; \U0001f600 π"])
def test_odd_titles_are_kept_or_replaced(tmp_path: Path, title: str) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: []}, store, [HOME])
    rows(store, "UPDATE fetches SET title = ?", title)
    read = etree.parse(exported(store, tmp_path / "web.graphml"))
    found = read.xpath("//*[@key='title']/text()")
    kept = "".join("�" if char in "\ufffe\uffff\x00\x1f" else char for char in title)
    assert "".join(found) == kept  # type: ignore[arg-type]


def test_the_same_store_is_the_same_file(store: Path, tmp_path: Path) -> None:
    for ending in WRITERS:
        one, two = (exported(store, tmp_path / f"{name}{ending}") for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()


@pytest.mark.parametrize("ending", WRITERS)
def test_store_without_links_is_a_graph_without_links(tmp_path: Path, ending: str) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: []}, store, [HOME])
    with open_store(store) as reader:
        assert export_graph(reader, tmp_path / f"web{ending}")[:2] == (1, 0)


def test_what_was_read_is_of_one_commit(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crawl that adds links while the file is written does not get half of them in."""
    copy = tmp_path / "crawl.db"
    copy.write_bytes(store.read_bytes())
    before = stored_links(copy)

    def then_deletes(store: Any, path: Path) -> None:
        rows(copy, "DELETE FROM links")
        written(store, path)

    written = WRITERS[".txt"]
    monkeypatch.setitem(WRITERS, ".txt", then_deletes)
    lines = exported(copy, tmp_path / "links.txt").read_text().splitlines()
    assert len(lines) == 1 + len(before)
    assert stored_links(copy) == []


def test_unknown_ending_is_a_sentence(store: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match=r"must end with one of \.txt, .*, \.graphml, \.parquet, not '\.xls'"):
        exported(store, tmp_path / "graph.xls")


def test_full_disk_is_a_sentence_and_leaves_the_old_file(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def runs_full(store: Any, path: Path) -> None:
        path.write_text("half")
        raise OSError(28, "No space left on device")

    file = tmp_path / "graph.txt"
    file.write_text("old")
    monkeypatch.setitem(WRITERS, ".txt", runs_full)
    with pytest.raises(SettingError, match="cannot be written: No space left on device"):
        exported(store, file)
    assert file.read_text() == "old"
    assert {path.name for path in tmp_path.iterdir()} <= {file.name, "graph.urls.txt"}
