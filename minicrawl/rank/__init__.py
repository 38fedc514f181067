"""Link analysis of a finished graph. Pure: arrays in, arrays out; no I/O, no clock, no randomness.

    >>> pagerank(Graph.from_links({0: [1], 1: [0, 2], 2: [0]})).round(3)
    array([0.397, 0.388, 0.215])

graph      the links, as CSR, also between hosts or domains
pagerank   time that a random surfer spends at each page, also without pages that lead nowhere
compare    two rankings                   hits       hubs and authorities, which reinforce each other
mirrors    hosts with the same pages
seeds      cores of hubs and authorities: starting points for the next crawl
sweeping   PageRank page by page          trust      PageRank from chosen pages: trusted ones, topics
blocks     PageRank in little memory
graph_stats  components, degrees and distances of a graph, all in one
distances  searches, all pairs counted or estimated
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING or find_spec("scipy") is not None:
    from minicrawl.rank.compare import Errors, kendall_tau, l1, mean_error, overlap
    from minicrawl.rank.graph import Graph
    from minicrawl.rank.graph_stats import graph_stats
    from minicrawl.rank.hits import hits
    from minicrawl.rank.pagerank import pagerank, settled_pagerank
    from minicrawl.rank.seeds import Core, extract_seeds
else:

    def __getattr__(name: str) -> object:
        import_module("scipy")  # raises: that is what is missing
        raise AttributeError(name)


__all__ = [
    "Core",
    "Errors",
    "Graph",
    "extract_seeds",
    "graph_stats",
    "hits",
    "kendall_tau",
    "l1",
    "mean_error",
    "overlap",
    "pagerank",
    "settled_pagerank",
]
