"""PageRank by blocks: the same vector as in one piece, in the memory that the plan says."""

import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from support.link_webs import heavy_graph

from minicrawl.errors import StoreError
from minicrawl.rank import Graph, pagerank
from minicrawl.rank.blocks import Arrays, LinkRows, block_pagerank, plan_blocks, split
from minicrawl.store.spill import Spill


class MemoryShelf:
    """As `minicrawl.store.spill.Spill`, without a file."""

    def __init__(self) -> None:
        self.groups: dict[int, list[Arrays]] = defaultdict(list)
        self.columns: dict[int, Any] = {}

    def append(self, block: int, arrays: Arrays) -> None:
        self.groups[block].append(arrays)

    def read(self, block: int) -> Iterator[Arrays]:
        return iter(self.groups[block])

    def put(self, block: int, array: Any) -> None:
        self.columns[block] = array

    def get(self, block: int) -> Any:
        return self.columns[block]


def rows_of(graph: Graph, each: int, weights: npt.NDArray[np.float64] | None = None) -> Iterator[LinkRows]:
    """The rows of a graph, `each` at a time; of pages without links, too."""
    for first in range(0, graph.size, each):
        sources = np.arange(first, min(first + each, graph.size))
        links = slice(graph.indptr[first], graph.indptr[sources[-1] + 1])
        some = None if weights is None else weights[links]
        yield LinkRows(sources, graph.outdegrees()[sources], graph.targets[links], some)


@pytest.mark.parametrize("memory", [200, 500, 1_250, 10**6])
@pytest.mark.parametrize("each", [7, 75])
def test_ranks_are_those_in_one_piece(memory: int, each: int) -> None:
    graph = heavy_graph(1, 75)
    plan = plan_blocks(75, memory)
    for damping in (0.0, 0.85) if memory > 200 else (0.3,):
        ranks = np.concatenate(list(block_pagerank(rows_of(graph, each), plan, MemoryShelf(), damping)[0]))
        assert np.abs(ranks - pagerank(graph, damping)).sum() <= 2e-12


@pytest.mark.parametrize("seed", range(3))
def test_weights_and_preference_count(seed: int) -> None:
    graph, rng = heavy_graph(seed, 300), np.random.default_rng(seed)
    weights = rng.random(len(graph.targets)) * (rng.random(len(graph.targets)) > 0.3)
    preference = rng.random(300) * (rng.random(300) > 0.7)
    plan = plan_blocks(300, 6_000)
    ranks = np.concatenate(
        list(block_pagerank(rows_of(graph, 50, weights), plan, MemoryShelf(), preference=preference)[0])
    )
    assert np.abs(ranks - pagerank(graph, preference=preference, weights=weights)).sum() <= 2e-12


def test_tolerance_below_rounding_ends() -> None:
    graph = heavy_graph(2, 300)
    ranks = np.concatenate(
        list(block_pagerank(rows_of(graph, 50), plan_blocks(300, 20_000), MemoryShelf(), tolerance=1e-300)[0])
    )
    assert ranks == pytest.approx(pagerank(graph), abs=1e-13)


def test_graph_without_pages_has_no_blocks_of_ranks() -> None:
    assert list(block_pagerank([], plan_blocks(0, 1_000), MemoryShelf())[0]) == []


@pytest.mark.parametrize("size", [1, 10, 1_000, 10**9])
@pytest.mark.parametrize("memory", [200, 12_345, 10**8])
def test_plan_stays_below_the_cap_and_covers_every_page(size: int, memory: int) -> None:
    plan = plan_blocks(size, memory)
    assert plan.bytes <= memory
    assert plan.links >= 1
    assert plan.pages(0).start == 0
    assert plan.pages(plan.blocks - 1).stop == size
    assert all(plan.pages(k).stop == plan.pages(k + 1).start for k in range(min(plan.blocks - 1, 100)))


@pytest.mark.parametrize("each", [1, 40])
def test_pieces_are_the_links_each_once_from_one_block_to_one(each: int) -> None:
    graph = heavy_graph(3, 300)
    plan = plan_blocks(300, 4_000)
    found: list[Any] = []
    for some in rows_of(graph, each):
        for block, (sources, shares, indptr, targets) in split(some, plan):
            assert len(targets) <= plan.links
            assert len(set((sources // plan.width).tolist())) == 1
            assert shares.tolist() == (1 / graph.outdegrees()[sources]).tolist()
            found += zip(np.repeat(sources, np.diff(indptr)), targets + plan.pages(block).start, strict=True)
    assert sorted(found) == sorted(zip(np.repeat(np.arange(300), graph.outdegrees()), graph.targets, strict=True))


def test_memory_is_what_the_plan_says(tmp_path: Path) -> None:
    """Of a table of 800 kB: the cap is a fifth of it; a little more is what the interpreter takes for itself."""
    rng = np.random.default_rng(0)
    size, links = 10_000, 200_000
    graph = Graph.from_edges(rng.integers(0, size, links), (size * rng.random(links) ** 2).astype(int), size)
    cap = 4 * links // 5
    plan = plan_blocks(size, cap)
    with Spill(tmp_path) as spill:
        # What is imported, or cached, by the first call.
        list(block_pagerank(rows_of(heavy_graph(1, 300), 50), plan_blocks(300, 10**5), MemoryShelf(), tolerance=0.1)[0])
        peaks = list[int]()
        for _ in range(3):  # what else this process does only adds to it
            tracemalloc.start()
            blocks = list(block_pagerank(rows_of(graph, 50), plan, spill, damping=0.1, tolerance=0.5)[0])
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
            assert len(blocks) == plan.blocks > 2
    assert min(peaks) <= cap + 8 * size + 50_000


def test_spill_gives_back_what_it_was_given(tmp_path: Path) -> None:
    groups = [(np.arange(3, dtype=np.int32), np.zeros(0)), (np.array([0.5]),), ()]
    with Spill(tmp_path) as spill:
        assert list(spill.read(7)) == []
        for group in groups:
            spill.append(7, group)
        for read, group in zip(spill.read(7), groups, strict=True):
            assert [(a.dtype, a.tolist()) for a in read] == [(a.dtype, a.tolist()) for a in group]
        spill.put(7, np.array([1.0]))
        spill.put(7, np.array([2.0, 3.0]))
        assert spill.get(7).tolist() == [2.0, 3.0]
    assert not list(tmp_path.iterdir())


def test_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"temporary files in .*absent cannot be used: No such file"):
        Spill(tmp_path / "absent")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plan_blocks(10, 191), "memory must be at least 192 bytes, not 191"),
        (lambda: plan_blocks(-1, 10**6), "size must be at least 0, not -1"),
        (lambda: of_rows([0], [1], [2]), "the pages of a graph of size 2 are 0 to 1; a link leaves it"),
        (lambda: of_rows([0], [2], [1]), "as many targets as the outdegrees say"),
        (lambda: of_rows([1, 0], [1, 1], [0, 1]), "rows must have rising sources"),
        (lambda: of_rows([0], [1], [1], [-1.0]), "weights must be 1 numbers, one per link, none negative"),
        (lambda: of_rows([0], [1], [1], damping=1.0), "damping must be at least 0 and below 1, not 1.0"),
        (lambda: of_rows([0], [1], [1], preference=np.zeros(2)), "preference must be 2 numbers"),
    ],
)
def test_what_cannot_be_meant_is_refused(call: Callable[..., Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def of_rows(
    sources: list[int], outdegrees: list[int], targets: list[int], weights: list[float] | None = None, **options: Any
) -> tuple[Iterator[npt.NDArray[np.float64]], int, float]:
    links = np.array(sources), np.array(outdegrees), np.array(targets)
    rows = LinkRows(*links, None if weights is None else np.array(weights))
    return block_pagerank([rows], plan_blocks(2, 1_000), MemoryShelf(), **options)


def test_stopped_early_the_ranks_are_within_what_is_said() -> None:
    graph, plan = heavy_graph(4, 300), plan_blocks(300, 8_000)
    exact = pagerank(graph)
    for rounds in (1, 3, 10):
        blocks, taken, error = block_pagerank(rows_of(graph, 50), plan, MemoryShelf(), most_rounds=rounds)
        assert taken == rounds
        assert np.abs(np.concatenate(list(blocks)) - exact).sum() <= error
    _, taken, error = block_pagerank(rows_of(graph, 50), plan, MemoryShelf())
    assert (error <= 1e-12, taken < 300) == (True, True)


def test_pieces_of_a_block_are_joined_before_they_are_put_on_the_shelf() -> None:
    """Rows that come in one by one make no more pieces than those that come all together, and no larger ones."""
    graph, plan, one_by_one, together = heavy_graph(6, 300), plan_blocks(300, 12_000), MemoryShelf(), MemoryShelf()
    found = [block_pagerank(rows_of(graph, each), plan, shelf) for each, shelf in ((1, one_by_one), (300, together))]
    first, second = (np.concatenate(list(blocks)) for blocks, _, _ in found)
    assert np.abs(first - second).sum() <= 2e-12
    sizes = [len(arrays[3]) for groups in one_by_one.groups.values() for arrays in groups]
    assert sum(sizes) == len(graph.targets)
    assert max(sizes) <= plan.links
    assert len(sizes) <= 1.5 * sum(map(len, together.groups.values())) < graph.size / 2
