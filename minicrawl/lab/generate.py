"""Webs drawn from a seed, after section 6 of Abiteboul, Preda, Cobena: Adaptive On-Line Page Importance
Computation (WWW 2003).

A page's in-degree is drawn from a law; then every link's source is drawn. On the way links are keys (`graphs.keys`).
Ten million pages (52 million links) need about 780 MB: one array of keys, worked on in place.
"""

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError
from minicrawl.graphs.keys import distinct, graph_of_keys, keys_of
from minicrawl.rank import Graph

IN_EXPONENT = 2.1
OUT_EXPONENT = 2.72
OUTDEGREES = ("uniform", "power-law", "correlated")
FEWEST_NODES = 10  # The largest in-degree is a tenth of the pages.
MOST_NODES = 2**31 - 1  # Page numbers are int32.

Law = Callable[[int, np.random.Generator], npt.NDArray[np.int32]]
"""Draws that many whole numbers >= 0."""

_Draw = Callable[[int], npt.NDArray[np.integer]]
_PAGES = 1 << 17  # whose inlinks are about a million keys


def generate(model: str, nodes: int, rng: np.random.Generator) -> Graph:
    """A web of `nodes` pages, `model` one of MODELS. Raises SettingError."""
    if model not in MODELS:
        raise SettingError(f"the model is one of {', '.join(MODELS)}, not {model!r}")
    return MODELS[model](nodes, rng)


def power_law(nodes: int, rng: np.random.Generator, outdegrees: str = "uniform") -> Graph:
    """A web in which P(in-degree = n) is proportional to n**-2.1, for n from 1 to nodes / 10.

    outdegrees: who the source of a link is. "uniform": any page, so that out-degrees are Poisson.
    "power-law": pages by a weight w with P(w) proportional to w**-2.72, so that out-degrees have that tail.
    "correlated": pages by their own in-degree. Links drawn twice or from a page to itself are dropped.
    Raises SettingError for another `outdegrees` or nodes outside 10 to 2**31 - 1.
    """
    _check_nodes(nodes)
    if outdegrees not in OUTDEGREES:
        raise SettingError(f"outdegrees is one of {', '.join(OUTDEGREES)}, not {outdegrees!r}")
    return _graph(_power_law_keys(nodes, rng, outdegrees), nodes)


def poisson(nodes: int, rng: np.random.Generator, mean: float = 4.0) -> Graph:
    """A web with Poisson in-degrees and uniform sources; links drawn twice or to oneself are dropped.

    Raises SettingError for nodes outside 10 to 2**31 - 1 or a mean that is not above 0 and below `nodes`.
    """
    _check_nodes(nodes)
    if not 0 < mean < nodes:
        raise SettingError(f"mean must be above 0 and below the {nodes} pages, not {mean}")
    return _graph(_poisson_keys(nodes, rng, mean), nodes)


MODELS: Final[dict[str, Callable[[int, np.random.Generator], Graph]]] = {
    "power-law": power_law,
    "power-law-out": partial(power_law, outdegrees="power-law"),
    "correlated": partial(power_law, outdegrees="correlated"),
    "poisson": poisson,
}
"""Every model by the name it has on a command line."""


def power_law_numbers(exponent: float, largest: int) -> Law:
    """The law P(n) = n**-exponent / (sum of k**-exponent), n from 1 to `largest`."""
    table = np.cumsum(np.arange(1, largest + 1, dtype=np.float64) ** -exponent)
    table /= table[-1]

    def draw(count: int, rng: np.random.Generator) -> npt.NDArray[np.int32]:
        return (np.searchsorted(table, rng.random(count), side="right") + 1).astype(np.int32)

    return draw


def _check_nodes(nodes: int) -> None:
    if not FEWEST_NODES <= nodes <= MOST_NODES:
        raise SettingError(f"nodes must be from {FEWEST_NODES} to {MOST_NODES}, not {nodes}")


def _graph(keys: npt.NDArray[np.int64], size: int) -> Graph:
    return graph_of_keys(distinct(keys), size)


# The keys are drawn in functions of their own, so that in-degrees and urns are gone before the graph is built.


def _power_law_keys(nodes: int, rng: np.random.Generator, outdegrees: str) -> npt.NDArray[np.int64]:
    indegree = power_law_numbers(IN_EXPONENT, nodes // 10)(nodes, rng)
    if outdegrees == "uniform":
        return _drawn_keys(indegree, _uniform(nodes, rng))
    if outdegrees == "correlated":
        return _drawn_keys(indegree, _weighted(indegree, rng))
    return _drawn_keys(indegree, _weighted(power_law_numbers(OUT_EXPONENT, nodes // 10)(nodes, rng), rng))


def _poisson_keys(nodes: int, rng: np.random.Generator, mean: float) -> npt.NDArray[np.int64]:
    return _drawn_keys(rng.poisson(mean, nodes).astype(np.int32), _uniform(nodes, rng))


def _uniform(nodes: int, rng: np.random.Generator) -> _Draw:
    return lambda count: rng.integers(0, nodes, count)


def _weighted(weight: npt.NDArray[np.int32], rng: np.random.Generator) -> _Draw:
    # Page i stands in the urn weight[i] times: one look-up a draw, where a search of cumulated weights takes 25.
    urn = np.repeat(np.arange(len(weight), dtype=np.int32), weight)
    return lambda count: urn[rng.integers(0, len(urn), count)]


def _drawn_keys(indegree: npt.NDArray[np.int32], draw: _Draw) -> npt.NDArray[np.int64]:
    """Keys in no order, with repeats, of links to page i from indegree[i] drawn sources, none of them i."""
    keys = np.empty(int(indegree.sum()), dtype=np.int64)
    kept = 0
    for first in range(0, len(indegree), _PAGES):
        some = indegree[first : first + _PAGES]
        targets = np.repeat(np.arange(first, first + len(some)), some)
        sources = draw(len(targets))
        drawn = keys_of(sources, targets)[sources != targets]
        keys[kept : kept + len(drawn)] = drawn
        kept += len(drawn)
    return keys[:kept]
