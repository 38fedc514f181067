"""Graphs as DIMACS writes them."""

import gzip
import io
from pathlib import Path

import networkx
import numpy as np
import pytest

from minicrawl.errors import SettingError
from minicrawl.graphs.dimacs import DimacsLinks, read_dimacs
from minicrawl.graphs.loading import load_graph


def read(text: str) -> DimacsLinks:
    found = read_dimacs("web.gr", io.BytesIO(text.encode()))
    assert found is not None
    return found


def test_arcs_are_numbered_from_one_and_lengths_ignored() -> None:
    found = read("c a comment\np sp 4 3\na 1 2 17\n\na 2 4 1\ncomment\na 4 1 803\n")
    assert (found.sources.tolist(), found.targets.tolist(), found.size) == ([0, 1, 3], [1, 3, 0], 4)


def test_an_edge_is_a_link_either_way() -> None:
    found = read("p edge 3 2\ne 1 2\ne 3 2\n")
    links = sorted(zip(found.sources.tolist(), found.targets.tolist(), strict=True))
    assert links == [(0, 1), (1, 0), (1, 2), (2, 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a 1 2 3\n", "web.gr:1: 'a 1 2 3' is no line of DIMACS here"),
        ("p sp 3 1\nx 1 2\n", "web.gr:2: 'x 1 2' is no line of DIMACS here"),
        ("p sp 3 1\na one 2 1\n", "web.gr:2: 'a one 2 1' is no line of DIMACS here"),
        ("p sp 3 1\np sp 3 1\na 1 2 1\n", "web.gr:2: 'p sp 3 1' is no line of DIMACS here"),
        ("p sp 3 2\na 1 2 1\n", "web.gr has 2 links in its line 'p' and 1 lines with links"),
        ("c nothing\n", "web.gr has no line 'p' and 0 lines with links"),
    ],
)
def test_what_is_no_dimacs_file_is_told_by_its_line(text: str, message: str) -> None:
    with pytest.raises(SettingError) as raised:
        read(text)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize("name", ["web.gr.gz", "web.dimacs"])
def test_files_are_known_by_their_ending(tmp_path: Path, name: str) -> None:
    rng = np.random.default_rng(3)
    drawn = networkx.gnp_random_graph(30, 0.1, seed=4, directed=True)
    lines = [f"a {u + 1} {v + 1} {rng.integers(9)}" for u, v in drawn.edges]
    text = "\n".join(["c drawn", f"p sp 30 {len(lines)}", *lines]).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    graph = load_graph(tmp_path / name).graph
    assert graph.size == 30
    assert set(zip(graph.sources().tolist(), graph.targets.tolist(), strict=True)) == set(drawn.edges)


def test_numbers_beyond_all_bounds_are_refused(tmp_path: Path) -> None:
    (tmp_path / "web.gr").write_text(f"p sp {10**15} 1\na 1 4 1\n")
    with pytest.raises(SettingError, match=r"1000000000000000 pages for 1 links; number the pages without gaps"):
        load_graph(tmp_path / "web.gr")
    with pytest.raises(SettingError, match=r"web\.gr:2: 'a 1 9999"):
        read(f"p sp 3 1\na 1 {'9' * 30}\n")


def test_a_page_that_is_none_is_told(tmp_path: Path) -> None:
    (tmp_path / "web.gr").write_text("p sp 3 1\na 1 4 1\n")
    with pytest.raises(SettingError, match="has a link of page 4, but its pages are 1 to 3"):
        load_graph(tmp_path / "web.gr")
