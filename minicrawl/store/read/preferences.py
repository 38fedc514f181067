"""What pages say on their use."""

import json
from collections.abc import Iterable

from minicrawl.store.read.tables import Tables


class PagePreferences:
    """Reads the table `page_preferences`; minicrawl.crawler.robots.preferences reads the lines."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def is_there(self) -> bool:
        """True if a page says something."""
        return self._tables.row("SELECT 1 FROM page_preferences LIMIT 1") is not None

    def of(self, pages: Iterable[int]) -> dict[int, str]:
        """The lines of pages, by number; pages that say nothing are left out."""
        query = "SELECT page, said FROM json_each(?) CROSS JOIN page_preferences ON page = value"
        return dict(self._tables.rows(query, (json.dumps(list(pages)),)))
