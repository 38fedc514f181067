"""What is kept of a page: its text, items, repeated blocks; and failures of hooks, counted."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self
from zlib import crc32

from msgspec.structs import replace

from minicrawl.crawler.frontier.frontier import Frontier
from minicrawl.crawler.outcomes.outcome import said_by
from minicrawl.crawler.visits.step import Opening, Step
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import READ, PageRequest
from minicrawl.store.texts.repeated_blocks import RepeatedBlocks
from minicrawl.store.texts.writing import TextWriter
from minicrawl.store.writer import Writer
from minicrawl.web.html.page_headers import read_directives
from minicrawl.web.kept_text import About, about_of, beginning, with_about
from minicrawl.web.robots.preferences import of_page, preferences_of

if TYPE_CHECKING:
    from minicrawl.extract.item_file import ItemFile


_DAY = 86_400


class Usage(Step):
    """Withholds pages that forbid a use that is respected: their texts and items are not kept."""

    def __init__(self, respected: Sequence[str]) -> None:
        """respected: of USES."""
        self._respected = respected

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        respected = opening.settings.respect_usage
        return cls(respected) if respected else None

    def on_turn(self, turn: Turn) -> None:
        if turn.outcome.state in READ and (said := said_by(turn.fetched, turn.parsed)) is not None:
            turn.is_withheld = preferences_of(of_page(said)).forbids(self._respected)


class Texts(Step):
    """Keeps the text of every page that does not forbid it, by noarchive or as `Usage` decides. A store that has texts
    goes on with them.

    The language is found here: the model takes memory once, and processes in a cage could not load it."""

    def __init__(self, texts: TextWriter) -> None:
        self._texts = texts

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        writer = opening.state.writer
        return cls(TextWriter(writer)) if opening.settings.keeps_text or writer.texts.size else None

    def on_turn(self, turn: Turn) -> None:
        said = read_directives(turn.fetched.robots_tag or "")
        is_kept = turn.parsed.archive and said.archive and not turn.is_withheld
        if is_kept and turn.parsed.kept:
            self._texts.note(turn.page, *completed(turn.parsed.kept, turn.now, index=said.index))
        else:
            self._texts.note(turn.page, b"", hides=not is_kept)

    def save(self, writer: Writer) -> None:
        self._texts.save(writer)


def completed(record: bytes, now: float, *, index: bool) -> tuple[bytes, About]:
    """The record of a text with the language found for the one declared, and without dates to come; and what it says
    beside the text. index: False if the header of the answer forbids a search to show it."""
    from minicrawl.web.language import SEARCHED, language_of  # noqa: PLC0415 - few crawls keep text

    about = about_of(record)
    language = language_of(beginning(record, SEARCHED), about.language)
    latest = datetime.fromtimestamp(now + _DAY, UTC).isoformat()
    published, modified = (at if at is None or at <= latest else None for at in (about.published, about.modified))
    known = replace(about, language=language, index=about.index and index, published=published, modified=modified)
    return record if known == about else with_about(record, known), known


class Items(Step):
    """Writes the items of pages that were read into the user's file."""

    def __init__(self, file: "ItemFile") -> None:
        self._file = file

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        settings = opening.settings
        if not settings.items:
            return None
        from minicrawl.extract.item_file import ItemFile  # noqa: PLC0415
        from minicrawl.extract.selectors import columns_of  # noqa: PLC0415 - few crawls extract items

        columns = columns_of(settings.extract, is_structured=settings.extract_structured)
        return cls(ItemFile(opening.state.writer, Path(settings.items), columns))

    def on_turn(self, turn: Turn) -> None:
        if turn.outcome.state in READ and not turn.is_withheld:
            self._file.note(turn.fetched.url, turn.now, turn.parsed.items)

    def save(self, writer: Writer) -> None:
        self._file.save(writer)

    def finish(self) -> None:
        self._file.finish()


_MOST_PAGES = 10_000
"""Whose blocks are compared, those noted last."""
MOST_HOSTS = 300
"""Pictures that are kept in memory when they have been saved, of the hosts used last: 48 kB each."""
_PART = 4


class HostPictures(Step):
    """The pictures of hosts.

    A picture is saved once a quarter of the pages that it knows are new, and at the end of a run: so that of a large
    host is written for every 16th page, and what a killed run has learned since is lost.
    """

    def __init__(self, writer: Writer, frontier: Frontier, *, learns: bool) -> None:
        """learns: have blocks hashed that nothing else asks for."""
        self._load = writer.texts.host_blocks
        self._frontier = frontier
        self._of: dict[int, RepeatedBlocks] = {}
        self._first = dict[tuple[int, int], int]()  # pages by host and blocks
        self._learns, self._is_settled = learns, False

    @classmethod
    def of(cls, opening: Opening) -> Self:
        return cls(opening.state.writer, opening.state.frontier, learns=opening.settings.keeps_text)

    def picture(self, page: int) -> RepeatedBlocks:
        """The picture of a page's host."""
        host = self._frontier.host(page).id
        picture = self._of.pop(host, None) or RepeatedBlocks(self._load(host))
        self._of[host] = picture  # the last one now
        return picture

    def request(self, page: int, asked: PageRequest) -> PageRequest:
        if not self._learns:
            return asked
        known = self._of.get(self._frontier.host(page).id)  # only looked at, as a commit may be under way
        return asked._replace(blocks=True) if known is None or known.is_due(page) else asked

    def blocks(self, turn: Turn) -> bytes:
        """Those of a page; none of a page that is there under another URL, too: it repeats nothing."""
        if len(self._first) >= _MOST_PAGES:
            self._first.clear()
        own = self._frontier.host(turn.page).id, crc32(turn.parsed.blocks)
        is_first = self._first.setdefault(own, turn.page) == turn.page
        return turn.parsed.blocks + turn.parsed.headings if is_first else b""

    def on_turn(self, turn: Turn) -> None:
        if turn.parsed.blocks and (blocks := self.blocks(turn)):
            self.picture(turn.page).note(turn.page, blocks)

    def on_settled(self) -> None:
        self._is_settled = True

    def save(self, writer: Writer) -> None:
        writer.save_host_blocks(self._unsaved())
        for host in list(self._of)[:-MOST_HOSTS]:
            del self._of[host]

    def _unsaved(self) -> Iterator[tuple[int, bytes]]:
        """Hosts and packed pictures that are to be saved now."""
        kept = len(self._of) - MOST_HOSTS
        for number, (host, picture) in enumerate(self._of.items()):
            is_due = _PART * picture.noted >= picture.size
            if picture.noted and (is_due or self._is_settled or number < kept):
                yield host, picture.packed()


META = "hook_errors"


class HookFailures(Step):
    """Failures by hook, over all runs."""

    def __init__(self, writer: Writer) -> None:
        self._counts = Counter[str](writer.meta_json(META))
        self._has_changed = False

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        return cls(opening.state.writer) if opening.settings.hook or opening.settings.extracts else None

    def on_answer(self, turn: Turn) -> bool:
        for hook, _ in turn.parsed.hook_failures:
            self._counts[hook] += 1
            self._has_changed = True
        return False

    def save(self, writer: Writer) -> None:
        if self._has_changed:
            writer.save_meta({META: json.dumps(self._counts)})
            self._has_changed = False
