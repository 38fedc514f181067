"""Texts kept with the commits of a crawl."""

from minicrawl.store.texts.reading import TextRecord, TextRow
from minicrawl.store.writer import Writer
from minicrawl.web.kept_text import About
from minicrawl.web.language import primary_language

_NOTHING = About()


class TextWriter:
    """Collects the texts of pages for the next commit.

    Invariant: a page has a text if, and only if, its last turn brought one.
    """

    def __init__(self, writer: Writer) -> None:
        self._texts = writer.texts
        self._changed: dict[int, tuple[bytes, About]] = {}
        self._hidden: set[int] = set()

    def note(self, page: int, record: bytes, about: About = _NOTHING, *, hides: bool = False) -> None:
        """Note a page's turn. record: its packed text; empty if none is kept. about: what the record says beside it.
        hides: nor are earlier ones kept."""
        self._changed[page] = record, about
        if hides:
            self._hidden.add(page)

    def save(self, writer: Writer) -> None:
        """Write the texts, within the transaction of the next commit."""
        if not self._changed:
            return
        before, size = self._texts.records(self._changed), self._texts.size or 1
        rows, records = list[TextRow](), list[TextRecord]()
        for page, (packed, about) in self._changed.items():
            if packed and packed != before.get(page):
                rows.append(TextRow(page, size, *_known(about)))
                records.append(TextRecord(size, packed))
                size += len(packed)
        gone = [page for page in before if not self._changed[page][0]]
        writer.keep_first_texts([*gone, *(row.page for row in rows if row.page in before)])
        writer.add(TextRecord, records)
        writer.put(TextRow, rows)
        writer.remove(TextRow, ((page,) for page in gone))
        writer.forget_versions(self._hidden)
        writer.save_meta({"text_size": size})
        self._changed.clear()
        self._hidden.clear()


def _known(about: About) -> tuple[str | None, ...]:
    language = primary_language(about.language)
    return language, about.author, about.site_name, about.licence, about.published, about.modified
