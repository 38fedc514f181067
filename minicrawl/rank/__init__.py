"""Link analysis of a finished graph. Pure: arrays in, arrays out; no I/O, no clock, no randomness.

graph      the links, as CSR              pagerank   how often a walker who sometimes jumps is at each page
"""

from minicrawl.rank.graph import Graph
from minicrawl.rank.pagerank import pagerank

__all__ = ["Graph", "pagerank"]
