"""Requisites: files that pages need to look as they do."""

from typing import Annotated, NamedTuple

from minicrawl.store.declaration import Blob, PageId, Time, columns, table
from minicrawl.store.tables import Subject


class RequisiteRow(NamedTuple):
    """A file that a page needs to look as it does: no page, and no link leads to it."""

    url: str
    page: Annotated[PageId, "the first page that needs it"]
    kind: Annotated[str, "style, frame, file"]
    level: Annotated[int, "style sheets, frames and redirects between the page and it"]
    state: Annotated[str, "waiting kept failed"]
    reason: Annotated[str, "the code that says why it is in this state"]
    status: Annotated[int | None, "HTTP status of the last answer"] = None
    bytes: Annotated[int, "of its body, on the network"] = 0
    asked_at: Time | None = None
    others: Annotated[Blob, "pages.id, 4 bytes each, little endian; further pages that need it, nine at most"] = b""


table(
    "requisites",
    "files that pages need to look as they do, by --requisites",
    RequisiteRow,
    keys="id",
    unique="url",
    indexes=(
        "requisites_waiting ON requisites (id) WHERE state = 'waiting'",
        "requisites_by_page ON requisites (page)",
    ),
    id=Annotated[int, "in the order in which they became known"],
)


class Requisites(Subject):
    """Reads the table `requisites`."""

    def of(self, url: str) -> RequisiteRow | None:
        return self._tables.record(RequisiteRow, "requisites WHERE url = ?", url)

    def waiting(self, after: int, n: int) -> list[tuple[int, RequisiteRow]]:
        """The next n waiting requisites behind number `after`, with their numbers."""
        query = f"""
            SELECT id, {columns(RequisiteRow)} FROM requisites
            WHERE state = 'waiting' AND id > ? ORDER BY id LIMIT ?"""
        return [(number, RequisiteRow._make(row)) for number, *row in self._tables.rows(query, (after, n))]

    def counts(self, page: int | None = None) -> list[tuple[str, str, int, int]]:
        """The requisites by state and reason: their number, and the bytes of their bodies. page: only those that this
        page was the first to need."""
        where = "" if page is None else f"WHERE page = {page:d}"
        query = f"SELECT state, reason, count(*), sum(bytes) FROM requisites {where} GROUP BY 1, 2 ORDER BY 1, 2"
        return list(self._tables.rows(query))
