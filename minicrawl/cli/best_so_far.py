"""The best pages of a running crawl: the first lines of `minicrawl top` as of the last commit."""

import time
from collections.abc import Callable
from pathlib import Path

from minicrawl.errors import StoreError

Best = tuple[tuple[float, str], ...]
"""Importance and URL, best first."""
SHOWN = 10
_LEAST_APART = 1.0
_TIMES_AS_LONG = 50
"""Seconds between two looks at the store, in those that the first of them took: the crawl waits meanwhile."""


class BestSoFar:
    """Looks at the store of a crawl whenever it is called, but not too often."""

    def __init__(self, store: Path, clock: Callable[[], float] = time.perf_counter) -> None:
        """clock: gives seconds."""
        self._store = store
        self._clock = clock
        self._not_before = 0.0
        self._best: Best = ()

    def __call__(self) -> Best:
        began = self._clock()
        if began >= self._not_before and self._store.exists():
            self._best = self._looked_up()
            now = self._clock()
            self._not_before = now + max(_LEAST_APART, _TIMES_AS_LONG * (now - began))
        return self._best

    def _looked_up(self) -> Best:
        from minicrawl.analysis.top.top_list import first_lines
        from minicrawl.store.reader import open_store

        try:
            with open_store(self._store) as reader:
                return tuple((line.page.importance, line.page.url) for line in first_lines(reader, SHOWN))
        except StoreError:  # there is nothing in it yet; else the crawl itself tells
            return self._best
