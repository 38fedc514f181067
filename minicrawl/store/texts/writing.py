"""Texts of pages that a crawl reads, kept with its commits: see text_file.py."""

from minicrawl import log
from minicrawl.store.texts.reading import TextRow
from minicrawl.store.texts.text_file import HEAD, TextFile, first_line, text_path
from minicrawl.store.writer import Writer


class TextWriter:
    """Collects the texts of pages for the next commit.

    Invariant: a page has a text if, and only if, its last turn brought one.
    """

    def __init__(self, writer: Writer) -> None:
        """Raises StoreError when the file of texts is not the one that the store knows."""
        self._path = text_path(writer.path)
        self._texts = writer.texts
        self._line = first_line(writer.hash_key, self._texts.made)
        self._size = self._texts.size or HEAD
        self._changed: dict[int, bytes] = {}
        self._hidden: set[int] = set()
        if self._path.exists():
            with self._open() as file:
                file.cut(self._size)
        elif self._texts.size:
            log.event("texts-missing", file=str(self._path), pages=self._texts.count())
            with writer.transaction():
                writer.forget_texts()
                writer.save_meta({"text_size": 0})
            self._size = HEAD

    def note(self, page: int, record: bytes, *, hides: bool = False) -> None:
        """Note a page's turn. record: its packed text; empty if none is kept. hides: nor are earlier ones."""
        self._changed[page] = record
        if hides:
            self._hidden.add(page)

    def save(self, writer: Writer) -> None:
        """Write the texts and their offsets, within the transaction of the next commit."""
        if not self._changed:
            return
        rows, gone, replaced, records, at = [], [], list[int](), [], self._size
        with self._open() as file:
            for page, record in self._changed.items():
                before = self._texts.row(page)
                if before is not None and not record:
                    gone.append(page)
                elif record and (before is None or file.read(before.start, before.size) != record):
                    if before is not None:
                        replaced.append(page)
                    rows.append(TextRow(page, at, len(record)))
                    records.append(record)
                    at += len(record)
            if records:
                file.add(b"".join(records), self._size)
        writer.keep_first_texts([*replaced, *gone])
        writer.put(TextRow, rows)
        writer.remove(TextRow, ((page,) for page in gone))
        writer.forget_versions(self._hidden)
        writer.save_meta({"text_size": at})
        self._size = at
        self._changed.clear()
        self._hidden.clear()

    def _open(self) -> TextFile:
        return TextFile(self._path, self._line, writes=True)
