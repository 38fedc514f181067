"""Facts of pages for an audit."""

from typing import Annotated, NamedTuple

from minicrawl.store.declaration import PageId, table
from minicrawl.store.tables import Tables


class FactsRow(NamedTuple):
    """Facts of an HTML page for an audit, as of its last answer; see minicrawl.model.PageFacts."""

    page: PageId
    description: Annotated[str | None, "the first 320 characters"]
    language: Annotated[str | None, "of its html element"]
    h1s: Annotated[int, "h1 elements"]
    without_alt: Annotated[int, "images without a text in their place"]
    mixed: Annotated[str | None, "the first http: URLs that this https page loads, with spaces between"]


table("page_facts", "facts of pages for an audit, by --audit", FactsRow, keys="page")


class Facts:
    """Reads the table `page_facts`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def is_there(self) -> bool:
        """True if facts of a page are kept."""
        return self._tables.row("SELECT 1 FROM page_facts LIMIT 1") is not None
