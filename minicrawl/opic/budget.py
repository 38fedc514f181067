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

        `never_read_ready`, `read_ready`: whether a page of that kind is on offer. Counts as one fetch unless
        the answer is None.
        """
        if self.share >= 1.0:
            return True if never_read_ready else None
        if not (never_read_ready or read_ready):
            return None
        self.credit = min(self.credit + self.share, 2.0)
        discovers = never_read_ready and (self.credit >= 1.0 or not read_ready)
        if discovers:
            self.credit = max(self.credit - 1.0, 0.0)
        return discovers

    def undo(self, *, discovers: bool) -> None:
        """The fetch that was decided on did not take place."""
        self.credit += (1.0 if discovers else 0.0) - self.share
