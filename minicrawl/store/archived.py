"""The answers in the archive of a store."""

from collections.abc import Iterator

from minicrawl.model import ArchiveRecord
from minicrawl.store.declaration import columns, table
from minicrawl.store.tables import Subject

FILES = "archive_files"
"""Key of meta. JSON: the committed bytes of every file of the archive by name; what is behind them is of no commit."""

table(
    "records",
    "answers that are in the archive",
    ArchiveRecord,
    keys="id",
    indexes=(
        "records_by_digest ON records (digest) WHERE kind = 'response' AND status = 200",
        "records_by_page ON records (page) WHERE page IS NOT NULL",
        "records_by_url ON records (url) WHERE url IS NOT NULL",
    ),
    id=int,
)
_PLACE = "coalesce(records.url, pages.url), at, digest, file FROM records LEFT JOIN pages ON pages.id = page"
Original = tuple[str, float, bytes, str]
_ROW = columns(ArchiveRecord, "records")


class Archived(Subject):
    """Reads the table `records`."""

    def with_body(self, digest: bytes) -> Original | None:
        """URL, date, digest and file of the first whole answer whose body has this SHA-1."""
        return self._original("digest = ? AND kind = 'response' AND records.status = 200 ORDER BY records.id", digest)

    def last_of(self, page: int) -> Original | None:
        """URL, date, digest and file of a page's last answer other than 304."""
        return self._original("page = ? AND kind <> 'not-modified' ORDER BY records.id DESC", page)

    def _original(self, where: str, value: bytes | int) -> Original | None:
        row: Original | None = self._tables.row(f"SELECT {_PLACE} WHERE {where} LIMIT 1", value)
        return row

    def versions(self, page: int) -> list[ArchiveRecord]:
        """A page's whole answers, the oldest first."""
        where = "page = ? AND status = 200 AND kind <> 'not-modified' ORDER BY id"
        return self._tables.records(ArchiveRecord, f"records WHERE {where}", page)

    def original(self, row: ArchiveRecord) -> ArchiveRecord:
        """The first answer with the body of a revisit; any other is its own original."""
        if row.kind == "response":
            return row
        first = "records WHERE digest = ? AND kind = 'response' AND status = 200 ORDER BY id LIMIT 1"
        return self._tables.record(ArchiveRecord, first, row.digest) or row

    def has(self, url: str) -> bool:
        """True if there is a record of a URL that is not a page's."""
        return self._tables.row("SELECT 1 FROM records WHERE url = ?", url) is not None

    def pages_without(self) -> Iterator[tuple[int, str]]:
        """Number and URL of every page that was read and has no record."""
        query = """
            SELECT id, url FROM pages WHERE state = 'fetched'
                AND NOT EXISTS (SELECT 1 FROM records WHERE page = pages.id) ORDER BY id"""
        yield from self._tables.each(query)

    def after(self, number: int) -> Iterator[tuple[int, str, ArchiveRecord]]:
        """Number, URL and row of every record after `number`, in the order of their numbers."""
        query = f"""
            SELECT records.id, coalesce(records.url, pages.url), {_ROW} FROM records LEFT JOIN pages ON pages.id = page
            WHERE records.id > ? ORDER BY records.id"""
        for record, url, *row in self._tables.each(query, number):
            yield record, url, ArchiveRecord._make(row)
