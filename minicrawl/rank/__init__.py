"""Link analysis of a finished graph. Pure: arrays in, arrays out; no I/O, no clock, no randomness.

graph      the links, as CSR              pagerank   how often a walker who sometimes jumps is at each page
compare    two rankings of the same pages
"""

from minicrawl.rank.compare import Errors, kendall_tau, l1, mean_error, overlap
from minicrawl.rank.graph import Graph
from minicrawl.rank.pagerank import pagerank

__all__ = ["Errors", "Graph", "kendall_tau", "l1", "mean_error", "overlap", "pagerank"]
