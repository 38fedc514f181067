"""The stored text of a page: its visible text in blocks, with marks for headings, items, tables and links.

A record is one line of JSON (title, language, description, whether a search may show the page, distinct link targets,
which of these each link leads to, -1 for none), then the marked text; both are packed
by zlib.

In marked text NUL separates blocks, and marks are noncharacters of Unicode (U+FDD0 and on). The mark of a kind is at
the start of its block, or alone in the block before; a link or a frame lasts from one mark to the next of its pair, a
cell to the next one or to the end of its table.
"""

import json
import re
import zlib
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import NamedTuple

from zlib_ng import zlib_ng

from minicrawl.errors import StoreError

BETWEEN_BLOCKS = "\0"
LINK, END_OF_LINK, FRAME, END_OF_FRAME, CODE, ITEM, ROW, CELL = map(chr, range(0xFDD0, 0xFDD8))
HEADING = tuple(map(chr, range(0xFDD8, 0xFDDE)))
"""Marks of h1 to h6, by level."""
CONTAINERS = "".join(map(chr, range(0xFDDE, 0xFDE6)))
"""Marks of containers, for minicrawl.crawler.html.content; none is stored."""
END_OF_TABLE = chr(0xFDE6)
MARKS = "".join((LINK, END_OF_LINK, FRAME, END_OF_FRAME, CODE, ITEM, ROW, CELL, *HEADING, CONTAINERS, END_OF_TABLE))
AROUND = 50
"""Characters of context on either side of a link."""

_LEVEL = 2
"""Of compression: a tenth larger than the best, in half of its time."""
_PERMALINK = " ¶"
"""The link to itself behind a heading of documentation."""
_PERMALINKS = frozenset("¶#§🔗⚓\uf0c1")
"""Texts of links that show where to link to. The last is a chain in the font of icons of many manuals."""
_MARK = re.compile(f"[{MARKS}]")
_OPENING = re.compile(f"[{MARKS} ]*")
_PIECES = re.compile(f"([{LINK}{END_OF_LINK}])")
_MARK_AND_SPACE = re.compile(rb"\xef\xb7[\x90-\xa6](?: (?<=[ \0]\xef\xb7[\x90-\xa6] ))?")
"""A mark in UTF-8, with the space behind it if one stands before it."""
_SPACES = re.compile(rb" {2,}")
_WORD = re.compile(r"\w+")
_LINKED = re.compile(f"{LINK}[^{END_OF_LINK}]*{END_OF_LINK}")
_OF_CONTENT = (ROW, CELL, *HEADING)
ID_SHIFT = 10
"""Bits of a block's hash that are not part of its id: those who keep ids of 22 bits have room for what they note."""
_PART = 10
"""What the host repeats is content where less than a tenth of the text beside links is left without it."""
_MENU = 5
"""Fewest blocks of a menu amid the content."""
_NOTICE = 100
"""Fewest bytes of a notice amid the content."""


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


class Cell(NamedTuple):
    """A cell: the numbers of its table on the page, of its row, and of its column in the row."""

    table: int
    row: int
    column: int


class Block(NamedTuple):
    """A paragraph, heading, item, cell or listing.

    `level`: of a heading, 1 to 6; of a cell, 1 where it begins a row; else 0. `is_frame`: see `frames`. `cell`: the one
    around a block of any kind.
    """

    kind: Kind
    text: str
    level: int
    links: tuple[Link, ...]
    is_frame: bool
    cell: Cell | None = None


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
        """The blocks of the main content."""
        return tuple(block for block in self.blocks if not block.is_frame)

    @property
    def content_text(self) -> str:
        """The text of the content."""
        return "\n".join(block.text for block in self.content)

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


def unpack(packed: bytes, url: str, repeated: Set[int] = frozenset()) -> KeptText:
    """The text of the page at `url`. repeated: as for `frames`. Raises StoreError for an invalid record."""
    try:
        head, _, text = zlib.decompress(packed).decode().partition("\n")
        title, language, description, index, urls, targets = json.loads(head)
        links = [urls[target] if target >= 0 else None for target in targets]
        blocks = tuple(_Blocks(links).read(text, repeated))
        return KeptText(url, title, language, description, index, blocks)
    except (zlib.error, ValueError, TypeError, IndexError) as error:
        raise StoreError(f"the kept text of {url} is damaged ({error}); let the page be read again") from error


def words_of(packed: bytes) -> list[str]:
    """The words of a record, those of menus included."""
    return words_in(zlib.decompress(packed).decode().partition("\n")[2])


def words_in(text: str) -> list[str]:
    """The words of a text in lower case."""
    return _WORD.findall(text.lower())


def plain_blocks(text: str) -> list[bytes]:
    """The blocks of a marked text in UTF-8, without marks and with white space collapsed; some are empty."""
    first, *listings = text.split(CODE)
    for number, listing in enumerate(listings):
        code, end, rest = listing.partition(BETWEEN_BLOCKS)
        listings[number] = f"{' '.join(code.split())}{end}{rest}"
    octets = _MARK_AND_SPACE.sub(b"", f"{first}{''.join(listings)}".encode())
    if b"  " in octets:
        octets = _SPACES.sub(b" ", octets)
    return [block.strip() for block in octets.split(b"\0")]


def frames(text: str, repeated: Set[int] = frozenset()) -> list[bool]:
    """For each block of a marked text, True if it is outside the main content, such as a menu.

    A block is in a frame of the page, or the host repeats it, and it stands before or behind all others, in a menu or
    in a notice. Headings and cells that stand between others, and all listings, are content, however often they are
    repeated: "Parameters", "Example". repeated: ids of blocks, see `minicrawl.store.texts.repeated_blocks`.
    """
    marked = text.split(BETWEEN_BLOCKS)
    found = _in_frames(marked) if FRAME in text else [False] * len(marked)
    if not repeated and True not in found:
        return found
    blocks = plain_blocks(text)
    size = sum(map(len, blocks))
    inside = sum(len(block) for block, is_out in zip(blocks, found, strict=True) if not is_out)
    if not inside:
        found, inside = [False] * len(marked), size
    places = [at for at, block in enumerate(blocks) if block and not found[at]]
    out = list(_repeated(places, marked, blocks, repeated)) if repeated else []
    left = inside - sum(len(blocks[at]) for at in out)
    if left * _PART >= left + sum(len(_LINKED.sub("", marked[at])) for at in out):
        for at in out:
            found[at] = True
    return found


def _in_frames(marked: Sequence[str]) -> list[bool]:
    """For each block, True if it begins in a frame of the page."""
    found, depth = list[bool](), 0
    for block in marked:
        if FRAME in block or END_OF_FRAME in block:
            opening = _opening(block)
            rest = block[len(opening) :]
            depth += opening.count(FRAME) - opening.count(END_OF_FRAME)
            found.append(depth > 0)
            depth += rest.count(FRAME) - rest.count(END_OF_FRAME)
        else:
            found.append(depth > 0)
    return found


def _repeated(
    places: Sequence[int], marked: Sequence[str], blocks: Sequence[bytes], repeated: Set[int]
) -> Iterator[int]:
    """Those of some places whose blocks are outside the main content, as the host repeats them."""
    groups = groupby(places, lambda at: zlib.crc32(blocks[at]) >> ID_SHIFT in repeated)
    runs = [(is_repeated, list(run)) for is_repeated, run in groups]
    for number, (is_repeated, run) in enumerate(runs):
        if not is_repeated:
            continue
        is_outermost = number in (0, len(runs) - 1)
        links = sum(len(words) for at in run for words in _LINKED.findall(marked[at]))
        is_menu = len(run) >= _MENU and 2 * links >= sum(len(marked[at]) for at in run)
        for at in run:
            own = "".join(marked[at - _marks_before(blocks, at) : at + 1])
            is_notice = len(blocks[at]) >= _NOTICE and not any(mark in own for mark in _OF_CONTENT)
            if CODE not in own and (is_outermost or is_menu or is_notice):
                yield at


def _marks_before(blocks: Sequence[bytes], at: int) -> int:
    """Number of blocks just before one that have marks alone."""
    return next((number for number in range(at) if blocks[at - number - 1]), at)


def _opening(block: str) -> str:
    """The marks before the words of a block."""
    found = _OPENING.match(block)
    return found[0] if found else ""


class _Blocks:
    """Parses marked text, given the targets of its links in order."""

    def __init__(self, links: Sequence[str | None]) -> None:
        self._links = iter(links)
        self._kind, self._level = Kind.PARAGRAPH, 0
        self._link: str | None = None
        self._table = self._row = self._column = 0

    def read(self, text: str, repeated: Set[int]) -> Iterator[Block]:
        for marked, is_frame in zip(text.split(BETWEEN_BLOCKS), frames(text, repeated), strict=True):
            opening = _opening(marked)
            for mark in opening:
                self._take(mark)
            rest = marked[len(opening) :]
            if not rest:
                continue
            words, links = self._linked(rest)
            if self._kind is Kind.HEADING:
                words = words.rstrip(_PERMALINK) or words
            if words:
                cell = Cell(self._table, self._row, self._column) if self._row else None
                yield Block(self._kind, words, self._level, links, is_frame, cell)
            self._kind, self._level = Kind.PARAGRAPH, 0

    def _take(self, mark: str) -> None:
        """Apply a mark before the words of a block."""
        if mark == LINK:
            self._link = next(self._links, None)
        elif mark == END_OF_LINK:
            self._link = None
        elif mark == END_OF_TABLE:
            self._table, self._row, self._column = self._table + 1, 0, 0
        elif mark in _KINDS:
            if mark == ROW:
                self._row, self._column = self._row + 1, 0
            elif mark == CELL:
                self._row, self._column = self._row or 1, self._column + 1
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
                if self._link is None and words[start:].strip() in _PERMALINKS:
                    words = words[:start].rstrip()
                self._end(links, start, words)
            else:
                words += plain(piece)
        self._end(links, start, words)
        return words, tuple(links)

    def _end(self, links: list[Link], start: int, words: str) -> None:
        if self._link is not None and start < len(words):
            links.append(Link(start, len(words), self._link))
        self._link = None
