"""What pages say on their use, in headers and meta elements; and pages withheld for a use (--respect-usage)."""

from collections.abc import Sequence
from typing import Self

from minicrawl.crawler.html.page_headers import read_directives
from minicrawl.crawler.robots.preferences import HEADER, META, of_page, preferences_of
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import READ, Fetched, ParsedPage
from minicrawl.store.rows import PreferencesRow
from minicrawl.store.writer import Writer


class Usage(Part):
    """Keeps the preferences of pages as of their last answers, and withholds pages that forbid a use that is respected:
    their texts and items are not kept."""

    def __init__(self, respected: Sequence[str], *, is_there: bool) -> None:
        """respected: of USES. is_there: the store has preferences of pages."""
        self._respected = respected
        self._is_there = is_there
        self._said: dict[int, str | None] = {}

    @classmethod
    def of(cls, opening: Opening) -> Self:
        is_there = opening.state.writer.preferences.is_there()
        return cls(opening.settings.respect_usage, is_there=is_there)

    def on_turn(self, turn: Turn) -> None:
        said = said_by(turn.fetched, turn.parsed) if turn.outcome.state in READ else None
        if said is not None:
            self._is_there = True
            turn.is_withheld = preferences_of(of_page(said)).forbids(self._respected)
        if self._is_there and turn.fetched.status is not None:
            self._said[turn.page] = said

    def save(self, writer: Writer) -> None:
        if self._said:
            rows = [PreferencesRow(page, said) for page, said in self._said.items() if said is not None]
            writer.save_preferences(rows, [page for page, said in self._said.items() if said is None])
            self._said.clear()


def said_by(fetched: Fetched, parsed: ParsedPage) -> str | None:
    """What a page says on its use, in the lines of `of_page`; None if it says nothing."""
    if fetched.on_use is None and fetched.robots_tag is None and not parsed.usage:
        return None  # as mostly
    lines = [] if fetched.on_use is None else [f"{HEADER} {line}" for line in fetched.on_use.split("\n")]
    words = () if fetched.robots_tag is None else read_directives(fetched.robots_tag).on_use
    if words:
        lines.append(f"{HEADER} X-Robots-Tag: {', '.join(words)}")
    return "\n".join((*lines, *(f"{META} {line}" for line in parsed.usage))) or None
