"""Discovery versus refresh: which share of the fetches goes to pages never visited.

credit := min(credit + q, 2) at each fetch; a discovery costs 1. While both kinds of page are available the
number of discoveries among n fetches is within 2 of q * n.
"""


class DiscoveryBudget:
    """A credit account for discovery with income `share` (q, 0 to 1) per fetch.

    With a share of 1 no page is ever fetched again.
    """

    def __init__(self, share: float = 1.0, credit: float = 0.0) -> None:
        self.share = share
        self.credit = credit

    def discovers(self, has_never_visited: bool, has_visited: bool) -> bool | None:
        """True: fetch a page never visited; False: fetch a visited page again; None: nothing may be fetched now.

        `has_never_visited`, `has_visited`: whether a page of that kind is on offer. Decides only; `charge` the
        fetch when it takes place.
        """
        if not has_never_visited:
            return False if has_visited and self.share < 1.0 else None
        return self._with_income() >= 1.0 or not has_visited

    def charge(self, *, discovers: bool) -> None:
        """A fetch takes place: of a page never visited, or of a visited one."""
        self.credit = max(self._with_income() - (1.0 if discovers else 0.0), 0.0)

    def _with_income(self) -> float:
        return min(self.credit + self.share, 2.0)
