"""The cash that a waiting page has, and the cash that it can be expected to get.

What waits on a host will reach its pages in the shares in which what was spent there has. What other sites have sent a
page they will send again.

    key = cash + rate_h y + ACROSS x,                                          y = cash - grant - x
    rate_h = (C_h / S_h) (R_h / (R_h + UNSEEN)) min(1, TRUST F_h / S_h)

y, x  cash that links have brought the page: of pages of its own site, and of other sites
C_h   cash that waits at never visited pages of its host h
S_h   cash that visits to pages of the host have spent
R_h   visited pages of the host
F_h   cash that pages of other sites, and grants to seeds, have brought pages of the host

The last factor is trust: a host's own links count for as much as cash from elsewhere has been spent there. Pages that
only send round and round what they were granted at birth lift each other little.

The pages of one host wait in order by their cash alone. The key tells whose turn it is among the hosts, each of which
stands there with its first page. So no page moves while links come but those that get cash, and their hosts.

Cash, the grant at birth, conservation and importance stay as they are. All terms count cash and not links, so pages
without any cannot push a page by linking to it.
"""

from minicrawl.opic.cash_book import GRANT

UNSEEN = 2
"""Visits that sent a page nothing which every host is taken to have had: the first ones say little of the others."""
TRUST = 5
"""A fifth of what a host has spent is to come from elsewhere for its links to count fully."""
ACROSS = 2
"""How much of what other sites have sent so far they are expected to send still."""
_MOST = 2.0**60


def rate(waiting: int, spent: int, brought: int, visited: int) -> float:
    """How much of what pages of a host have had of its own links they are expected to get still.

    waiting: C_h; spent: S_h; brought: F_h; visited: R_h.
    """
    if spent <= 0:
        return 0.0
    trust = min(1.0, float(TRUST) * float(brought) / float(spent))
    return float(waiting) / float(spent) * float(visited) / float(visited + UNSEEN) * trust


def key(cash: int, brought: int, host_rate: float) -> int:
    """The key of a waiting page, in units of cash. brought: x."""
    own = max(cash - GRANT - brought, 0)
    return cash + int(min(float(own) * host_rate, _MOST)) + ACROSS * brought
