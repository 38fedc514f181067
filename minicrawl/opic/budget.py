"""Discovery versus refresh: which share of the fetches goes to never-read pages.

credit := min(credit + q, 2) at each fetch; a discovery costs 1. While both kinds of page are available the
number of discoveries among n fetches is within 2 of q * n.
"""


class DiscoveryBudget:
    """A credit account for discovery with income `share` (q, 0 to 1) per fetch.

    With a share of 1 no page is ever read twice.
    """

    def __init__(self, share: float = 1.0, credit: float = 0.0) -> None:
        self.share = share
        self.credit = credit

    def discovers(self, never_read_ready: bool, read_ready: bool) -> bool | None:
        """True: fetch a never-read page; False: fetch a read page again; None: nothing may be fetched now.

        `never_read_ready`, `read_ready`: whether a page of that kind is on offer. Decides only; `charge` the
        fetch when it takes place.
        """
        if not never_read_ready:
            return False if read_ready and self.share < 1.0 else None
        return self._with_income() >= 1.0 or not read_ready

    def charge(self, *, discovers: bool) -> None:
        """A fetch takes place: of a never-read page, or of a read one."""
        self.credit = max(self._with_income() - (1.0 if discovers else 0.0), 0.0)

    def _with_income(self) -> float:
        return min(self.credit + self.share, 2.0)
