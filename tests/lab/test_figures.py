"""What the experiments run on."""

import pytest

from minicrawl.cli.lab import OPIC_NAMES, SEEDS_NAMES, SPAWC_NAMES
from minicrawl.errors import SettingError
from minicrawl.lab import seeds
from minicrawl.lab.figures import OPIC, Setup
from minicrawl.lab.graphbench import figures as graphbench
from minicrawl.rank import Graph


def test_quick_setup_is_one_web_of_a_tenth_of_the_pages() -> None:
    assert Setup(nodes=100_000, seed=3).quick() == Setup(nodes=10_000, seed=3, graphs=1)
    assert Setup(nodes=3000).quick().nodes == 2000


def test_webs_are_drawn_from_seeds_one_after_the_other() -> None:
    first, second = Setup(nodes=2000, seed=5, graphs=2).draw()
    (again,) = Setup(nodes=2000, seed=6, graphs=1).draw()
    assert second.targets.tolist() == again.targets.tolist()
    assert first.targets.tolist() != again.targets.tolist()


def test_experiments_have_the_names_of_the_commands() -> None:
    assert tuple(OPIC) == OPIC_NAMES
    assert tuple(seeds.FIGURES) == SEEDS_NAMES
    assert tuple(graphbench.FIGURES) == SPAWC_NAMES


def test_a_graph_that_is_given_is_the_only_one() -> None:
    graph = Graph.from_links([[1], [0]])
    setup = Setup(given=(graph, None))
    assert setup.draw() == setup.quick().draw() == [graph]
    with pytest.raises(SettingError, match="leave --graph out"):
        OPIC["discovery"](setup)
