"""The texts of pages (--text)."""

from typing import Self

from minicrawl.crawler.html.page_headers import read_directives
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.store.texts.writing import TextWriter
from minicrawl.store.writer import Writer


class Texts(Part):
    """Keeps the text of every page that does not forbid it, by noarchive or as `Usage` decides. A store that has texts
    goes on with them."""

    def __init__(self, texts: TextWriter) -> None:
        self._texts = texts

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        writer = opening.state.writer
        return cls(TextWriter(writer)) if opening.settings.keeps_text or writer.texts.size else None

    def on_turn(self, turn: Turn) -> None:
        is_kept = turn.parsed.archive and read_directives(turn.fetched.robots_tag or "").archive
        is_kept = is_kept and not turn.is_withheld
        self._texts.note(turn.page, turn.parsed.kept if is_kept else b"", hides=not is_kept)

    def save(self, writer: Writer) -> None:
        self._texts.save(writer)
