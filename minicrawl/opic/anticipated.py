"""The cash of a waiting page, and the cash it can expect.

Cash waiting on a host is expected to reach its pages in the proportions of past spending there, and other sites to
repeat their past payments.

    key = cash + rate_h y + ACROSS x,                                          y = cash - grant - x
    rate_h = (C_h / S_h) (R_h / (R_h + UNSEEN)) min(1, TRUST F_h / S_h)

y, x  cash that the page received along links: from its own site, and from other sites
C_h   cash waiting at never visited pages of its host h
S_h   cash that visits to pages of the host have spent
R_h   visited pages of the host
F_h   cash that pages of the host received from other sites, and from grants to seeds

The last factor is trust: a host's own links count in proportion to the cash from elsewhere spent there. Pages that
only circulate their grants at birth lift each other little.

The pages of one host wait in order by their cash alone. The key chooses among the hosts, each represented by its first
page. So new links move only the pages that get cash, and their hosts.

Cash, the grant at birth, conservation and importance stay as they are. All terms count cash and not links, so pages
without any cannot push a page by linking to it.
"""

from minicrawl.opic.cash_book import GRANT

UNSEEN = 2
"""Visits without a payment that every host is assumed to have had: the first real ones say little of the others."""
TRUST = 5
"""Inverse of the share of a host's spending that must come from elsewhere for its links to count fully."""
ACROSS = 2
"""Expected future payments from other sites, as a multiple of those so far."""
_MOST = 2.0**60


def rate(waiting: int, spent: int, brought: int, visited: int) -> float:
    """Expected further cash from own links, as a multiple of the cash that a host's pages got from them so far.

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
