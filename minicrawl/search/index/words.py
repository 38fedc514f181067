"""The words of a text as the index has them, and those of a kept text.

SQLite's tokenizer (FTS5's unicode61 under porter) makes words of letters and digits, without accents, and strips
English endings; everything else separates words. So "std::vector" and "mod_rewrite" are two words each, one behind the
other, and found as such. Characters that it would lose are spelt in letters: "c++" is "cplusplus", "c#" "csharp". In
scripts without spaces, such as Chinese and Japanese, every two characters in a row are a word.

Kept texts are parsed without the blocks that `marked_text.unpack` makes, in a tenth of the time.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import chain, compress
from operator import not_
from typing import NamedTuple, cast

import numpy as np
from zlib_ng import zlib_ng

from minicrawl.errors import StoreError
from minicrawl.store.texts.marked_text import BETWEEN_BLOCKS, CODE, END_OF_LINK, HEADING, ITEM, LINK, MARKS, frames

TOKENIZER = "porter unicode61 remove_diacritics 2"
"""The tokenizer of FTS5."""

# Both begin with the text they look for, which a regular expression finds fast; the text before is checked then.
_PLUSPLUS = re.compile(r"\+\+(?![+#])")
_SHARP = re.compile(r"#(?<=[^\W\d_]#)(?<![^\W_][^\W\d_]#)(?![+#])")
_NAME_BEFORE = re.compile(r"(?<![^\W_])[^\W\d_]{1,16}\Z")
_LONGEST_NAME = 16
UNSPACED = (
    "\u3005-\u3007"  # marks of repetition, and a zero
    "\u3040-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Chinese characters
    "\U00020000-\U0003ffff"
)
_FIRST_UNSPACED = ord(UNSPACED[0])
_RUN = re.compile(f"[{UNSPACED}]+")
_WORD = re.compile(r"[^\W_]+")


def indexed(text: str) -> str:
    """Text as it is passed to FTS5, for the index and for queries."""
    if "++" in text:
        text = _PLUSPLUS.sub(_plusplus, text)
    if "#" in text:
        text = _SHARP.sub("sharp ", text)
    if text.isascii() or not _may_be_unspaced(text):
        return text
    return _RUN.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", text)


def has_words(text: str) -> bool:
    """True if text has words that a search can find."""
    return _WORD.search(text) is not None


def words_of(text: str) -> list[str]:
    """The words of text as people write them, in lower case; text of scripts without spaces in pairs."""
    return [word.lower() for word in _WORD.findall(indexed(text))]


def is_one_unspaced_character(text: str) -> bool:
    """True if text is a single character of a script without spaces, which may be the first of a pair."""
    return len(text) == 1 and _RUN.fullmatch(text) is not None


def _plusplus(found: re.Match[str]) -> str:
    start = found.start()
    name = _NAME_BEFORE.search(found.string, max(0, start - _LONGEST_NAME), start)
    return "plusplus " if name else found[0]


def _may_be_unspaced(text: str) -> bool:
    """True if text has characters as high as those of scripts without spaces; the regular expression would take longer
    than all the rest."""
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype=np.uint16)
    return bool((units >= _FIRST_UNSPACED).any())


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


_HEADING = re.compile(f"[^\0{CODE}{ITEM}]*")
_ANCHOR = re.compile(f"{LINK}([^{LINK}{END_OF_LINK}\0]*)")
_HEAD = 8_192
"""Bytes of a record unpacked first: with few links these include the begin of the text."""
_Unpackable = cast("type[Exception]", zlib_ng.error)
_BETWEEN_BLOCKS = BETWEEN_BLOCKS.encode()
_MARK = re.compile(b"|".join(sorted(mark.encode() for mark in MARKS)))
_LONGEST_MARKED = 1_000
"""Characters of a link's text, with its marks, that count."""
_LONGEST_TITLE, _LONGEST_HEADINGS, _LONGEST_ANCHOR, LONGEST_TEXT = 300, 200, 100, 500_000
DULL = frozenset(
    (
        "next",
        "previous",
        "prev",
        "up",
        "top",
        "home",
        "here",
        "link",
        "more",
        "read more",
        "click here",
        "back",
        "index",
    )
)
"""Texts of links that are too common to describe their targets."""


class PageWords(NamedTuple):
    """Texts of a page as written, cut to a length: its main content. `shown`: a search may show the page.

    `anchors`: (target URL, text) of its links, in document order.
    """

    title: str
    language: str | None
    shown: bool
    headings: str
    text: str
    anchors: tuple[tuple[str, str], ...]


def page_words(record: bytes, url: str, template: Set[int] = frozenset()) -> PageWords:
    """The words of a stored text. url: of its page; template: of its host, as in `frames`.

    Raises StoreError for a damaged record."""
    head, text = _unpacked(record, url)
    try:
        title, language, _, shown, urls, targets, *_ = json.loads(head)
        links = [urls[target] if target >= 0 else None for target in targets]
    except (ValueError, TypeError, IndexError) as error:
        raise _damaged(url, error) from error
    blocks, is_out = text.split(BETWEEN_BLOCKS), frames(text, template)
    content = BETWEEN_BLOCKS.join(compress(blocks, map(not_, is_out)))[:LONGEST_TEXT]
    headings = _plain(" . ".join(_headings(content)))
    return PageWords(
        title=_plain(title or "")[:_LONGEST_TITLE],
        language=language,
        shown=shown,
        headings=headings[:_LONGEST_HEADINGS],
        text=_without_marks(content),
        anchors=tuple(_anchors(links, text)),
    )


def text_words(record: bytes, url: str, most: int = LONGEST_TEXT) -> str:
    """The text of a record on one line; most: characters that are read."""
    return _plain(_unpacked(record, url)[1][:most].replace(BETWEEN_BLOCKS, " "))


def text_begins(record: bytes, url: str, lengths: Iterable[int]) -> Iterator[str]:
    """The begin of the text on one line, up to each of these rising numbers of bytes. No more is unpacked than asked
    for."""
    unpacking, octets, packed, size, start = zlib_ng.decompressobj(), b"", record, _HEAD, 0
    for length in lengths:
        while not unpacking.eof and (not start or len(octets) < start + length):
            try:
                more = unpacking.decompress(packed, size)
            except _Unpackable as error:
                raise _damaged(url, error) from error
            packed = unpacking.unconsumed_tail
            if not more and (not unpacking.eof or not octets):
                raise _damaged(url, EOFError("it breaks off"))
            octets += more
            start = start or octets.find(b"\n") + 1
            size *= 2
        begin = _MARK.sub(b"", octets[start : start + length]).replace(_BETWEEN_BLOCKS, b" ")
        yield " ".join(begin.decode(errors="ignore").split())
        if unpacking.eof and len(octets) <= start + length:
            return


def _unpacked(record: bytes, url: str) -> tuple[str, str]:
    """The head of a record, as JSON, and the marked text."""
    try:
        head, _, text = zlib_ng.decompress(record).decode().partition("\n")
    except (_Unpackable, ValueError) as error:
        raise _damaged(url, error) from error
    return head, text


def _damaged(url: str, error: Exception) -> StoreError:
    return StoreError(f"the kept text of {url} is damaged ({error}); let the page be read again")


def _headings(text: str) -> Iterator[str]:
    """The headings of h1 to h3 in a marked text, in order. `find` skips other text faster than a regular expression."""
    end = 0
    for start in sorted(chain.from_iterable(_places(mark, text) for mark in HEADING[:3])):
        if start >= end:
            found = _HEADING.match(text, start + 1)
            assert found is not None, "it matches the empty text, too"
            end = found.end()
            yield found[0]


def _places(mark: str, text: str) -> Iterator[int]:
    start = text.find(mark)
    while start >= 0:
        yield start
        start = text.find(mark, start + 1)


def _anchors(links: Sequence[str | None], text: str) -> Iterator[tuple[str, str]]:
    """links: targets of the links in a marked text, in order."""
    if not links:
        return
    for url, marked in dict.fromkeys(zip(links, _ANCHOR.findall(text), strict=False)):
        if url is not None and (words := _telling(marked[:_LONGEST_MARKED])):
            yield url, words


@lru_cache(20_000)
def _telling(marked: str) -> str:
    """The words of a link's marked text, empty if they do not describe its target. Cached, as menus are on many
    pages."""
    words = _plain(marked)[:_LONGEST_ANCHOR]
    return words if words.lower() not in DULL and has_words(words) else ""


def _plain(text: str) -> str:
    """The words of marked text on a line."""
    return " ".join(_without_marks(text).split())


def _without_marks(text: str) -> str:
    if text.isascii():
        return text
    # A search for bytes with a fixed begin is faster than for a class of characters.
    return _MARK.sub(b"", text.encode()).decode()
