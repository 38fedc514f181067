"""The cash that a waiting page has, and the cash that it can be expected to get.

What waits on a host will reach its pages in the shares in which what was spent there has. What other hosts have sent a
page they will send again.

    key = cash + C_h (y / S_h) R_h / (R_h + UNSEEN) + ACROSS x

cash  cash of the page
y, x  cash that links have brought it: of pages of its own host, and of other hosts
C_h   cash that waits at never visited pages of its host, less its own
S_h   cash that visits to pages of its host have spent
R_h   visited pages of its host

Only the order in which pages wait goes by the key. Cash, the grant at birth, conservation and importance stay as they
are. Both terms count cash and not links, so pages without any cannot push a page by linking to it.
"""

UNSEEN = 2
"""Visits that sent a page nothing which every host is taken to have had: the first ones say little of the others."""
ACROSS = 3
"""How much of what other hosts have sent so far they are expected to send still."""
_SLACK = 200


def anticipated(cash: int, own: int, others: int, host_cash: int, host_spent: int, host_visited: int) -> int:  # noqa: PLR0913 - the letters of the formula
    """The key of a waiting page, in units of cash.

    own, others: y and x. host_cash: C_h, but with the cash of the page itself.
    """
    share = float(own) / float(host_spent) * host_visited / (host_visited + UNSEEN) if host_spent else 0.0
    return cash + int(float(host_cash - cash) * share) + ACROSS * others


def has_fallen(key: int, seen: int) -> bool:
    """Whether a page that comes up by the key `seen` has to wait on, since its key is lower by now.

    Half a percent does not count: every visit lowers the keys of all pages of its host a little, and each would be
    looked at again.
    """
    return key < seen - seen // _SLACK
