"""Every graph format, written by hand or by scipy and networkx, and every way a file can be wrong."""

import gzip
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy import sparse
from support.link_webs import ends
from support.sites import crawl, random_site, rows

from minicrawl.errors import SettingError
from minicrawl.graphs.graph_files import graph_of_keys, keys_of, load_graph, sources_of, targets_of
from minicrawl.rank import Graph
from minicrawl.store.reader import open_store
from minicrawl.store.schema import SCHEMA_VERSION

# 0 -> 1, 2;  1 -> 2;  2 -> 0;  3 has no links.
LINKS = [(0, 1), (0, 2), (1, 2), (2, 0)]


def write(path: Path, content: bytes | str) -> Path:
    """Text or bytes, compressed where the name ends in .gz."""
    raw = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(raw) if path.name.endswith(".gz") else raw)
    return path


def matrix(links: list[tuple[int, int]] = LINKS, size: int = 4) -> "sparse.coo_array[Any, Any]":
    sources, targets = np.array(links).T
    return sparse.coo_array((np.ones(len(links)), (sources, targets)), shape=(size, size))


def random_matrix(seed: int, size: int = 80) -> "sparse.coo_array[Any, Any]":
    return sparse.random_array((size, size), density=0.05, rng=np.random.default_rng(seed), format="coo")


def matrix_links(entries: "sparse.coo_array[Any, Any]") -> list[tuple[int, int]]:
    return sorted({(i, j) for i, j in zip(entries.row.tolist(), entries.col.tolist(), strict=True) if i != j})


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def csr(indptr: npt.ArrayLike, indices: npt.ArrayLike, **more: Any) -> bytes:
    return npz(indptr=np.array(indptr), indices=np.array(indices), **more)


# What can be read.


@pytest.mark.parametrize("compressed", [True, False])
def test_npz_of_indptr_and_indices(tmp_path: Path, compressed: bool) -> None:
    rows = matrix().tocsr()
    save = np.savez_compressed if compressed else np.savez
    save(tmp_path / "a.npz", indptr=rows.indptr.astype(np.int64), indices=rows.indices.astype(np.uint32))
    graph, known = load_graph(str(tmp_path / "a.npz"))
    assert ends(graph) == LINKS
    assert (graph.size, known) == (4, None)
    assert (graph.indptr.dtype, graph.targets.dtype) == (np.dtype(np.int64), np.dtype(np.int32))


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_npz_of_scipy(tmp_path: Path, kind: Callable[..., Any]) -> None:
    entries = random_matrix(1)
    sparse.save_npz(tmp_path / "a.npz", kind(entries))
    graph, _ = load_graph(tmp_path / "a.npz")
    assert graph.size == 80
    assert ends(graph) == matrix_links(entries)


def test_names_stand_beside_an_npz(tmp_path: Path) -> None:
    write(tmp_path / "web.2000.npz", csr([0, 1, 2], [1, 0]))
    write(tmp_path / "web.2000.urls.txt", "http://a.test/é\r\nhttp://b.test/ x\n")
    assert load_graph(tmp_path / "web.2000.npz")[1] == ("http://a.test/é", "http://b.test/ x")


@pytest.mark.parametrize("name", ["a.tsv", "a.txt", "a.b.txt.gz"])
@pytest.mark.parametrize("separator", ["\t", "   "])
def test_numbered_edges_in_all_spellings(tmp_path: Path, name: str, separator: str) -> None:
    lines = [separator.join(map(str, link)) for link in [*LINKS, (2, 4)]]
    text = "# from to\n% 9 9\n\n" + "\r\n".join(lines) + "\n\n  # 7 7\n"
    graph, known = load_graph(write(tmp_path / name, text))
    assert (graph.size, known) == (5, None)
    assert ends(graph) == [*LINKS, (2, 4)]


@pytest.mark.parametrize("text", ["0 1 0.5\n1 0 1e3 x é\n", "0 1\n1 0 # both ways", "0 1\n0 1\n1 0\n1 1\n0 0\n"])
def test_numbered_edges_with_more_than_numbers(tmp_path: Path, text: str) -> None:
    graph, known = load_graph(write(tmp_path / "a.txt", text))
    assert known is None
    assert ends(graph) == [(0, 1), (1, 0)]


def test_blocks_do_not_show(tmp_path: Path) -> None:
    """Of 16 MiB: lines are so long that some go across their bounds, comments and further columns of links."""
    rng = np.random.default_rng(1)
    links = sorted({(i, j) for i, j in rng.integers(0, 200, (500, 2)).tolist() if i != j})
    long = "x" * 50_000
    text = "".join(f"{i}\t{j}\t{long}\n# {long}\n" for i, j in links)
    path = write(tmp_path / "a.txt", f"# c\n{text}")
    assert ends(load_graph(path)[0]) == links


@pytest.mark.parametrize("name", ["a.txt", "a.tsv"])
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("http://b.test/ http://a.test/x,y\nhttp://a.test/x,y c\n", ("http://b.test/", "http://a.test/x,y", "c")),
        ("# é\nhttp://b/\thttp://a/x,y\n\nhttp://a/x,y\tc", ("http://b/", "http://a/x,y", "c")),
        ("Main page\tÅland, Finland\nÅland, Finland\t2\n", ("Main page", "Åland, Finland", "2")),
        ("0 1\n1 x\n", ("0", "1", "x")),
        ("7 4000000000\n4000000000 99999999999999999999\n", ("7", "4000000000", "99999999999999999999")),
        ("7 2000000000\n2000000000 8\n", ("7", "2000000000", "8")),
    ],
)
def test_ends_that_are_no_page_numbers_are_names_numbered_as_they_appear(
    tmp_path: Path, name: str, text: str, names: tuple[str, str, str]
) -> None:
    graph, known = load_graph(write(tmp_path / name, text))
    assert known == names
    assert ends(graph) == [(0, 1), (1, 2)]


@pytest.mark.parametrize("name", ["crawl.sqlite", "crawl"])
def test_store_gives_its_links_and_urls(tmp_path: Path, name: str) -> None:
    site, seeds = random_site(4)
    crawl(site, tmp_path / name, seeds, pages=12)
    graph, known = load_graph(tmp_path / name)
    with open_store(tmp_path / name) as store:
        urls = list(store.page_table.urls())
        expected = {
            (urls[page], urls[to]) for page in range(len(urls)) for to in store.link_table.outlinks(page).tolist()
        }
    assert graph.size == len(urls) > 12
    assert known == tuple(urls)
    assert {(urls[a], urls[b]) for a, b in ends(graph)} == {(source, to) for source, to in expected if source != to}


# What cannot.

NO_CSR = "{path} is not an .npz file with indptr and indices of a CSR matrix; name another graph file"
WRONG = {
    "no ending": ("graph", "0 1\n", "{path} must end with one of {endings}, not ''"),
    "no file": ("a.txt", None, "there is no graph file '{path}'; name one that exists"),
    "one column": ("a.txt", "0 1\n# c\n\n2\n", "{path}:4: '2' is not a link; write source and target in two columns"),
    "no text": ("a.txt", b"\xff\xfe0\x001", "{path} is not UTF-8 text; name another graph file or convert this one"),
    "nothing": ("a.txt", "", "{path} has no links between pages; name another graph file"),
    "no npz": ("a.npz", "hello", NO_CSR),
    "pickle": ("a.npz", npz(indptr=np.array([{}]), indices=np.array([0])), NO_CSR),
    "other arrays": ("a.npz", npz(x=np.array([0])), NO_CSR),
    "fractions": ("a.npz", csr([0.0, 1.0], [0]), NO_CSR),
    "columns": ("a.npz", csr([0, 1], [0], format=np.array(b"csc")), NO_CSR),
    "short indices": (
        "a.npz",
        csr([0, 1, 3], [0, 1]),
        "indptr and indices of {path} do not fit together; name another graph file",
    ),
    "link out of npz": (
        "a.npz",
        csr([0, 1, 2], [1, 2]),
        "{path} has a link of page 2, but its pages are 0 to 1; name another graph file",
    ),
    "no store": (
        "a.db",
        "hello, I am no database",
        "{path} is damaged or not an SQLite file (file is not a database); name another graph file",
    ),
}
TEXT = (".txt", ".tsv")
ENDINGS = ", ".join([".npz", *TEXT, *(f"{ending}.gz" for ending in TEXT), ".db", ".sqlite"])


def refusal(path: Path) -> str:
    with pytest.raises(SettingError) as error:
        load_graph(path)
    return str(error.value)


@pytest.mark.parametrize(("name", "content", "message"), WRONG.values(), ids=WRONG)
def test_wrong_file_is_one_sentence(tmp_path: Path, name: str, content: bytes | str | None, message: str) -> None:
    path = tmp_path / name
    if content is not None:
        write(path, content)
    assert refusal(path) == message.format(path=path, endings=ENDINGS)


@pytest.mark.parametrize(("name", "damage"), [("a.txt.gz", "cut"), ("a.txt.gz", "bits"), ("a.tsv.gz", "plain")])
def test_damaged_gzip_is_one_sentence(tmp_path: Path, name: str, damage: str) -> None:
    raw = gzip.compress(np.random.default_rng(1).bytes(500).hex().encode())
    content = {"cut": raw[:-60], "bits": raw[:40] + b"\xff" * 40 + raw[80:], "plain": b"0 1\n"}[damage]
    (tmp_path / name).write_bytes(content)
    assert refusal(tmp_path / name) == (
        f"{tmp_path / name} is cut short or no gzip file; name another graph file or fetch this one again"
    )


def test_pickled_objects_are_never_loaded(tmp_path: Path) -> None:
    """An archive of objects could run code; so could a bare pickle under the name of an archive."""
    marker = tmp_path / "ran"

    class Bomb:
        def __reduce__(self) -> tuple[Callable[..., Any], tuple[str]]:
            return os.mkdir, (str(marker),)

    bombs = np.array([Bomb()], dtype=object)
    np.savez(tmp_path / "a.npz", indptr=bombs, indices=bombs)
    (tmp_path / "b.npz").write_bytes(bombs.dumps())
    for name in ("a.npz", "b.npz"):
        assert "is not an .npz file with indptr and indices" in refusal(tmp_path / name)
    assert not marker.exists()


@pytest.mark.parametrize(("text", "number"), [("a\nb\nc\n", 3), ("", 1)])
def test_names_that_do_not_fit_are_refused(tmp_path: Path, text: str, number: int) -> None:
    path = write(tmp_path / "a.npz", csr([0, 1, 2], [1, 0]))
    beside = write(tmp_path / "a.urls.txt", text)
    assert refusal(path) == f"{beside} has {number} lines for the 2 pages of {path}; write one a page"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            "UPDATE links SET targets = x'000000'",
            "{path} is damaged: its links cannot be read; name another graph file",
        ),
        ("DELETE FROM pages WHERE id = 2", "{path} is damaged: page numbers are missing; name another graph file"),
        ("DROP TABLE links", "{path} cannot be used: no such table: links"),
        ("DELETE FROM links", "{path} has no links between pages; name another graph file"),
    ],
)
def test_store_that_cannot_be_used_is_one_sentence(tmp_path: Path, damage: str, message: str) -> None:
    path = tmp_path / "crawl.db"
    site, seeds = random_site(4)
    crawl(site, path, seeds, pages=5)
    if "DROP" in damage:
        rows(path, "DROP VIEW ranks")
    rows(path, damage)
    assert refusal(path) == message.format(path=path, schema=SCHEMA_VERSION)


def test_keys_are_the_links_each_once() -> None:
    rng = np.random.default_rng(5)
    ends = rng.integers(0, 12, (2, 200))
    expected = sorted(set(zip(*ends.tolist(), strict=True)))
    keys = np.unique(keys_of(*ends))
    assert list(zip(sources_of(keys).tolist(), targets_of(keys).tolist(), strict=True)) == expected
    sources, targets = np.array(expected).T
    graph, same = graph_of_keys(keys, 15), Graph.from_edges(sources, targets, 15)
    assert (graph.indptr.tolist(), graph.targets.tolist()) == (same.indptr.tolist(), same.targets.tolist())


def test_keys_hold_the_largest_page_number() -> None:
    largest = 2**31 - 1
    keys = np.unique(keys_of(np.array([largest, 0, largest]), np.array([0, largest, largest])))
    assert sources_of(keys).tolist() == [0, largest, largest]
    assert targets_of(keys).tolist() == [largest, 0, largest]


def test_no_keys_make_a_graph_without_links() -> None:
    graph = graph_of_keys(np.unique(np.zeros(0, dtype=np.int64)), 3)
    assert (graph.indptr.tolist(), graph.targets.tolist()) == ([0, 0, 0, 0], [])
