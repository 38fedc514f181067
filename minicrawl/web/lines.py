"""The lines of a page: the text between two tags, and its images, as numbers to know them again on other pages.

line        the text between two tags, of a listing (pre) that between two line breaks; in lower case, digits made 0,
            and a hexadecimal name, as of a commit, one number; what is neither letter nor digit is a gap between words,
            and so is an entity. The words that the query of the page's URL has do not count, numbers apart: "Results
            for roses" is one line with all that is sought. An image is a line of one word, its path
no line     comments, the text of elements in `UNREAD_NAMES`, and all before the body
bytes       above 127 are letters, whatever the encoding: a run of Chinese is one word
hash        of a line: a sum over its words, so that their order does not matter

A ">" in the value of an attribute ends its tag: what is behind it is a line, the same one on all pages.
"""

import re
import struct
import zlib
from bisect import bisect
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar
from urllib.parse import unquote_to_bytes

import numpy as np
import numpy.typing as npt

from minicrawl.web.fingerprint import BASE, LETTERS, Hashes, Places, placed_words
from minicrawl.web.marks import IMAGE, PRE, UNREAD, UNREAD_NAMES, Marks

_T = TypeVar("_T", np.uint32, np.uint64)
Numbers = npt.NDArray[np.uint32]
Octets = npt.NDArray[np.uint8]
Spans = list[tuple[int, int]]
_HEAD = struct.Struct("<qIIII")

LONGEST = 1 << 20
"""Bytes of a page that are read, from its body on."""
MOST = 1 << 14
"""Lines of a page that are read, those without a word among them."""
RUN, SAMPLED = 4, 8
"""Lines of a run with numbers; one run in so many is kept."""
WORDS_OF_A_PICTURE = 40
"""Words of a page for each of its pictures, at most."""

_BODY = re.compile(rb"<(?i:body)(?=[\s/>])")
_UNREAD = re.compile(rb"<(?:(?i:(%b))(?=[\s/>])|!--)" % b"|".join(UNREAD_NAMES))
_CLOSES: dict[bytes | None, re.Pattern[bytes]] = {
    name: re.compile(rb"</(?i:%b)(?=[\s/>])" % name) for name in (*UNREAD_NAMES, b"pre")
}
_CLOSES[None] = re.compile(rb"--(?=>)")
_PRE = re.compile(rb"<((?i:pre))(?=[\s/>])")
_IMAGE = re.compile(rb"""<(?i:img)\s[^<>]*?\b(?i:src)=["']?([^"'\s<>?]*)""")
_FORM = re.compile(rb"<(/?)(?i:form)(?=[\s/>])")
_DIGITS = bytes.maketrans(b"123456789", b"0" * 9)
_HEXADECIMAL = re.compile(r"\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b")
_HEXADECIMAL_WORD = re.compile(rb"(?=\d*[a-fA-F])[0-9a-fA-F]{7,}")
_SHORTEST_NAME = 7
_ZERO = placed_words(b" 0 ")[0][0]
_TITLE_PARTS = re.compile(r"\s[-–—|·»]\s|\s?:\s")
_OPEN, _SEMICOLON, _HASH, _AMPERSAND, _BREAK = b"<;#&\n"
_EITHER = np.uint8(0xFF ^ (_OPEN ^ ord(">")))  # "<" and ">" differ by one bit
_IS_LETTER = np.frombuffer(LETTERS, np.uint8) != ord(" ")
_LONGEST_ENTITY = 9
_ZERO_DIGIT, _ONE_DIGIT = np.uint8(ord("0")), np.uint8(ord("1"))
_ODD, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
_ONE = np.uint64(1)
_UPPER = np.uint64((1 << 32) - 1 << 32)


class Lines(NamedTuple):
    """The distinct lines of a page. `hashes`: ascending; `words`: of each line; `listing`: signed 64-bit hash of the
    set of its lines with their digits and all their words, in any order and however often each stands; 0: of none.
    `numbers`: words with a digit but 0, of `all_words` in all lines, as often as each stands. `numbered`: hashes of
    runs of `RUN` lines with such words, with their digits, one in `SAMPLED` of them by hash, ascending. `pictures`: of
    a page with few words for each image, hashes of the paths, digits included, of images outside forms."""

    hashes: Numbers
    words: Numbers
    listing: int
    numbers: int
    all_words: int
    numbered: Numbers
    pictures: Numbers


def lines_of(marks: Marks, url: str) -> Lines:
    """The lines of an HTML body at a normalised URL, of the first `LONGEST` bytes and `MOST` lines; the `listing` of a
    longer page is of its bytes, too."""
    body = marks.body
    begin = _BODY.search(body, 0, LONGEST)
    start = begin.start() if begin else 0
    end = min(start + LONGEST, len(body))
    octets = np.frombuffer(body, np.uint8)[start:end]
    brackets = ((octets & _EITHER) == _OPEN).nonzero()[0]
    is_open = octets.take(brackets) == _OPEN
    changes = (is_open[1:] != is_open[:-1]).nonzero()[0] + 1
    borders = np.append(brackets.take(changes[0 if is_open[:1].all() else 1 :]), len(octets))  # alternately ">" and "<"
    begins, ends = borders[:-1:2], borders[1::2]
    spans = _spans(body, _places(marks, UNREAD, [], start, end), _UNREAD, start, end)
    listings = _spans(body, _places(marks, PRE, spans, start, end), _PRE, start, end)
    is_line = ends - begins > 2
    is_line |= _IS_LETTER.take(octets.take(begins + 1, mode="clip"))  # else a line break or the like, or nothing
    for (_, behind), (first, last) in zip(spans, begins.searchsorted(spans).tolist(), strict=True):
        if first < last and ends[last - 1] > behind:  # the text behind a comment with a ">"
            begins[last - 1] = behind
            is_line[first : last - 1] = False
        else:
            is_line[first:last] = False
    shown = is_line.nonzero()[0]
    begins, ends = _broken(octets, begins.take(shown), ends.take(shown), listings)
    is_cut = end < len(body) or len(begins) > MOST
    begins, ends = begins[:MOST], ends[:MOST]
    lengths = ends - begins
    offsets = np.cumsum(lengths)
    offsets -= lengths
    places = np.arange(int(lengths.sum()))
    places += np.repeat(begins - offsets, lengths)
    query = url.partition("?")[2].replace("+", " ")
    known = placed_words(_named_in(query))[0] if query else None
    found = _hashed(octets.take(places).tobytes(), offsets, known)
    lines, exact = found.lines, found.exact
    images = _images(marks, spans, start, end)
    pictures = np.zeros(0, dtype=np.uint32)
    if images:
        paths = list(images.values())
        lines = np.concatenate((lines, _checksums(path.translate(_DIGITS) for path in paths) << _HALF | _ONE))
        exact = np.concatenate((exact, _checksums(paths)))
        shown = _pictures(body, end, images, found.all_words)
        pictures = _distinct(_checksums(shown).astype(np.uint32))
    listing = _of_set(exact)
    if is_cut and listing:
        listing ^= zlib.crc32(body)
    distinct, numbered = _halves(_distinct(lines)), _distinct(found.numbered)
    return Lines(*distinct, listing, found.numbers, found.all_words, numbered, pictures)


def pack(lines: Lines) -> bytes:
    """`Lines` as bytes, for `unpack`: 24, eight for each line, and four for each run and picture."""
    head = _HEAD.pack(lines.listing, lines.numbers, lines.all_words, len(lines.hashes), len(lines.pictures))
    lines_and_words = lines.hashes.astype(np.uint64) << _HALF | lines.words
    rest = np.concatenate((lines.pictures, lines.numbered))
    return head + lines_and_words.astype("<u8").tobytes() + rest.astype("<u4").tobytes()


def unpack(packed: bytes) -> Lines:
    """The `Lines` of a result of `pack`; none of b""."""
    listing, numbers, all_words, count, pictures = _HEAD.unpack_from(packed or bytes(_HEAD.size))
    lines = np.frombuffer(packed[_HEAD.size :], "<u8", count)
    rest = np.frombuffer(packed[_HEAD.size + 8 * count :], "<u4")
    return Lines(*_halves(lines), listing, numbers, all_words, rest[pictures:], rest[:pictures])


def listing_of(packed: bytes) -> int:
    """The `listing` alone of a result of `pack`."""
    listing: int = _HEAD.unpack_from(packed)[0]
    return listing


def title_hash(title: str) -> int:
    """A 32-bit hash of a title, in lower case, digits made 0, with one space for all white space; the name of a commit
    or a file in hexadecimal digits is a number as well."""
    plain = _HEXADECIMAL.sub("0", " ".join(title.lower().split()))
    return zlib.crc32(plain.encode("utf-8", "replace").translate(_DIGITS))


def title_parts(title: str) -> list[int]:
    """Hashes of the parts of a title between dashes, bars, dots and the like that stand alone, and behind colons, in
    order; of each the hash that a line of the same words has. Hexadecimal names are numbers, as in `title_hash`."""
    plain = _HEXADECIMAL.sub("0", title.replace("\xa0", " "))
    parts = [(">" + part).encode("utf-8", "replace") for part in _TITLE_PARTS.split(plain)]
    offsets = np.cumsum([0, *map(len, parts[:-1])])
    hashes: list[int] = (_hashed(b"".join(parts), offsets, None).lines >> _HALF).tolist()
    return hashes


class _Hashed(NamedTuple):
    """lines: the hash of each in the upper half, and the count of its words in the lower one. exact: 64-bit hashes of
    them, with all words as they stand."""

    lines: Hashes
    exact: Hashes
    numbered: Numbers
    numbers: int
    all_words: int


def _halves(lines: Hashes) -> tuple[Numbers, Numbers]:
    return (lines >> _HALF).astype(np.uint32), lines.astype(np.uint32)


def _places(marks: Marks, kind: int, unread: Spans, start: int, end: int) -> list[int]:
    """Where tags of a kind may begin in a body, outside of what is not read."""
    places = [at for at in marks.of(kind) if start <= at < end]
    if places and unread:
        befores = np.searchsorted([at for at, _ in unread], np.array(places) - start).tolist()
        places = [
            at for at, before in zip(places, befores, strict=True) if not before or unread[before - 1][1] <= at - start
        ]
    return places


def _spans(body: bytes, places: list[int], opening: re.Pattern[bytes], start: int, end: int) -> Spans:
    """The elements and comments that begin at some of these places: from the "<" in front of one up to the ">" behind a
    comment, or into the tag that closes it; to the end, if nothing does. Counted from `start` on."""
    spans, until = list[tuple[int, int]](), start
    for at in places:
        if until <= at and (tag := opening.match(body, at, end)):
            close = _CLOSES[tag[1] and tag[1].lower()].search(body, at + 2, end)
            until = close.end() if close else end
            spans.append((at - start, until - start))
    return spans


def _broken(octets: Octets, begins: Places, ends: Places, spans: Spans) -> tuple[Places, Places]:
    """Where lines begin and end, those within the spans broken at their line breaks."""
    if not spans or not len(begins):
        return begins, ends
    breaks = (octets == _BREAK).nonzero()[0]
    for firsts, lasts in (np.array(spans).T, (begins, ends)):  # in a listing, and in a line
        around = firsts.searchsorted(breaks, side="right") - 1
        breaks = breaks[(around >= 0) & (breaks < lasts.take(around, mode="clip"))]
    return np.sort(np.append(begins, breaks)), np.sort(np.append(ends, breaks))


def _images(marks: Marks, unread: Spans, start: int, end: int) -> dict[int, bytes]:
    """The paths of the images that are read, by the places of their tags."""
    places = _places(marks, IMAGE, unread, start, end)
    return {at: tag[1] for at in places if (tag := _IMAGE.match(marks.body, at, end))}


def _pictures(body: bytes, end: int, images: Mapping[int, bytes], words: int) -> list[bytes]:
    """Those outside of forms, if a page with so many words in its text up to here has few for each."""
    if len(images) * WORDS_OF_A_PICTURE < words:
        return []
    # A form shows another image each time, to tell people from programs.
    forms = [(0, False), *((tag.start(), not tag[1]) for tag in _FORM.finditer(body, 0, end))]
    return [path for at, path in images.items() if not forms[bisect(forms, (at,)) - 1][1]]


def _hashed(text: bytes, offsets: Places, known: Hashes | None) -> _Hashed:
    """The hashes of the lines that begin at these places of a text, each with a gap. `lines` are those that have a word
    beside the `known` ones, `exact` those that have any."""
    hashes, begins, ends = placed_words(_plain(text))
    exact, numbers = hashes, 0
    octets = np.frombuffer(text, np.uint8)
    digits = (octets - _ONE_DIGIT < 9).nonzero()[0]  # but 0
    if len(digits):
        exact = hashes.copy()
        words = begins.searchsorted(digits, side="right") - 1
        numbers = 1 + int((words[1:] != words[:-1]).sum())
        powers = np.power(np.uint64(BASE), (digits - begins.take(words)).astype(np.uint64))
        np.add.at(exact, words, (octets.take(digits) - _ZERO_DIGIT) * powers)
        words = words[(ends - begins).take(words) >= _SHORTEST_NAME]
        for word in set(words.tolist()):
            if _HEXADECIMAL_WORD.fullmatch(text, begins[word], ends[word]):
                hashes[word] = _ZERO
    if b"&" in text and len(hashes):
        is_word = _no_entities(octets, begins, ends)
        hashes, exact, begins = hashes[is_word], exact[is_word], begins[is_word]
    bounds = np.append(begins.searchsorted(offsets), len(begins))
    bounds = np.append(bounds[:-1][bounds[:-1] < bounds[1:]], len(begins))  # of lines with a word
    all_words, exact = len(exact), _sums(exact, bounds)
    numbered = _runs(exact, exact != _sums(hashes, bounds) if numbers else bounds[:0])
    if known is not None:
        is_new = np.isin(hashes, known, invert=True)
        hashes = hashes[is_new]
        bounds = np.append(0, np.add.accumulate(is_new))[bounds]
    lines = _sums(hashes, bounds)
    lines *= _ODD
    lines &= _UPPER
    lines |= (bounds[1:] - bounds[:-1]).astype(np.uint64)
    if known is not None:
        lines = lines[bounds[:-1] < bounds[1:]]
    return _Hashed(lines, exact, numbered, numbers, all_words)


def _runs(exact: Hashes, has_number: npt.NDArray[np.bool_]) -> Numbers:
    """A sample of the hashes of runs of lines of which one has a number."""
    count = len(has_number) - RUN + 1
    if count <= 0:
        return np.zeros(0, dtype=np.uint32)
    powers = _ODD ** np.arange(RUN, dtype=np.uint64)
    whole = np.lib.stride_tricks.sliding_window_view(exact, RUN) @ powers
    are_meant = np.lib.stride_tricks.sliding_window_view(has_number, RUN).any(axis=1)
    runs, _ = _halves(_scrambled(whole[are_meant]))
    sample: Numbers = runs[runs % SAMPLED == 0]
    return sample


def _sums(hashes: Hashes, bounds: Places) -> Hashes:
    """The sum of the scrambled hashes between each two bounds."""
    sums = np.zeros(len(hashes) + 1, dtype=np.uint64)
    np.add.accumulate(_scrambled(hashes), out=sums[1:])
    sums = sums.take(bounds)
    return sums[1:] - sums[:-1]


def _scrambled(hashes: Hashes) -> Hashes:
    product = hashes * _ODD
    product ^= product >> _HALF
    product *= _ODD
    return product


def _no_entities(octets: Octets, begins: Places, ends: Places) -> npt.NDArray[np.bool_]:
    """Whether each word is not a name or number of an entity."""
    gaps = (octets == _AMPERSAND).nonzero()[0] + 1  # of the plain text, in front of the names
    gaps += octets[np.minimum(gaps, len(octets) - 1)] == _HASH
    words = np.minimum(begins.searchsorted(gaps), len(begins) - 1)
    words = words[begins[words] == gaps]
    lasts = ends[words]
    is_closed = octets[np.minimum(lasts, len(octets) - 1)] == _SEMICOLON
    are_words = np.ones(len(begins), dtype=np.bool_)
    are_words[words[is_closed & (lasts - begins[words] <= _LONGEST_ENTITY)]] = False
    return are_words


def _named_in(query: str) -> bytes:
    """The words of a query but for its numbers, which stand in many lines with digits made 0."""
    words = _plain(unquote_to_bytes(query)).split()
    return b" %b " % b" ".join(word for word in words if word.strip(b"0"))


def _plain(text: bytes) -> bytes:
    """A text as `placed_words` takes it, digits made 0."""
    return b" %b " % text.translate(LETTERS)


def _checksums(values: Iterable[bytes]) -> Hashes:
    return np.array([zlib.crc32(value) for value in values], dtype=np.uint64)


def _of_set(hashes: Hashes) -> int:
    """A hash of the set of these, signed; 0 for none."""
    distinct = _distinct(hashes)
    return int(_scrambled(distinct).sum().astype(np.int64)) or 1 if len(distinct) else 0


def _distinct(numbers: npt.NDArray[_T]) -> npt.NDArray[_T]:
    """These once each, ascending."""
    ordered = np.sort(numbers)
    return np.concatenate((ordered[:1], ordered[1:][ordered[1:] != ordered[:-1]]))
