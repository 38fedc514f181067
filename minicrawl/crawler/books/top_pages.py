"""Candidates for the most important pages, so that the store finds these without reading all others.

Every commit changes the received cash of many pages, and an index of it would have to be rewritten each time. But few
pages become one of the best: a commit adds those of its changed pages that have become worthy.
"""

import math
import sys

from minicrawl.opic import Ledger
from minicrawl.opic.arrays import Pages, flagged, slices

KEPT = 1_000
_SLACK = 1.02
"""Factor by which the virtual page's cash per unit of birth cash may grow before all pages are read again."""


class TopPages:
    """Invariant: every page whose X is `floor` or more is kept, so no page left out is better than one kept.
    X: the numerator of importance, see Ledger.

    Pages that were worth as much once may be kept, too; when they are too many, `floor` rises and they go.
    """

    def __init__(self) -> None:
        self.floor = 0.0
        self._pages: set[int] = set()
        self._held = 0.0
        self._shared_out = -1

    def changes(self, ledger: Ledger, changed: Pages) -> tuple[list[int], bool]:
        """(pages to add, given those `changed` since the last call; whether all earlier ones are deleted)."""
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
        if len(pages) > KEPT + KEPT // 2:  # many share the last place
            self.floor = math.nextafter(self.floor, math.inf)
            pages = self._worthy(ledger)
        self._pages = set(pages)
        return pages

    def _worthy(self, ledger: Ledger) -> list[int]:
        found = (flagged(ledger.worths(rows, self._held) >= self.floor) + rows.start for rows in slices(ledger.size))
        return [page for pages in found for page in pages.tolist()]
