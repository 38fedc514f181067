"""Signs of deceit of pages."""

from minicrawl.store.read.tables import Tables
from minicrawl.store.rows import SpamSign


class SpamSigns:
    """Reads the table `spam_signs`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def of(self, page: int) -> list[SpamSign]:
        """The signs of a page, by name."""
        return self._tables.records(SpamSign, "spam_signs WHERE page = ? ORDER BY sign", page)

    def all(self) -> list[SpamSign]:
        """The signs of all pages, by page number and name."""
        return self._tables.records(SpamSign, "spam_signs ORDER BY page, sign")
