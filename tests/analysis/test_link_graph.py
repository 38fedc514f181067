"""The links of a store, aliases folded into the pages they stand for."""

import numpy as np
import pytest

from minicrawl.analysis.link_graph import folded_graph
from minicrawl.store.links import LinkGraph


@pytest.mark.parametrize("length", [1, 2, 7])
def test_circle_of_aliases_stands_for_nothing(length: int) -> None:
    """However the jumps along it are doubled, none ends at a page of its own."""
    pages = np.arange(length)
    circle = LinkGraph(pages, np.arange(length + 1), np.roll(pages, 1).astype(np.int32), length)
    with pytest.raises(ValueError, match="stand for each other"):
        folded_graph(circle, np.array(["alias"] * length), np.ones(length))
