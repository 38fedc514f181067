"""Texts kept with the commits of a crawl."""

from minicrawl.store.texts.reading import TextRecord, TextRow
from minicrawl.store.writer import Writer


class TextWriter:
    """Collects the texts of pages for the next commit.

    Invariant: a page has a text if, and only if, its last turn brought one.
    """

    def __init__(self, writer: Writer) -> None:
        self._texts = writer.texts
        self._changed: dict[int, bytes] = {}
        self._hidden: set[int] = set()

    def note(self, page: int, record: bytes, *, hides: bool = False) -> None:
        """Note a page's turn. record: its packed text; empty if none is kept. hides: nor are earlier ones."""
        self._changed[page] = record
        if hides:
            self._hidden.add(page)

    def save(self, writer: Writer) -> None:
        """Write the texts, within the transaction of the next commit."""
        if not self._changed:
            return
        before, size = self._texts.records(self._changed), self._texts.size or 1
        rows, records = list[TextRow](), list[TextRecord]()
        for page, packed in self._changed.items():
            if packed and packed != before.get(page):
                rows.append(TextRow(page, size))
                records.append(TextRecord(size, packed))
                size += len(packed)
        gone = [page for page in before if not self._changed[page]]
        writer.keep_first_texts([*gone, *(row.page for row in rows if row.page in before)])
        writer.add(TextRecord, records)
        writer.put(TextRow, rows)
        writer.remove(TextRow, ((page,) for page in gone))
        writer.forget_versions(self._hidden)
        writer.save_meta({"text_size": size})
        self._changed.clear()
        self._hidden.clear()
