"""The algorithm: Adaptive OPIC and the exact ledger beside it. Pure: no I/O, no clock, no randomness of its own.

Pages are integers 0..n-1, time is cash spent, links are arrays of page numbers. The live crawl and the
lab run this very code.

    >>> web, ledger = {0: [1], 1: [0, 2], 2: [0]}, Ledger()
    >>> ledger.discover(len(web))
    range(0, 3)
    >>> for page, links in web.items():
    ...     ledger.visit(page, links)
    >>> for page, links in [*web.items()] * 50:
    ...     ledger.visit(page, links, old=links)
    >>> ledger.importance().round(3)
    array([0.397, 0.388, 0.215])

surfer     weights of links, by their place on the page
cash_book  cash steers: the paper's book       ledger    the ledger measures: importance, exact in the limit
window     weight of the past                  strategy  choice of the next page
refresh    revisit times, and the share of fetches for revisits
coverage   lower bound on the importance collected
sites      jumps of walkers: to all pages alike, or to sites by their trust, and there to doors
units      cash passed along links, in units   ledger_columns  the ledger's columns per page
arrays     arrays per page, and how they grow

Source: S. Abiteboul, M. Preda, G. Cobena, "Adaptive On-Line Page Importance Computation", WWW 2003.
"""

from minicrawl.opic.cash_book import GRANT, SEED_GRANTS, TOTAL, Adaptive, PayOut, Visit
from minicrawl.opic.coverage import Coverage
from minicrawl.opic.ledger import UNIT, Ledger
from minicrawl.opic.refresh import DiscoveryBudget
from minicrawl.opic.strategy import STRATEGIES, PageQueue, Strategy
from minicrawl.opic.window import Basic, Interpolation, Window

__all__ = [
    "GRANT",
    "SEED_GRANTS",
    "STRATEGIES",
    "TOTAL",
    "UNIT",
    "Adaptive",
    "Basic",
    "Coverage",
    "DiscoveryBudget",
    "Interpolation",
    "Ledger",
    "PageQueue",
    "PayOut",
    "Strategy",
    "Visit",
    "Window",
]
