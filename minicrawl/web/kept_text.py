"""The kept text of a page: its main content, and what is around it, as Markdown (CommonMark with the tables of GFM).

A record is one line of JSON, what is known beside the text; then, packed by zlib, a line with the number of characters
of the content and the pieces, the content, and the rest. So what is known can be read and set without the text.

A block of Markdown is a line, or a whole listing; a row of a table is its cells.
"""

import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from msgspec import MsgspecError, Struct, to_builtins
from msgspec.json import Decoder
from msgspec.structs import asdict
from zlib_ng import zlib_ng

from minicrawl.errors import StoreError

AROUND = 50
"""Characters of context on either side of a link."""
ID_SHIFT = 10
"""Bits of a block's hash that are not part of its id: those who keep ids of 22 bits have room for what they note."""

BESIDE = "\0"
"""Before the key of a block of the rest: menus take no words from the content."""
_LEVEL = 3
"""Of compression: a twentieth larger than the best, in two thirds of its time."""
_PART = 10
"""What the host repeats is content where less than a tenth is left without it."""
_MOST = 0.7
"""The share of a piece that is the page's own."""
_MENU = 5
"""Fewest blocks of a menu amid the content."""
_SENTENCE = 40
"""Fewest characters of prose that other pages have beside their content."""
_NOTICE = 100
"""Fewest bytes of a notice amid the content."""
_WORD = re.compile(r"\w+")
_BEGINS = re.compile(r"(?:[ >]|[-*](?= )|\d{1,9}[.)](?= ))*(?:: |\[[ x]\] )?(?:(#{1,6}) |(\|)(?= ))?")
"""What stands before the words of a line."""
_FENCE = re.compile(r"(`{3,})[^`]*$")
_RULE = re.compile(r"[ >]*\|?(?: --- \|)+|\*\*\*")
_PIPE = re.compile(r" \|(?: |$)")
_MARKUP = re.compile(
    r"\\(?P<letter>[^\w\s]|_)|(?P<ticks>`+)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
    r"|!\[(?:[^\[\]\\]|\\.)*\]\((?:<[^>]*>|[^)]*)\)|(?P<opens>\[)|\]\((?P<url><[^>]*>|[^)]*)\)|\*{1,3}|~~|\\$"
)
SPAN = r"(?:sek|minu|min\b|tim|dag|dygn|veck|mån|år|godz|dni|dzień|tyg|mies|lat|rok|chwil)[^\W\d]*\.?"
"""A span of time in Swedish or Polish, whose words for "ago" are others in other languages: a sedan, a shop."""
_AGO = re.compile(
    r"[0-9ahipv](?:[0-9]*n? [^\W\d]+ (?:ago|fa|geleden|siden|sitten|önce|назад)\b"
    rf"|[0-9]* {SPAN} (?:temu|sedan)\b"
    r"|[0-9]* ?[^\W\d]{1,3} ?[前전]|(?<![^\W_].)(?:or|l y a|ace|á|řed) (?:[0-9]+|ein\w*|un\w?|uma?) [^\W\d]+)"
)
"""Relative dates, after CLDR (dateFields, relativeTime-type-past), not the end of "Senior 12 places". A set of first
characters is fast."""
_LINE = 100
"""Fewer characters than those of a block of prose: it tells of the past, a line of data of its date."""
_LINKED = re.compile(r"(?<!!)\[((?:[^\[\]\\]|\\.)++)\]\(")
_SIGNS = re.compile(r"\](?:\((?:<[^>]*>|[^()\s]*)\))?|\[|\*|~|`|\\")


class Piece(NamedTuple):
    """Part of the rest that is content if no other page of the host has it. at: its place in the content; start, size:
    its range of the rest; in characters."""

    at: int
    start: int
    size: int


class Repeated(NamedTuple):
    """Ids of blocks that a host repeats: in its `template`; `shared`: on two of its pages or more, None if few of its
    pages are known."""

    template: Set[int] = frozenset()
    shared: frozenset[int] | None = None


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
    """A block of Markdown. start, end: its first line, and the one behind the last; markdown: without what stands
    before it, such as the mark of an item; level: of a heading, else 0."""

    start: int
    end: int
    markdown: str
    level: int = 0
    is_code: bool = False
    is_row: bool = False

    @property
    def texts(self) -> list[str]:
        """The words of each cell with some; of others one text."""
        if self.is_code:
            return [self.markdown.partition("\n")[2].rpartition("\n")[0]]
        if not self.is_row:
            return [read(self.markdown)[0]]
        return list(filter(None, (read(cell.replace("\\|", "|"))[0].strip() for cell in _PIPE.split(self.markdown))))

    @property
    def text(self) -> str:
        return " ".join(self.texts)


class About(Struct, frozen=True, omit_defaults=True):
    """Metadata of a page beside its text. `language`: a tag (BCP 47), see `minicrawl.web.language`. `index`: True if a
    search may show it. `licence`: a URL or words. `published`, `modified`: ISO 8601 in UTC, midnight where only
    the day is known."""

    title: str | None = None
    language: str | None = None
    description: str | None = None
    index: bool = True
    author: str | None = None
    site_name: str | None = None
    licence: str | None = None
    published: str | None = None
    modified: str | None = None


class KeptText(About, frozen=True, dict=True, kw_only=True):
    """The text of a page when last read, in Markdown."""

    url: str
    content: str
    rest: str

    @cached_property
    def blocks(self) -> list[Block]:
        return list(blocks_of(self.content))

    @property
    def text(self) -> str:
        """All words, one line per block; listings have several."""
        return "\n".join([block.text for block in (*self.blocks, *blocks_of(self.rest))])

    @property
    def headings(self) -> list[str]:
        """The words of h1 to h6 in the content."""
        return [block.text for block in self.blocks if block.level]

    @property
    def h1(self) -> str | None:
        return next((block.text for block in self.blocks if block.level == 1), None)

    @property
    def content_text(self) -> str:
        return "\n".join([block.text for block in self.blocks])

    def anchors(self) -> Iterator[Anchor]:
        """Every link with a text to another page, those of the content first."""
        for block in (*self.blocks, *blocks_of(self.rest)):
            text, links = ("", []) if block.is_code else read(block.markdown)
            for start, end, url in links:
                if (words := text[start:end].strip()) and url != self.url:
                    yield Anchor(url, words, text[max(0, start - AROUND) : start], text[end : end + AROUND])


_ABOUT = Decoder(About)


def pack(about: About, content: str, rest: str, pieces: Iterable[Piece] = ()) -> bytes:
    """A record. pieces: the largest first."""
    numbers = " ".join([str(len(content)), *(f"{piece.at}:{piece.start}:{piece.size}" for piece in pieces)])
    packed: bytes = zlib_ng.compress(f"{numbers}\n{content}{rest}".encode("utf-8", "replace"), _LEVEL)
    return _head(about) + packed


def about_of(record: bytes) -> About:
    """What is known beside the text of a record."""
    return _ABOUT.decode(record.partition(b"\n")[0])


def with_about(record: bytes, about: About) -> bytes:
    """The record with what is known set again."""
    return _head(about) + record.partition(b"\n")[2]


def beginning(record: bytes, most: int) -> str:
    """The beginning of the text of a record, as Markdown: the content, up to so many bytes."""
    text = zlib.decompressobj().decompress(record.partition(b"\n")[2], most)
    size, _, content = text.decode("utf-8", "ignore").partition("\n")
    return content[: int(size.partition(" ")[0])]


def _head(about: About) -> bytes:
    known = json.dumps(to_builtins(about), ensure_ascii=False, separators=(",", ":"))
    return f"{known}\n".encode("utf-8", "replace")


def unpack(packed: bytes, url: str, repeated: Repeated = Repeated()) -> KeptText:  # noqa: B008 (frozen)
    """The text of the page at `url`. repeated: see `minicrawl.store.texts.repeated_blocks`. Raises StoreError for an
    invalid record."""
    try:
        head, _, body = packed.partition(b"\n")
        known = _ABOUT.decode(head)
        numbers, _, text = zlib.decompress(body).decode().partition("\n")
        size, *places = numbers.split()
        content, rest = text[: int(size)], text[int(size) :]
        pieces = [Piece(*map(int, place.split(":"))) for place in places]
    except (zlib.error, ValueError, TypeError, MsgspecError) as error:
        raise StoreError(f"the kept text of {url} is damaged ({error}); read the page again") from error
    if pieces and repeated.shared is not None:
        content, rest = _with_own(content, rest, pieces, repeated.shared)
    if repeated.template:
        content, more = _without(content, rest, repeated.template)
        rest = f"{more}{rest}"
    return KeptText(**asdict(known), url=url, content=content, rest=rest)


def without_relative_dates(text: str) -> str:
    """A short line without times such as "3 hours ago"; a block of prose as it is, because it tells of the past."""
    return _AGO.sub("", text) if len(text) < _LINE else text


def block_number(text: str) -> int:
    """The hash of a block of text; of a line without relative dates."""
    return zlib.crc32(without_relative_dates(text).encode())


def key_of(markdown: str, level: int = 0, *, is_code: bool = False) -> str:
    """What tells a block from others of its host: its words, whatever they link to; of a heading its level, too. So the
    title of a page is not a block that the host repeats because menus name the page."""
    words = " ".join((markdown if is_code else _SIGNS.sub("", markdown)).split())
    return f"{'#' * level} {words}" if level else words


def keys_of(block: Block) -> list[str]:
    """Of a row, those of its cells."""
    if block.is_row:
        return [key for cell in _PIPE.split(block.markdown) if (key := key_of(cell.replace("\\|", "|")))]
    if block.is_code:
        return [key_of(block.texts[0], is_code=True)]
    return [key_of(block.markdown, block.level)]


def words_of(packed: bytes) -> list[str]:
    """The words of a record, those of menus included."""
    text = zlib.decompress(packed.partition(b"\n")[2]).decode().partition("\n")[2]
    return words_in(_SIGNS.sub("", text))


def words_in(text: str) -> list[str]:
    """The words of a text in lower case."""
    return _WORD.findall(text.lower())


def blocks_of(markdown: str) -> Iterator[Block]:
    """The blocks of Markdown that the crawl has written."""
    listing, fence, fence_line = list[str](), "", ""
    for number, line in enumerate(markdown.split("\n")):
        if listing:
            listing.append(line)
            if line.endswith(fence) and not line[: -len(fence)].strip(" >"):
                indent = len(line) - len(fence)
                lines = "\n".join([fence_line, *(each[indent:] for each in listing[1:])])
                yield Block(number - len(listing) + 1, number + 1, lines, is_code=True)
                listing = []
            continue
        begins = _BEGINS.match(line)
        assert begins is not None, "it may be empty"
        rest = line[begins.end() :]
        if rest[:3] == "```" and (found := _FENCE.match(rest)):
            listing, fence, fence_line = [line], found[1], rest
        elif rest and not _RULE.fullmatch(rest):
            yield Block(number, number + 1, rest, len(begins[1] or ""), is_row=begins[2] is not None)


def read(markdown: str) -> tuple[str, list[Link]]:
    """The words of a line of Markdown, and its links, without fragments."""
    if not _MARKUP.search(markdown):
        return _unescaped(markdown), []
    pieces, size, at = list[str](), 0, 0
    opened, links = list[tuple[int, int]](), list[Link]()
    for found in _MARKUP.finditer(markdown):
        before, code = _unescaped(markdown[at : found.start()]), found["code"] or ""
        at = found.end()
        if found["opens"]:
            opened.append((len(pieces) + 1, size + len(before)))
        words = code[1:-1] if code[:1] == code[-1:] == " " else code or found["letter"] or found["opens"] or ""
        pieces += before, words
        size += len(before) + len(words)
        if found["url"] is not None and opened:
            place, start = opened.pop()
            pieces[place] = ""  # its "[" is none of the text
            size -= 1
            links.append(Link(start, size, _unescaped(found["url"].strip("<>")).partition("#")[0]))
    return "".join((*pieces, _unescaped(markdown[at:]))), links


def _unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&amp;", "&") if "&" in text else text


def _with_own(content: str, rest: str, pieces: list[Piece], shared: frozenset[int]) -> tuple[str, str]:
    """The content with the pieces that the page has for itself, and the rest without them."""
    own = list[Piece]()
    for piece in pieces:
        start, end = piece.start, piece.start + piece.size
        is_free = all(end <= other.start or other.start + other.size <= start for other in own)
        if is_free and _is_own(rest[start:end], shared):
            own.append(piece)
    for at, start, size in sorted(own, reverse=True):
        shown = (content[:at], rest[start : start + size], content[at:].lstrip("\n"))
        content = "\n\n".join(filter(None, shown))
        rest = rest[:start] + rest[start + size :].lstrip("\n")
    return content, rest.rstrip("\n")


def _is_own(markdown: str, shared: frozenset[int]) -> bool:
    """True if most of a text stands on no other page."""
    keys = [key for block in blocks_of(markdown) for key in keys_of(block)]
    own = sum(
        len(key) for key in keys if shared.isdisjoint(block_number(each) >> ID_SHIFT for each in (key, BESIDE + key))
    )
    return own >= _MOST * sum(map(len, keys))


def _without(content: str, rest: str, repeated: Set[int]) -> tuple[str, str]:
    """The content without what the host repeats around it, in menus and in notices; and that.

    Headings and cells that stand between others, and all listings, are content, however often they are repeated:
    "Parameters", "Example". So is all of a page that would lose nearly all.
    """
    blocks, lines = [_Known.of(block) for block in blocks_of(content)], content.split("\n")
    out = list(_repeated(blocks, repeated))
    if not out or _loses_content(blocks, out, rest):
        return content, ""
    gone = {number for each in out for number in range(each.block.start, each.block.end)}
    kept = [line for number, line in enumerate(lines) if number not in gone and not (_is_gap(lines, number, gone))]
    return "\n".join(kept).strip("\n"), "".join(f"{each.block.markdown}\n\n" for each in out)


class _Known(NamedTuple):
    """A block with its keys, and the characters of its words in links."""

    block: Block
    keys: list[str]
    linked: int

    @staticmethod
    def of(block: Block) -> "_Known":
        return _Known(block, keys_of(block), 0 if block.is_code else sum(map(len, _LINKED.findall(block.markdown))))

    @property
    def size(self) -> int:
        return sum(map(len, self.keys))

    def is_in(self, repeated: Set[int], before: str = "") -> bool:
        return all(block_number(before + key) >> ID_SHIFT in repeated for key in self.keys)


def _loses_content(blocks: list[_Known], out: list[_Known], rest: str) -> bool:
    """True if less than a tenth of a page would be left without some blocks: they are its content, such as a table of
    contents, which menus repeat. A menu may be longer than the text beside it: there is prose, and the page has the
    menu once."""
    size, size_out = (sum(each.size for each in some) for some in (blocks, out))
    left = size - size_out
    if left * _PART < left + size_out - sum(each.linked for each in out):
        return True
    if left * _PART >= size:
        return False
    gone = {each.block.start for each in out}
    has_prose = any(each.size - each.linked >= _LINE for each in blocks if each.block.start not in gone)
    times = Counter(str(keys) for keys in (*(each.keys for each in blocks), *map(keys_of, blocks_of(rest))))
    return not has_prose or 2 * sum(each.size for each in out if times[str(each.keys)] > 1) > size_out


def _is_gap(lines: list[str], number: int, gone: Set[int]) -> bool:
    """True for a line without words behind one that is gone."""
    return number - 1 in gone and (not lines[number].strip(" >") or _RULE.search(lines[number]) is not None)


def _repeated(blocks: list[_Known], repeated: Set[int]) -> Iterator[_Known]:
    """The blocks that are outside the main content, as the host repeats them."""
    notices, is_notice = set[int](), False
    for each in reversed(blocks):  # what is beside the content of other pages, with its heading
        level = each.block.level
        is_long = each.size >= max(_SENTENCE, 2 * each.linked)
        is_notice = (is_notice if level else is_long) and each.is_in(repeated, BESIDE)
        if is_notice:
            notices.add(each.block.start)
    runs = [
        (is_known, list(run))
        for is_known, run in groupby(blocks, lambda each: each.block.start in notices or each.is_in(repeated))
    ]
    own = [number for number, (is_known, run) in enumerate(runs) if not is_known and not all(map(_is_link, run))]
    for number, (is_known, run) in enumerate(runs):
        is_outermost = number in (0, len(runs) - 1)
        is_beside_links = own != [] and not own[0] < number < own[-1]  # outside of them are links alone
        is_menu = len(run) >= _MENU and 2 * sum(each.linked for each in run) >= sum(each.size for each in run)
        for each in run if is_known else ():
            is_long = len(" ".join(each.keys).encode()) >= _NOTICE and not (each.block.level or each.block.is_row)
            is_notice = is_long or each.block.start in notices or (is_beside_links and not each.block.level)
            if not each.block.is_code and (is_outermost or is_menu or is_notice):
                yield each


def _is_link(block: _Known) -> bool:
    return 2 * block.linked > block.size
