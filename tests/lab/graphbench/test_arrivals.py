"""Components of a web are found at every look while its pages arrive."""

import numpy as np

from minicrawl.lab.graphbench.arrivals import arrivals
from minicrawl.rank import Graph


def test_looks_end_with_the_whole_web() -> None:
    web = Graph.from_links([[1, 2], [2, 3], [0], [4], [5, 3], [0, 6], []])
    courses = arrivals(web, np.arange(web.size), first_look=3)
    assert courses["schedule"][0] == courses["merging"][0] == [3, 5, 7]
    for looks, seconds in courses.values():
        assert looks[-1] == web.size
        assert seconds == sorted(seconds)
