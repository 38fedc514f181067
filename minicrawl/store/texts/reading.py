"""Reading the kept texts of a store's pages."""

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, NamedTuple

from minicrawl.errors import StoreError
from minicrawl.store.declaration import PageId, Time, table
from minicrawl.store.tables import Subject
from minicrawl.store.texts.repeated_blocks import repeated_in
from minicrawl.web.kept_text import KeptText, Repeated, unpack

TextId = Annotated[int, "text_records.id"]


class TextRow(NamedTuple):
    """The text of a page when last read, and what is known beside it, as its record has it."""

    page: PageId
    text: TextId
    language: Annotated[str | None, "without region and script: de"] = None
    author: str | None = None
    site_name: str | None = None
    licence: str | None = None
    published: Annotated[str | None, "ISO 8601 in UTC"] = None
    modified: Annotated[str | None, "likewise"] = None


class TextVersion(NamedTuple):
    """The text of a page as of a change; the last eight of each page are kept."""

    page: PageId
    at: Annotated[Time, "changes.at; 0: before the first change"]
    text: TextId


class TextRecord(NamedTuple):
    """A kept text. It never changes; `minicrawl compact` deletes it once no page has it."""

    id: Annotated[int, "one more than the bytes of all texts kept before; it only rises"]
    packed: Annotated[bytes, "see kept_text.py"]


table("texts", "the texts of pages", TextRow, keys="page")
table("text_versions", "their earlier texts", TextVersion, keys="page at")
table("text_records", "all kept texts", TextRecord, keys="id")


class Texts(Subject):
    """Reads the tables of texts."""

    @property
    def size(self) -> int:
        """The id of the next text: one more than the bytes of all texts ever kept; 0 if none was ever to be kept."""
        return int(self._tables.meta("text_size") or 0)

    def versions(self, page: int) -> list[TextVersion]:
        """The texts of a page as of its changes, the oldest first."""
        return self._tables.records(TextVersion, "text_versions WHERE page = ? ORDER BY at", page)

    def record(self, page: int) -> bytes | None:
        """The packed text of a page; None if none is kept."""
        return self.records([page]).get(page)

    def records(self, pages: Iterable[int]) -> dict[int, bytes]:
        """The packed texts of some pages; pages without one are left out."""
        texts = "json_each(?) CROSS JOIN texts ON page = value CROSS JOIN text_records ON text_records.id = text"
        return dict(self._tables.rows(f"SELECT page, packed FROM {texts}", (json.dumps(list(pages)),)))

    def version(self, version: TextVersion, url: str) -> KeptText:
        """A version of the text of the page at `url`. Raises StoreError."""
        return unpack(self.packed(version), url)

    def packed(self, version: TextVersion) -> bytes:
        """The record of a version; empty if there is none."""
        return self._tables.value("SELECT packed FROM text_records WHERE id = ?", version.text) or b""

    def text(self, page: int, url: str) -> KeptText | None:
        """The text of the page at `url`; None if none is kept. Raises StoreError."""
        with self._tables.snapshot():
            record = self.record(page)
            return None if record is None else unpack(record, url, self.repeated(page))

    def repeated(self, page: int) -> Repeated:
        """What the page's host repeats."""
        return repeated_in(self.picture(page))

    def picture(self, page: int) -> bytes:
        """The packed picture of the page's host; empty if there is none."""
        query = "SELECT blocks FROM pages JOIN refresh_hosts USING (host) WHERE pages.id = ?"
        return self._tables.value(query, page) or b""

    def host_blocks(self, host: int) -> bytes:
        """The packed picture of a host; empty if there is none."""
        return bytes(self._tables.value("SELECT blocks FROM refresh_hosts WHERE host = ?", host) or b"")

    def flaws(self) -> Iterator[str]:
        """Faults of the texts, one sentence each. Reads all texts."""
        for number, packed in self._tables.each("SELECT id, packed FROM text_records"):
            try:
                unpack(packed, f"number {number}")
            except StoreError as error:
                yield str(error)
