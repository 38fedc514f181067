"""The experiments of Abiteboul, Preda, Cobena by name, on webs drawn from a seed or on one that is given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from minicrawl.errors import SettingError
from minicrawl.experiment import Result
from minicrawl.lab import convergence, discovery, matrices, refresh, windows
from minicrawl.lab.webs import MODELS, small_sites
from minicrawl.rank import Graph, pagerank

_FEWEST_NODES = 2000
"""On fewer pages the most important tenth is a handful, and figures are meaningless."""
_REFRESHED = 20
"""Schedules of refreshes are tried on a twentieth of the pages."""
_SITES = 50
"""Other matrices are tried on small sites, one for so many pages of the other webs."""


@dataclass(frozen=True)
class Setup:
    """The webs of an experiment: `graphs` webs of `nodes` pages each, drawn by `model` from `seed` and those after it.

    given: a graph instead, and the site of each of its pages, shape (pages,), None: unknown.
    """

    nodes: int = 100_000
    seed: int = 0
    graphs: int = 3
    model: str = "power-law"
    given: tuple[Graph, npt.NDArray[np.int64] | None] | None = None

    def quick(self) -> "Setup":
        """A tenth of the pages, one web."""
        return Setup(max(_FEWEST_NODES, self.nodes // 10), self.seed, 1, self.model, self.given)

    def draw(self) -> list[Graph]:
        if self.given is not None:
            return [self.given[0]]
        seeds = range(self.seed, self.seed + self.graphs)
        return [MODELS[self.model](self.nodes, np.random.default_rng(seed)) for seed in seeds]


def _on_graphs(experiment: Callable[[Sequence[Graph], int], Result]) -> Callable[[Setup], Result]:
    return lambda setup: experiment(setup.draw(), setup.seed)


def _discovery(setup: Setup) -> Result:
    if setup.given is not None:
        raise SettingError("the discovery experiment draws its webs, because they change; leave --graph out")
    return discovery.experiment(setup.nodes, setup.seed)


def _refresh(setup: Setup) -> Result:
    importance = None if setup.given is None else pagerank(setup.given[0])
    return refresh.experiment(setup.nodes // _REFRESHED, setup.graphs, setup.seed, importance)


def _matrices(setup: Setup) -> Result:
    return matrices.experiment(*(setup.given or small_sites(setup.nodes // _SITES, np.random.default_rng(setup.seed))))


OPIC: dict[str, Callable[[Setup], Result]] = {
    "2": _on_graphs(convergence.figure_2),
    "3": _on_graphs(convergence.figure_3),
    "4": _on_graphs(windows.figure_4),
    "5": _on_graphs(windows.figure_5),
    "6": _on_graphs(windows.figure_6),
    "convergence": _on_graphs(convergence.on_graph),
    "discovery": _discovery,
    "matrices": _matrices,
    "refresh": _refresh,
}
