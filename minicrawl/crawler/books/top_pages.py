"""Which pages may be the most important, so that the store can name these without a look at all others.

Every commit changes what many pages have received, and an index of that would have to be written with it, all over. But
few pages come to be among the best: a commit looks which of those it changes have become worthy, and adds these.
"""

import numpy as np

from minicrawl.opic import Ledger
from minicrawl.opic.arrays import IntArray, Pages, flagged, slices

KEPT = 1_000


class TopPages:
    """Invariant: every page worth `floor` or more is kept, so that none that is not kept is better than one that is.

    Pages that were worth as much once may be kept, too; when they are too many, `floor` rises and they go.
    """

    def __init__(self) -> None:
        self.floor = 0
        self._pages: set[int] = set()

    def changes(self, ledger: Ledger, changed: Pages) -> tuple[list[int], bool]:
        """Pages to be added, those in `changed` having changed since the last call, and whether all before go."""
        if not self.floor:
            return self._anew(ledger), True
        worthy = changed[ledger.worths(changed) >= self.floor]
        added = [page for page in worthy.tolist() if page not in self._pages]
        if len(self._pages) + len(added) > 2 * KEPT:
            return self._anew(ledger), True
        self._pages.update(added)
        return added, False

    def _anew(self, ledger: Ledger) -> list[int]:
        best, _ = ledger.most_important(KEPT)
        least = 1  # pages that no link leads to are many, and as important as each other
        self.floor = max(least, int(ledger.worths(best[-1:])[0])) if len(best) == KEPT else least
        pages = _worthy(ledger, self.floor)
        if len(pages) > KEPT + KEPT // 2:
            self.floor += 1  # so many share the last place
            pages = _worthy(ledger, self.floor)
        self._pages = set(pages)
        return pages


def _worthy(ledger: Ledger, floor: int) -> list[int]:
    found: list[IntArray] = [flagged(ledger.worths(rows) >= floor) + rows.start for rows in slices(ledger.size)]
    return [page for pages in found for page in pages.tolist()] if found else np.zeros(0, dtype=np.int64).tolist()
