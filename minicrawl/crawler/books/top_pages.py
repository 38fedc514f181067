"""Which pages may be the most important, so that the store can name these without a look at all others.

Every commit changes what many pages have received, and an index of that would have to be written with it, all over. But
few pages come to be among the best: a commit looks which of those it changes have become worthy, and adds these.
"""

import math
import sys

from minicrawl.opic import Ledger
from minicrawl.opic.arrays import Pages, flagged, slices

KEPT = 1_000
_SLACK = 1.02
"""How far what the virtual page holds may grow, for each unit of birth cash, until all pages are looked at again."""


class TopPages:
    """Invariant: every page whose X is `floor` or more is kept, so that none that is not kept is better than one that
    is. X: what importance is the share of, see Ledger.

    Pages that were worth as much once may be kept, too; when they are too many, `floor` rises and they go.
    """

    def __init__(self) -> None:
        self.floor = 0.0
        self._pages: set[int] = set()
        self._held = 0.0
        self._shared_out = -1

    def changes(self, ledger: Ledger, changed: Pages) -> tuple[list[int], bool]:
        """Pages to be added, those in `changed` having changed since the last call, and whether all before go."""
        if not self.floor or ledger.held() > self._held or ledger.shared_out != self._shared_out:
            return self._anew(ledger), True
        worthy = changed[ledger.worths(changed, self._held) >= self.floor]
        added = [page for page in worthy.tolist() if page not in self._pages]
        if len(self._pages) + len(added) > 2 * KEPT:
            return self._anew(ledger), True
        self._pages.update(added)
        return added, False

    def _anew(self, ledger: Ledger) -> list[int]:
        self._held, self._shared_out = _SLACK * ledger.held(), ledger.shared_out
        self.floor = sys.float_info.min
        if ledger.size > KEPT:
            best, _ = ledger.most_important(KEPT)
            self.floor = max(self.floor, float(ledger.worths(best, self._held).min()))
        pages = self._worthy(ledger)
        if len(pages) > KEPT + KEPT // 2:  # so many share the last place
            self.floor = math.nextafter(self.floor, math.inf)
            pages = self._worthy(ledger)
        self._pages = set(pages)
        return pages

    def _worthy(self, ledger: Ledger) -> list[int]:
        found = (flagged(ledger.worths(rows, self._held) >= self.floor) + rows.start for rows in slices(ledger.size))
        return [page for pages in found for page in pages.tolist()]
