"""Expected importance as last computed: shares as digits, which every SQLite tool can read."""

import json
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from minicrawl.store.database import damaged
from minicrawl.store.read.tables import Tables
from minicrawl.store.rows import ExpectedOf, ExpectedSite

PAGES_A_ROW = 50
"""Pages in a row of `expected`."""
DIGITS = 19
_UNITS = 10**18
META = "expected"
"""The key of `meta` that has the basis of expected importance, as JSON."""

FloatArray = npt.NDArray[np.float64]


class Expected:
    """Reads the tables `expected` and `expected_sites`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def of(self) -> ExpectedOf | None:
        """The basis of expected importance; None if never computed."""
        kept = self._tables.meta(META)
        try:
            return None if kept is None else ExpectedOf(**json.loads(str(kept)))
        except (ValueError, TypeError) as error:
            raise damaged(self._tables.path, f"meta.{META} cannot be meant") from error

    def shares(self) -> FloatArray:
        """The share of every page by number, shape (size,); NaN for pages unknown then."""
        rows = self._tables.each("SELECT shares FROM expected ORDER BY first")
        known = self._from(b"".join(shares for (shares,) in rows))
        size = self._tables.size()
        return np.concatenate([known, np.full(max(0, size - len(known)), np.nan)])[:size]

    def unread_part(self, page: int) -> float | None:
        """The part of a page's share by expected links of unread pages."""
        row = self._tables.row("SELECT unread FROM expected WHERE first = ?", page - page % PAGES_A_ROW)
        digits = row[0][DIGITS * (page % PAGES_A_ROW) :][:DIGITS] if row else b""
        return float(self._from(digits)[0]) if digits else None

    def _from(self, digits: bytes) -> FloatArray:
        try:
            return from_digits(digits)
        except ValueError as error:
            raise damaged(self._tables.path, "expected importance has shares that are no numbers") from error

    def sites(self, owners: Iterable[str]) -> list[ExpectedSite]:
        """Rows of the owners whose unread pages are expected to link like the visited ones."""
        wanted = json.dumps(list(owners))
        return self._tables.records(
            ExpectedSite, "expected_sites WHERE owner IN (SELECT value FROM json_each(?))", wanted
        )


def to_digits(shares: FloatArray) -> bytes:
    """Shares as DIGITS digits each: units of 1e-18."""
    units = np.rint(shares * _UNITS).astype(np.int64).tolist()
    return (f"%0{DIGITS}d" * len(units) % tuple(units)).encode()


def from_digits(digits: bytes) -> FloatArray:
    """The shares that `to_digits` wrote."""
    return np.frombuffer(digits, dtype=f"S{DIGITS}").astype(np.int64) / float(_UNITS)
