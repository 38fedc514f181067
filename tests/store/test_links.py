"""Outlinks as bytes and back, and graphs of them."""

import numpy as np

from minicrawl.store.links import from_bytes, to_bytes, to_graph


def targets(*pages: int) -> bytes:
    return to_bytes(np.array(pages, dtype=np.int32))


def test_links_are_four_bytes_each_little_endian_in_their_order() -> None:
    assert targets(1, 258) == b"\1\0\0\0\2\1\0\0"
    assert from_bytes(targets(7, 3, 2**31 - 1)).tolist() == [7, 3, 2**31 - 1]
    assert from_bytes(b"").tolist() == []


def test_graph_of_rows() -> None:
    graph = to_graph([(0, targets(1, 2)), (3, b""), (5, targets(0))], 7)
    assert (graph.sources.tolist(), graph.indptr.tolist(), graph.targets.tolist()) == (
        [0, 3, 5],
        [0, 2, 2, 3],
        [1, 2, 0],
    )
    assert graph.size == 7
    none = to_graph([], 0)
    assert (none.indptr.tolist(), none.targets.tolist()) == ([0], [])


def test_some_rows_of_a_graph() -> None:
    some = to_graph([(0, targets(1, 2)), (3, b""), (5, targets(0, 4))], 7).rows(np.array([0, 2]))
    assert (some.sources.tolist(), some.indptr.tolist(), some.targets.tolist()) == ([0, 5], [0, 2, 4], [1, 2, 0, 4])
