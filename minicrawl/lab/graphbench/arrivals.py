"""Strong components of a web while pages arrive with their links, in the order of a crawl."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from minicrawl.lab.compiled import crawl
from minicrawl.lab.graphbench.components import IntArray, Merged
from minicrawl.lab.graphbench.measuring import cpu_seconds, growing_steps
from minicrawl.rank import Graph
from minicrawl.rank.components import strong_components
from minicrawl.rank.distances import links_of

_SEEDS = 10
_STEADY = 4096
Course = tuple[list[int], list[float]]
"""Pages read, and CPU seconds so far, at every look."""


def crawl_order(web: Graph, rng: np.random.Generator) -> IntArray:
    """The pages in the order of a crawl by cash that starts at some pages of the core."""
    core = strong_components(web).largest()
    seeds = rng.choice(core, min(_SEEDS, len(core)), replace=False).astype(np.int32)
    _, log = crawl(web, seeds, web.size)
    return log.pages.astype(np.int64)


def arrivals(web: Graph, order: IntArray, first_look: int) -> dict[str, Course]:
    """Strong components while pages arrive with their links.

    Anew and by merging, each at the first look and whenever the pages read have grown by a half since, and every 4096
    pages.
    """
    looks = growing_steps(len(order), first_look)
    steady = [*range(_STEADY, len(order), _STEADY), len(order)]

    def anew(_: int, stop: int) -> float:
        graph = _read(web, order[:stop])
        return cpu_seconds(lambda: strong_components(graph))

    def by_merging(merged: Merged) -> Callable[[int, int], float]:
        def look(start: int, stop: int) -> float:
            pages = order[start:stop]
            sources, targets = np.repeat(pages, web.outdegrees()[pages]), links_of(web, pages)
            return cpu_seconds(lambda: merged.insert(sources, targets))

        return look

    courses: dict[str, Course] = {}
    for name, steps, look in (
        ("schedule", looks, anew),
        ("merging", looks, by_merging(Merged(web.size))),
        (f"merging, every {_STEADY} pages", steady, by_merging(Merged(web.size))),
        (f"anew, every {_STEADY} pages", steady, anew),
    ):
        seconds = np.cumsum([look(start, stop) for start, stop in pairwise([0, *steps])])
        courses[name] = steps, seconds.tolist()
    return courses


def _read(web: Graph, pages: IntArray) -> Graph:
    """The graph of the links of some pages."""
    outdegrees = np.zeros(web.size + 1, dtype=np.int64)
    outdegrees[pages + 1] = web.outdegrees()[pages]
    return Graph(np.cumsum(outdegrees), links_of(web, np.sort(pages)))
