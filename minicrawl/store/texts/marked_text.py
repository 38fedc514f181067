"""The stored text of a page: its visible text in blocks, with marks for headings, items, tables and links.

A record is one line of JSON (title, language, description, whether a search may show the page, distinct link targets,
and which of these each link leads to, -1 for none), then the marked text; both are packed by zlib.

In marked text NUL separates blocks, and marks are noncharacters of Unicode (U+FDD0 and on). The mark of a kind is at
the start of its block, or alone in the block before; a link or a frame lasts from one mark to the next of its pair.
"""

import json
import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from zlib_ng import zlib_ng

from minicrawl.errors import StoreError

BETWEEN_BLOCKS = "\0"
LINK, END_OF_LINK, FRAME, END_OF_FRAME, CODE, ITEM, ROW, CELL = map(chr, range(0xFDD0, 0xFDD8))
HEADING = tuple(map(chr, range(0xFDD8, 0xFDDE)))
"""Marks of h1 to h6, by level."""
MARKS = "".join((LINK, END_OF_LINK, FRAME, END_OF_FRAME, CODE, ITEM, ROW, CELL, *HEADING))
AROUND = 50
"""Characters of context on either side of a link."""

_LEVEL = 2
"""Of compression: a tenth larger than the best, in half of its time."""
_PERMALINK = " ¶"
"""The link to itself behind a heading of documentation."""
_MARK = re.compile(f"[{MARKS}]")
_OPENING = re.compile(f"[{MARKS} ]*")
_PIECES = re.compile(f"([{LINK}{END_OF_LINK}])")


class Kind(StrEnum):
    """The kind of a block of text."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    CODE = "code"
    CELL = "cell"


BY_TAG = {"pre": CODE, "li": ITEM, "tr": ROW, "td": CELL, "th": CELL} | {
    f"h{level}": mark for level, mark in enumerate(HEADING, start=1)
}
"""Marks by HTML tag."""
_KINDS = {CODE: Kind.CODE, ITEM: Kind.ITEM, ROW: Kind.CELL, CELL: Kind.CELL} | dict.fromkeys(HEADING, Kind.HEADING)


class Link(NamedTuple):
    """A link in a block: its range of characters there, and its target."""

    start: int
    end: int
    url: str


class Anchor(NamedTuple):
    """The text of a link, and up to `AROUND` characters before and behind it in its block."""

    url: str
    text: str
    before: str
    after: str


class Block(NamedTuple):
    """A paragraph, heading, item, cell or listing.

    `level`: of a heading, 1 to 6; of a cell, 1 where it begins a row; else 0. `is_frame`: it is outside the
    main content, such as a menu.
    """

    kind: Kind
    text: str
    level: int
    links: tuple[Link, ...]
    is_frame: bool


@dataclass(frozen=True)
class KeptText:
    """The text of a page when last read. `index`: True if a search may show it."""

    url: str
    title: str | None
    language: str | None
    description: str | None
    index: bool
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        """The visible text, a line a block; listings have several."""
        return "\n".join(block.text for block in self.blocks)

    @property
    def headings(self) -> tuple[str, ...]:
        """The texts of h1 to h6."""
        return tuple(block.text for block in self.blocks if block.kind is Kind.HEADING)

    @property
    def h1(self) -> str | None:
        return next((block.text for block in self.blocks if block.kind is Kind.HEADING and block.level == 1), None)

    @property
    def content(self) -> tuple[Block, ...]:
        """The blocks outside frames; all blocks if those have less than a tenth of the text."""
        inside = tuple(block for block in self.blocks if not block.is_frame)
        size, whole = (sum(len(block.text) for block in blocks) for blocks in (inside, self.blocks))
        return inside if size * 10 >= whole else self.blocks

    def anchors(self) -> Iterator[Anchor]:
        """Every link with a text, in document order."""
        for block in self.blocks:
            for start, end, url in block.links:
                text = block.text
                if words := text[start:end].strip():
                    yield Anchor(url, words, text[max(0, start - AROUND) : start], text[end : end + AROUND])


@dataclass(frozen=True, slots=True)
class About:
    """Metadata of a page beside its text. The fields are those of `KeptText`."""

    title: str | None
    language: str | None
    description: str | None
    index: bool


def plain(block: str) -> str:
    """A block of marked text without its marks."""
    return _MARK.sub("", block)


def pack(about: About, text: str, urls: Sequence[str], targets: Sequence[int]) -> bytes:
    """Pack a record. urls: the distinct targets of its links; targets: index in `urls` of each link, -1: none."""
    known = [about.title, about.language, about.description, about.index, urls, targets]
    head = json.dumps(known, ensure_ascii=False, separators=(",", ":"))
    packed: bytes = zlib_ng.compress(f"{head}\n{text}".encode("utf-8", "replace"), _LEVEL)
    return packed


def unpack(packed: bytes, url: str) -> KeptText:
    """The text of the page at `url`. Raises StoreError for an invalid record."""
    try:
        head, _, text = zlib.decompress(packed).decode().partition("\n")
        title, language, description, index, urls, targets = json.loads(head)
        links = [urls[target] if target >= 0 else None for target in targets]
        return KeptText(url, title, language, description, index, tuple(_Blocks(links).read(text)))
    except (zlib.error, ValueError, TypeError, IndexError) as error:
        raise StoreError(f"the kept text of {url} is damaged ({error}); let the page be read again") from error


class _Blocks:
    """Parses marked text, given the targets of its links in order."""

    def __init__(self, links: Sequence[str | None]) -> None:
        self._links = iter(links)
        self._kind, self._level = Kind.PARAGRAPH, 0
        self._frames = 0
        self._link: str | None = None

    def read(self, text: str) -> Iterator[Block]:
        for marked in text.split(BETWEEN_BLOCKS):
            opening = _OPENING.match(marked)
            start = opening.end() if opening else 0
            for mark in marked[:start]:
                self._take(mark)
            rest = marked[start:]
            if not rest:
                continue
            is_frame = self._frames > 0
            words, links = self._linked(rest)
            if self._kind is Kind.HEADING:
                words = words.rstrip(_PERMALINK) or words
            yield Block(self._kind, words, self._level, links, is_frame)
            self._kind, self._level = Kind.PARAGRAPH, 0

    def _take(self, mark: str) -> None:
        """Apply a mark before the words of a block."""
        if mark == LINK:
            self._link = next(self._links, None)
        elif mark == END_OF_LINK:
            self._link = None
        elif mark in (FRAME, END_OF_FRAME):
            self._frames += 1 if mark == FRAME else -1
        elif mark in _KINDS:
            self._kind = _KINDS[mark]
            if mark in HEADING:
                self._level = HEADING.index(mark) + 1
            elif mark != CELL or not self._level:
                self._level = int(mark == ROW)

    def _linked(self, marked: str) -> tuple[str, tuple[Link, ...]]:
        """The words of a block, and its links. A link that continues behind the block ends with it."""
        words, start = "", 0
        links: list[Link] = []
        for piece in _PIECES.split(marked):
            if piece == LINK:
                self._link, start = next(self._links, None), len(words)
            elif piece == END_OF_LINK:
                self._end(links, start, words)
            else:
                self._frames += piece.count(FRAME) - piece.count(END_OF_FRAME)
                words += plain(piece)
        self._end(links, start, words)
        return words, tuple(links)

    def _end(self, links: list[Link], start: int, words: str) -> None:
        if self._link is not None and start < len(words):
            links.append(Link(start, len(words), self._link))
        self._link = None
