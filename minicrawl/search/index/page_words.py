"""What the index takes from the kept text of a page.

It reads the record at once, without the blocks that `marked_text.unpack` makes: a tenth of the time.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, cast

from zlib_ng import zlib_ng

from minicrawl.errors import StoreError
from minicrawl.search.index.words import has_words
from minicrawl.store.texts.marked_text import BETWEEN_BLOCKS, CODE, END_OF_LINK, HEADING, ITEM, LINK, MARKS

_HEADING = re.compile(f"[{''.join(HEADING[:3])}]([^\0{CODE}{ITEM}]*)")
_ANCHOR = re.compile(f"{LINK}([^{LINK}{END_OF_LINK}\0]*)")
_HEAD = 8_192
"""Bytes of a record that are unpacked first: where few links are, all that stands before the text, and its begin."""
_Unpackable = cast("type[Exception]", zlib_ng.error)
_BETWEEN_BLOCKS = BETWEEN_BLOCKS.encode()
_MARK = re.compile(b"|".join(sorted(mark.encode() for mark in MARKS)))
_LONGEST_MARKED = 1_000
"""Characters of a link's text with its marks that are looked at."""
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
"""What links say on so many pages that it says nothing of their targets."""


class PageWords(NamedTuple):
    """Texts as they were written, each of a length that can be borne. `shown`: whether a search may show the page.

    `anchors`: where links lead, and what they say, in document order.
    """

    title: str
    language: str | None
    shown: bool
    headings: str
    text: str
    anchors: tuple[tuple[str, str], ...]


def page_words(record: bytes, url: str) -> PageWords:
    """The words of a kept text. url: of its page. Raises StoreError for what is no record."""
    head, text = _unpacked(record, url)
    try:
        title, language, _, shown, urls, targets = json.loads(head)
        links = [urls[target] if target >= 0 else None for target in targets]
    except (ValueError, TypeError, IndexError) as error:
        raise _damaged(url, error) from error
    headings = _plain(" . ".join(_HEADING.findall(text[:LONGEST_TEXT])))
    return PageWords(
        title=_plain(title or "")[:_LONGEST_TITLE],
        language=language,
        shown=shown,
        headings=headings[:_LONGEST_HEADINGS],
        text=_without_marks(text[:LONGEST_TEXT]),
        anchors=tuple(_anchors(links, text)),
    )


def text_words(record: bytes, url: str, most: int = LONGEST_TEXT) -> str:
    """The text of a kept text alone, on a line; most: characters of it that are looked at."""
    return _plain(_unpacked(record, url)[1][:most].replace(BETWEEN_BLOCKS, " "))


def text_begins(record: bytes, url: str, lengths: Iterable[int]) -> Iterator[str]:
    """What the text begins with, on a line, so many bytes of it at most; each length is more than the one before. No
    more is unpacked than is asked for."""
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
    """What is said of the text, as JSON, and the marked text."""
    try:
        head, _, text = zlib_ng.decompress(record).decode().partition("\n")
    except (_Unpackable, ValueError) as error:
        raise _damaged(url, error) from error
    return head, text


def _damaged(url: str, error: Exception) -> StoreError:
    return StoreError(f"the kept text of {url} is damaged ({error}); let the page be read again")


def _anchors(links: Sequence[str | None], text: str) -> Iterator[tuple[str, str]]:
    """links: where the links in a marked text lead, in order."""
    if not links:
        return
    for url, marked in dict.fromkeys(zip(links, _ANCHOR.findall(text), strict=False)):
        if url is not None and (words := _telling(marked[:_LONGEST_MARKED])):
            yield url, words


@lru_cache(20_000)
def _telling(marked: str) -> str:
    """What the marked text of a link says; nothing where that says nothing of its target. Menus stand on many pages."""
    words = _plain(marked)[:_LONGEST_ANCHOR]
    return words if words.lower() not in DULL and has_words(words) else ""


def _plain(text: str) -> str:
    """The words of marked text on a line."""
    return " ".join(_without_marks(text).split())


def _without_marks(text: str) -> str:
    if text.isascii():
        return text
    # Bytes of which the first two are given are found sooner than characters of a kind.
    return _MARK.sub(b"", text.encode()).decode()
