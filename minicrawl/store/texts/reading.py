"""Reading the kept texts of a store's pages."""

import json
from collections.abc import Iterable, Iterator, Set
from typing import Annotated, NamedTuple

from minicrawl.errors import StoreError
from minicrawl.store.declaration import PageId, Time, table
from minicrawl.store.tables import Tables
from minicrawl.store.texts.kept_text import KeptText, unpack
from minicrawl.store.texts.repeated_blocks import template
from minicrawl.store.texts.text_file import HEAD, TextFile, first_line, text_path


class TextRow(NamedTuple):
    """Where the text of a page stands in the file beside the store; see text_file.py."""

    page: PageId
    start: Annotated[int, "byte of that file; rises with every text that is kept"]
    size: Annotated[int, "bytes"]


class TextVersion(NamedTuple):
    """Where the text of a page as of a change stands; the last eight of each page are kept."""

    page: PageId
    at: Annotated[Time, "changes.at; 0: before the first change"]
    start: Annotated[int, "as in texts, where the last one may have its place too"]
    size: int


table("texts", "places of the texts of pages in the file beside this one", TextRow, keys="page")
table("text_versions", "places of their earlier texts in the same file", TextVersion, keys="page at")

_ALL = """
    SELECT page, NULL AS at, start, size FROM texts UNION ALL SELECT page, at, start, size FROM text_versions"""


class Texts:
    """Reads the tables `texts` and `text_versions`, and the file beside the store that has the texts."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._file: TextFile | None = None
        self._line = b""

    @property
    def size(self) -> int:
        """Committed bytes of the file; 0 without a file."""
        return int(self._tables.meta("text_size") or 0)

    @property
    def made(self) -> int:
        """Number of times the file was rewritten."""
        return int(self._tables.meta("text_made") or 0)

    @property
    def line(self) -> bytes:
        """The first line of the file, as of the commit that is read."""
        return first_line(self._tables.hash_key, self.made)

    def count(self) -> int:
        """Pages whose text is kept."""
        return int(self._tables.value("SELECT count(*) FROM texts"))

    def row(self, page: int) -> TextRow | None:
        """Start and size of a page's text; None if none is kept."""
        return self._tables.record(TextRow, "texts WHERE page = ?", page)

    def versions(self, page: int) -> list[TextVersion]:
        """The texts of a page as of its changes, the oldest first."""
        return self._tables.records(TextVersion, "text_versions WHERE page = ? ORDER BY at", page)

    def rows(self) -> Iterator[tuple[int, float | None, int, int]]:
        """The page, time, start and size of all texts, in the order of the file: the last one of a page has no time.
        Several rows may have one place."""
        return self._tables.each(f"{_ALL} ORDER BY start")

    def of_fetched(self) -> Iterator[tuple[int, int]]:
        """Pages in the state fetched whose text is kept, each with the text's start."""
        query = "SELECT page, start FROM texts CROSS JOIN pages ON pages.id = page WHERE state = 'fetched'"
        return ((page, start) for page, start in self._tables.rows(query))

    def last_start(self) -> int:
        """Start of the last text; 0 without any."""
        return int(self._tables.value("SELECT coalesce(max(start), 0) FROM texts"))

    def added_behind(self, start: int) -> int:
        """Number of texts that begin behind that byte."""
        return int(self._tables.value("SELECT count(*) FROM texts WHERE start > ?", start))

    def record(self, page: int) -> bytes | None:
        """The packed text of a page; None if none is kept. Raises StoreError."""
        with self._tables.snapshot():
            row = self.row(page)
            return None if row is None else self._opened().read(row.start, row.size)

    def records(self, pages: Iterable[int]) -> dict[int, bytes]:
        """The packed texts of some pages; pages without one are left out."""
        with self._tables.snapshot():
            query = "SELECT page, start, size FROM json_each(?) CROSS JOIN texts ON page = value"
            rows = self._tables.rows(query, (json.dumps(list(pages)),))
            file = self._opened() if rows else None
            return {page: file.read(start, size) for page, start, size in rows if file is not None}

    def version(self, version: TextVersion, url: str) -> KeptText:
        """A version of the text of the page at `url`. Raises StoreError."""
        with self._tables.snapshot():
            return unpack(self._opened().read(version.start, version.size), url)

    def text(self, page: int, url: str) -> KeptText | None:
        """The text of the page at `url`; None if none is kept. Raises StoreError."""
        with self._tables.snapshot():
            record = self.record(page)
            return None if record is None else unpack(record, url, self.template(page))

    def template(self, page: int) -> Set[int]:
        """Ids of blocks that belong to the template of the page's host."""
        query = "SELECT blocks FROM pages JOIN refresh_hosts USING (host) WHERE pages.id = ?"
        return template(self._tables.value(query, page) or b"")

    def host_blocks(self, host: int) -> bytes:
        """The packed picture of a host; empty if there is none."""
        return bytes(self._tables.value("SELECT blocks FROM refresh_hosts WHERE host = ?", host) or b"")

    def flaws(self) -> Iterator[str]:
        """Faults of the texts, a sentence each. Reads all texts."""
        with self._tables.snapshot():
            end, size = HEAD, self.size
            places = f"SELECT DISTINCT page, start, size FROM ({_ALL}) ORDER BY start"
            for page, start, length in self._tables.each(places):
                if start < end or start + length > size:
                    yield f"the text of page {page} stands where another or none is"
                    return
                end = start + length
                try:
                    unpack(self._opened().read(start, length), f"page {page}")
                except StoreError as error:
                    yield str(error)

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _opened(self) -> TextFile:
        """The file as of the commit that is read."""
        line = self.line
        if self._file is None or line != self._line:
            self.close()
            self._file, self._line = TextFile(text_path(self._tables.path), line), line
        return self._file
