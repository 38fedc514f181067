"""The experiments by name, on webs drawn from a seed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from minicrawl.errors import SettingError
from minicrawl.experiment import Result
from minicrawl.lab import convergence, discovery, windows
from minicrawl.lab.webs import MODELS, generate
from minicrawl.rank import Graph

_FEWEST_NODES = 2000
"""On fewer pages the most important tenth is a handful, and figures are meaningless."""


@dataclass(frozen=True)
class Setup:
    """The webs of an experiment: `graphs` webs of `nodes` pages each, drawn by `model` from `seed` and those after it.

    Raises SettingError.
    """

    nodes: int = 100_000
    seed: int = 0
    graphs: int = 3
    model: str = "power-law"

    def __post_init__(self) -> None:
        if self.nodes < _FEWEST_NODES:
            raise SettingError(f"--nodes must be at least {_FEWEST_NODES}, not {self.nodes}")
        if self.graphs < 1:
            raise SettingError(f"--graphs must be at least 1, not {self.graphs}")
        if self.model not in MODELS:
            raise SettingError(f"--model is one of {', '.join(MODELS)}, not {self.model!r}")

    def quick(self) -> "Setup":
        """A tenth of the pages, one web."""
        return Setup(max(_FEWEST_NODES, self.nodes // 10), self.seed, 1, self.model)

    def draw(self) -> list[Graph]:
        seeds = range(self.seed, self.seed + self.graphs)
        return [generate(self.model, self.nodes, np.random.default_rng(seed)) for seed in seeds]


def _on_graphs(experiment: Callable[[Sequence[Graph], int], Result]) -> Callable[[Setup], Result]:
    return lambda setup: experiment(setup.draw(), setup.seed)


FIGURES: dict[str, Callable[[Setup], Result]] = {
    "2": _on_graphs(convergence.figure_2),
    "3": _on_graphs(convergence.figure_3),
    "4": _on_graphs(windows.figure_4),
    "5": _on_graphs(windows.figure_5),
    "6": _on_graphs(windows.figure_6),
    "discovery": lambda setup: discovery.experiment(setup.nodes, setup.seed),
    "settle": _on_graphs(convergence.settling_figure),
}
