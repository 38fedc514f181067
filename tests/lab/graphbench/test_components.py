"""Components that follow a graph as it grows are held to scipy after every single insertion."""

from minicrawl.lab.graphbench.components import Closure, Merged, exact_components
from minicrawl.lab.graphbench.sequences import Insertions


def test_components_are_right_after_every_insertion(sequence: Insertions) -> None:
    closure, merged = Closure(sequence.size), Merged(sequence.size)
    for count in range(len(sequence.links)):
        exact = exact_components(sequence.graph(count + 1)).tolist()
        closure.insert(sequence.links[count : count + 1])
        merged.insert(*sequence.links[count : count + 1].T)
        assert closure.lowest.tolist() == merged.lowest().tolist() == exact
        assert closure.mergers == sequence.size - len(set(exact)) == sequence.size - merged.count
