"""The algorithm: Adaptive OPIC and the exact ledger beside it. Pure: no I/O, no clock, no randomness of its own.

Pages are integers 0..n-1, time is cash spent, links are arrays of page numbers. The live crawl and the
lab run this very code.

surfer     which links a walker takes, by the places where they stand
cash_book  cash steers: the paper's book       ledger    the ledger measures: importance, exact in the limit
window     how much of the past counts         strategy  which page next
refresh    when to fetch a page again, and how many fetches go to that
coverage   how much of all importance is certainly collected
anticipated  what a waiting page can be expected to get
expected   what importance will be when all known pages were visited: without SciPy, which a crawl does without
sites      where walkers jump to: all pages alike, or sites by their trust, and there doors
units      what a page passes along its links  ledger_columns  what the ledger keeps of every page
arrays     of pages, and how they grow

Source: S. Abiteboul, M. Preda, G. Cobena, "Adaptive On-Line Page Importance Computation", WWW 2003.
"""

from minicrawl.opic.cash_book import GRANT, SEED_GRANTS, TOTAL, Adaptive, PayOut, Visit
from minicrawl.opic.coverage import Coverage
from minicrawl.opic.ledger import UNIT, Ledger
from minicrawl.opic.refresh import DiscoveryBudget, DiscoveryByCash, DiscoveryRule
from minicrawl.opic.strategy import STRATEGIES, PageQueue, Strategy, seed_grant
from minicrawl.opic.window import Basic, Fixed, ImprovedFixed, Interpolation, Variable, Window

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
    "DiscoveryByCash",
    "DiscoveryRule",
    "Fixed",
    "ImprovedFixed",
    "Interpolation",
    "Ledger",
    "PageQueue",
    "PayOut",
    "Strategy",
    "Variable",
    "Visit",
    "Window",
    "seed_grant",
]
