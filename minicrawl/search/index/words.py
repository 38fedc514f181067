"""The words of a text as the index has them, and those of a kept text.

Words are runs of letters and digits in lower case, stemmed by Snowball for the page's language (a page without one is
taken for English), without accents and without unseen marks such as soft hyphens; everything else separates words. So
"std::vector" and "mod_rewrite" are two words each, one behind the other, and found as such. Signs that would be lost
are spelt in letters: "c++" is "cplusplus", "c#" "csharp". In scripts without spaces, such as Chinese and Japanese,
every two characters in a row are a word.

A text is cut into pieces at ASCII signs; the words of a piece are looked up, as most pieces come again. Kept texts are
parsed without the blocks that `marked_text.unpack` makes, in a tenth of the time.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import chain, compress, islice
from operator import not_
from typing import NamedTuple, cast

from zlib_ng import zlib_ng

from minicrawl.errors import StoreError
from minicrawl.store.texts.marked_text import (
    BETWEEN_BLOCKS,
    CODE,
    END_OF_FRAME,
    END_OF_LINK,
    FRAME,
    HEADING,
    ITEM,
    LINK,
    MARKS,
    frames,
)

_STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nb": "norwegian", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
UNKNOWN = "en"
"""The language of pages that do not declare theirs."""
_PLUSPLUS = re.compile(r"(?<![^\W_])([^\W\d_]{1,16})\+\+(?![+#])")
_SHARP = re.compile(r"(?<![^\W_])([^\W\d_])#(?![+#])")
UNSPACED = (
    "\u3005-\u3007"  # marks of repetition, and a zero
    "\u3040-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Chinese characters
    "\U00020000-\U0003ffff"
)
_UNSEEN = re.compile("[\xad\u200b-\u200d\u2060\ufeff]+")
"""Marks inside words that are not seen: where to break a line or not, and how letters join."""
_RUN = re.compile(f"[{UNSPACED}]+")
_WORD = re.compile(r"[^\W_]+")
_ACCENTS = re.compile("[\u0300-\u036f]+")
_PIECES = bytes(
    octet | 32 if 65 <= octet <= 90 else octet if octet >= 128 or chr(octet).isalnum() or octet in b"+#" else 32
    for octet in range(256)
)
"""ASCII letters in lower case, and a space for every ASCII sign that only separates words."""
_LONGEST_PIECE, _MOST_PIECES = 48, 300_000
LONGEST_WORD = 60


class _Stems(dict[bytes, str]):
    """The words of pieces of text in a language."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._stem = _stemmer(_STEMMERS.get(language))
        self._folds_first = language == UNKNOWN  # in others the ending may turn on an accent

    def __missing__(self, piece: bytes) -> str:
        found = " ".join(self._words(piece.decode(errors="ignore")))
        if len(piece) <= _LONGEST_PIECE:
            if len(self) >= _MOST_PIECES:
                self.clear()
            self[piece] = found
        return found

    def _words(self, piece: str) -> Iterator[str]:
        for word in words_of(piece):
            if _RUN.match(word):
                yield word
            elif self._folds_first:
                yield self._stem(_unaccented(word[:LONGEST_WORD]))
            else:
                yield _unaccented(self._stem(word[:LONGEST_WORD]))


def _stemmer(language: str | None) -> Callable[[str], str]:
    """The function for the stem of a word; language: as Snowball names it."""
    if language is None:
        return str
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer  # noqa: PLC0415 - a search alone needs it

    words = TextAnalyzerBuilder(Tokenizer.whitespace()).filter(Filter.stemmer(language)).build()
    return lambda word: "".join(words.analyze(word))


@lru_cache(64)
def _stems(language: str) -> _Stems:
    return _Stems(language)


def analysed(text: str, language: str | None = None) -> str:
    """The words of a text as the index has them, one space apart. language: a tag such as "en-GB"."""
    primary = primary_language(language)
    pieces = text.encode(errors="ignore").translate(_PIECES).split()
    return " ".join(filter(None, map(_stems(primary if primary in _STEMMERS else "").__getitem__, pieces)))


def primary_language(language: str | None) -> str:
    """The first part of a language tag, in lower case; UNKNOWN for none."""
    return (language or UNKNOWN).lower().replace("_", "-").partition("-")[0].strip() or UNKNOWN


def has_words(text: str) -> bool:
    """True if text has words that a search can find."""
    return _WORD.search(text) is not None


def words_of(text: str) -> list[str]:
    """The words of text as people write them, in lower case; text of scripts without spaces in pairs."""
    if not text.isascii():
        text = _UNSEEN.sub("", text)
    if "++" in text:
        text = _PLUSPLUS.sub(r"\1plusplus ", text)
    if "#" in text:
        text = _SHARP.sub(r"\1sharp ", text)
    if not text.isascii():
        text = _RUN.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", unicodedata.normalize("NFC", text))
    return [word.lower() for word in _WORD.findall(text)]


def is_one_unspaced_character(text: str) -> bool:
    """True if text is a single character of a script without spaces, which may be the first of a pair."""
    return len(text) == 1 and _RUN.fullmatch(text) is not None


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def _unaccented(word: str) -> str:
    if word.isascii():
        return word
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", word)))


_HEADING = re.compile(f"[^\0{CODE}{ITEM}]*")
_ANCHOR = re.compile(f"{LINK}([^{LINK}{END_OF_LINK}\0]*)")
_HEAD = 8_192
"""Bytes of a record unpacked first: with few links these include the begin of the text."""
_Unpackable = cast("type[Exception]", zlib_ng.error)
_BETWEEN_BLOCKS = BETWEEN_BLOCKS.encode()
_MARK = re.compile(b"|".join(sorted(mark.encode() for mark in MARKS)))
_FRAMED = re.compile(FRAME.encode() + b".*?(?:" + END_OF_FRAME.encode() + rb"|\Z)", re.DOTALL)
_LONGEST_MARKED = 1_000
"""Characters of a link's text, with its marks, that count."""
_LONGEST_TITLE, _LONGEST_HEADING, _MOST_HEADINGS, _LONGEST_ANCHOR, LONGEST_TEXT = 300, 100, 12, 100, 200_000
DULL = frozenset("next,previous,prev,up,top,home,here,link,more,read more,click here,back,index".split(","))  # noqa: SIM905
"""Texts of links that are too common to describe their targets."""


class PageWords(NamedTuple):
    """Texts of a page as written, cut to a length: its main content. `shown`: a search may show the page.

    `headings`: of h1 to h3. `text`: the main content. `anchors`: (target URL, text) of its links, in document order.
    """

    title: str
    language: str | None
    shown: bool
    headings: tuple[str, ...]
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
    return PageWords(
        title=_plain(title or "")[:_LONGEST_TITLE],
        language=language,
        shown=shown,
        headings=tuple(_plain(heading)[:_LONGEST_HEADING] for heading in islice(_headings(content), _MOST_HEADINGS)),
        text=_without_marks(content),
        anchors=tuple(_anchors(links, text)),
    )


def text_begins(record: bytes, url: str, lengths: Iterable[int]) -> Iterator[str]:
    """The begin of the text on one line, up to each of these rising numbers of bytes, without the frames of the page if
    there is more. No more is unpacked than asked for."""
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
        begin = octets[start : start + length]
        yield _on_a_line(_FRAMED.sub(b"", begin)) or _on_a_line(begin)
        if unpacking.eof and len(octets) <= start + length:
            return


def _on_a_line(marked: bytes) -> str:
    return " ".join(_MARK.sub(b"", marked).replace(_BETWEEN_BLOCKS, b" ").decode(errors="ignore").split())


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
