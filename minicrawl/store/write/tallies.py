"""Page counts by state and reason, updated at every commit."""

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

Counts = Mapping[tuple[str, str], int]
"""Numbers of pages by (state, reason)."""


class Tallies:
    """Writes the table `tallies`. Invariant: for every state and reason, the number of rows of `pages` with them."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def add(self, counts: Counts, sign: int = 1) -> None:
        """Add to the counts, or subtract."""
        self._db.executemany(
            "INSERT INTO tallies (state, reason, pages) VALUES (?, ?, ?) "
            "ON CONFLICT (state, reason) DO UPDATE SET pages = pages + excluded.pages",
            ((*kind, sign * count) for kind, count in counts.items()),
        )

    def replace(self, pages: Iterable[int], counts: Counts) -> None:
        """Recount pages before their rows change. counts: of the new states and reasons."""
        self.add(self._of(pages), -1)
        self.add(counts)

    @contextmanager
    def kept(self, pages: Iterable[int]) -> Iterator[None]:
        """Keep the tallies right while states or reasons of some pages change inside the block."""
        some = list(pages)
        self.add(self._of(some), -1)
        yield
        self.add(self._of(some))

    def _of(self, pages: Iterable[int]) -> Counts:
        query = "SELECT state, reason, count(*) FROM pages WHERE id IN (SELECT value FROM json_each(?)) GROUP BY 1, 2"
        rows = self._db.execute(query, (json.dumps(list(pages)),))
        return {(state, reason): count for state, reason, count in rows}
