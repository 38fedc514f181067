"""The algorithm: Adaptive OPIC. Pure: no I/O, no clock, no randomness of its own.

Pages are integers 0..n-1, time is cash spent, links are arrays of page numbers. The live crawl and the
lab run this very code.

    >>> web, book = {0: [1], 1: [0, 2], 2: [0]}, Book()
    >>> book.discover(len(web))
    range(0, 3)
    >>> for page, links in web.items():
    ...     book.visit(page, links)
    >>> for page, links in [*web.items()] * 50:
    ...     book.visit(page, links, old=links)
    >>> book.importance().round(3)
    array([0.397, 0.388, 0.215])

book       cash, history and importance of every page: the paper's algorithm, made exact
adaptive   the same as the paper prints it, for the lab
strategy   choice of the next page
surfer     weights of links, by their place on the page
refresh    revisit times, and the share of fetches for revisits
coverage   lower bound on the importance collected
sites      jumps of walkers: to all pages alike, or to sites by their trust and to pages that others name
units      cash passed along links, in units, and the weight of the past
arrays     arrays per page, and how they grow

Source: S. Abiteboul, M. Preda, G. Cobena, "Adaptive On-Line Page Importance Computation", WWW 2003.
"""

from minicrawl.opic.adaptive import Adaptive
from minicrawl.opic.book import UNIT, Book
from minicrawl.opic.coverage import Coverage
from minicrawl.opic.refresh import DiscoveryBudget
from minicrawl.opic.strategy import STRATEGIES, PageQueue, Strategy

__all__ = ["STRATEGIES", "UNIT", "Adaptive", "Book", "Coverage", "DiscoveryBudget", "PageQueue", "Strategy"]
