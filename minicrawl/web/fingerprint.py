"""Fingerprints of HTML pages, by which equal, similar and "not found" pages are recognised.

payload     64-bit digest of what the body shows: its text without queries of URLs, and the paths of images and scripts.
            Other attributes, and scripts in the page, hold tokens against forged requests, nonces, ids of requests.
            Where it has next to no words, of all but link targets, and without the bit SAYS_SOMETHING
digest      ... of the origin, and what the body shows without the page's own path
sketch      40 bytes to estimate the similarity of two pages
short text  of a page that may say "not found"; its vocabulary, hashes of its distinct words, is taken where it is
            compared (soft404.py): pages for URLs that do not exist share theirs

Sketches:

word      the characters between white space or tags, in lower case. Its hash is the sum of byte i times B^i, modulo
          2^64, so that the hashes of all words come from one running sum over the text
shingle   three words in a row
J         Jaccard similarity of two pages: the shingles in both, divided by the shingles in either

The hashes of a page's shingles are shuffled and sorted into bins. The least hash in a bin gives one bit of the sketch
(one permutation hashing: Li, Owen, Zhang, NIPS 2012); an empty bin takes the bit of the next bin that is not empty
(Shrivastava, Li, ICML 2014). With four shuffles of 80 bins few bins are empty even if a page has few shingles. The
least hash of a bin is the same in two pages with probability J, else its bit is random, so that

    J is about 1 - 2 distance / BITS

where `distance` is the number of bits that differ (b-bit minwise hashing: Li, Koenig, WWW 2010). With BITS = 320 the
standard error is sqrt((1 - J^2) / BITS): .024 at J = .9.

Vocabularies: a word is a run of letters, in lower case. A word with a digit counts only as a number, as ids, times,
prices and counters change with every response. Two words are equal if their lengths (up to 16 bytes) and their first
and last eight bytes are.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

import numpy as np
import numpy.typing as npt

from minicrawl.web.marks import IMAGE, SCRIPT, Marks

Hashes = npt.NDArray[np.uint64]
Places = npt.NDArray[np.int64]

FEWEST_WORDS, SAYS_SOMETHING = 4, 1
"""Distinct words from which on a payload has that bit: nearly empty pages are duplicates of none."""

_ENOUGH = 64  # words to search for distinct ones
_LITTLE = 400  # bytes of text
_MUCH = 1 << 15  # bytes of a page without short text: pages for URLs that do not exist are shorter
_UNSEEN = re.compile(rb"<(title|noscript)\b.*?</\1", re.DOTALL | re.IGNORECASE)
_TARGETS = re.compile(rb"""href=("[^"]*|'[^']*|)""")
_SCRIPT = re.compile(rb"<script\b")
_SHOWN = re.compile(rb"""<(?:img|script|IMG)\s[^<>]*?\b(?:src|SRC)=["']?([^"'\s<>?]*)""")
_QUERY = re.compile(rb"""\?[\w.%-]+=[^\s<>"']*""")

BITS = 320
FEWEST_SHINGLES = 32
"""Shingles below which a page has no sketch: a single word would move too many bits."""
_SPACE = ord(" ")
LONGEST = 48 * 1024
"""Bytes of a page that are sketched, in its middle."""
# Letters in lower case, and a space for all that separates words.
_PLAIN = bytes(_SPACE if code <= _SPACE or code == ord(">") else code for code in bytes(range(256)).lower())
_PIECES = re.compile(rb">\s*+[^<]++(?!</(?i:script|style))")
_ODD = tuple(np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93))
_HALF = np.uint64(32)
_SHUFFLES = np.array([[0x9E3779B1], [0x85EBCA77], [0xC2B2AE3D], [0x27D4EB2F]], dtype=np.uint32)
_BINS = BITS // len(_SHUFFLES)
_FIRST_BINS = np.arange(len(_SHUFFLES), dtype=np.int64)[:, None] * _BINS
_NO_HASH = np.uint32(2**32 - 1)
_ODD32, _TOP32 = np.uint32(0x2C1B3C6D), np.uint32(1 << 31)
BASE = 0x5851F42D4C957F2D
_INVERSE = pow(BASE, -1, 2**64)


def _powers(base: int, first: int, size: int = LONGEST + 2) -> Hashes:
    """first, first * base, first * base^2 and so on, modulo 2^64: by default a number for every byte that is
    sketched."""
    factors = np.full(size, base, dtype=np.uint64)
    factors[0] = first
    return np.cumprod(factors)


_POWERS = _powers(BASE, 1)  # B^i
_INVERSES = _powers(_INVERSE, _INVERSE)  # B^-(i + 1)

LONGEST_KEPT = 6_144
"""Bytes of a short text: pages for URLs that do not exist have less."""

_ENTITIES = re.compile(rb"&#?\w{1,9};")
_DIGIT = ord("0")
_MARGIN = b" " * 8  # so that the eight bytes before and behind any place are inside the text
# By a word's length: mask of its first eight bytes; mask of its last eight, if it is longer; its length, if it is not.
_FIRST = np.array([(1 << 8 * min(length, 8)) - 1 for length in range(17)], dtype=np.uint64)
_LAST = np.array([0 if length <= 8 else (1 << 64) - 1 for length in range(17)], dtype=np.uint64)
_SHORT = np.array([length if length <= 8 else 0 for length in range(17)], dtype=np.uint64)


class Identity(NamedTuple):
    """Digests are signed 64-bit numbers. `payload`: None for a page without a word; `sketch`: None for one with few;
    `short_text`: None for a page with much text, or where it is not wanted; `lines`: the packed lines of the page
    (lines.py), where they are wanted."""

    digest: int
    payload: int | None
    sketch: bytes | None
    short_text: bytes | None
    lines: bytes | None = None


def identity_of(body: bytes, url: str, marks: Marks | None = None, *, wants_text: bool = True) -> Identity:
    """The fingerprints of an HTML body at a normalised URL. marks: of the body, if they are known. wants_text: if
    False, `short_text` is None.

    `digest` ignores link targets, also where the text of a link is its URL, and the page's own path, with and without
    query: they contain session ids, dates, and the URL that does not exist. It includes the origin, as equal pages of
    two sites are no sign of a trap.
    """
    *origin, path = url.split("/", 3)
    marks = marks or Marks(body)
    seen, whole = _texts(marks)
    words = words_of(seen)
    has_words = len(set(words[:_ENOUGH].tolist())) >= FEWEST_WORDS
    if has_words:
        shown = b"\n".join(tag[1] for at in marks.of(IMAGE | SCRIPT) if (tag := _SHOWN.match(body, at)))
    else:  # its scripts may show something
        whole, shown = _TARGETS.sub(b"", body).lower(), b""
    own_text = text = _QUERY.sub(b"", whole)
    for own in filter(None, dict.fromkeys((path, path.partition("?")[0]))):
        own_text = own_text.replace(own.lower().encode(), b"")
    return Identity(
        _digest(b"\n".join(("/".join(origin).encode(), own_text, shown))),
        _digest(text + b"\n" + shown) & ~SAYS_SOMETHING | has_words if len(words) else None,
        sketch_of(shingles_of(words)),
        _short_text(seen, body) if wants_text else None,
    )


def _short_text(text: bytes, body: bytes) -> bytes | None:
    """The text of a page that may say "not found"; if it has little, without its title and noscript elements."""
    if len(body) > _MUCH or len(text) > LONGEST_KEPT:
        return None
    return text if len(text) > _LITTLE else shown_text(body)


def _digest(text: bytes) -> int:
    """The first 64 bits of SHA-1, as SQLite stores integers."""
    return int.from_bytes(hashlib.sha1(text, usedforsecurity=False).digest()[:8], "big", signed=True)


def text_of(body: bytes) -> bytes:
    """The text of an HTML body without scripts and style sheets, in lower case, with spaces between words."""
    return _texts(Marks(body))[1]


def _texts(marks: Marks) -> tuple[bytes, bytes]:
    """The text in the middle `LONGEST` bytes of a body, and the whole."""
    body = _without_scripts(marks)
    size = len(body)
    if size <= LONGEST:
        seen = b" %b " % b"".join(_pieces(body, 0, size)).translate(_PLAIN)
        return seen, seen
    middle = (size - LONGEST) // 2
    start = body.find(b">", middle)  # where pieces begin
    end = max(start, body.rfind(b">", 0, middle + LONGEST))
    before, seen, behind = (
        b"".join(_pieces(body, *part)).translate(_PLAIN) for part in ((0, start), (start, end), (end, size))
    )
    return b" %b " % seen, b" %b%b%b " % (before, seen, behind)


def _without_scripts(marks: Marks) -> bytes:
    body, kept, at = marks.body, list[bytes](), 0
    for start in marks.of(SCRIPT):
        if start >= at and _SCRIPT.match(body, start):
            kept.append(body[at : start + 1])  # its "<" stands between the text before it and the end of the script
            at = body.find(b"</script", start)
            if at < 0:
                return b"".join(kept)
    return b"".join((*kept, body[at:])) if kept else body


def _pieces(body: bytes, start: int, end: int) -> Iterator[bytes]:
    """The text between two places in parts: a large page may be a million pieces."""
    while start < end:
        tag = body.find(b">", start + LONGEST, end)  # where pieces begin
        start, behind = (end if tag < 0 else tag), start
        yield b"".join(_PIECES.findall(body, behind, start))


def shown_text(body: bytes) -> bytes:
    """`text_of` a whole body, without the title and noscript elements of its beginning."""
    return text_of(b">" + _UNSEEN.sub(b"", body[:_MUCH]) + body[_MUCH:])


def words_of(plain: bytes) -> Hashes:
    """A hash of each word of a text of up to `LONGEST` bytes between spaces, in order."""
    return placed_words(plain)[0]


def placed_words(plain: bytes) -> tuple[Hashes, Places, Places]:
    """The hashes of the words of a text between spaces, in order, the places in front of each, and of its last byte."""
    text = np.frombuffer(plain, np.uint8)
    is_gap = text == _SPACE
    borders = (is_gap[:-1] != is_gap[1:]).nonzero()[0]  # alternately in front of a word and its last byte
    begins, ends = borders[::2], borders[1::2]
    powers, inverses = _POWERS, _INVERSES
    if len(text) > len(powers):
        powers, inverses = _powers(BASE, 1, len(text)), _powers(_INVERSE, _INVERSE, len(text))
    sums = text * powers[: len(text)]
    np.add.accumulate(sums, out=sums)
    hashes: Hashes = sums.take(ends)
    hashes -= sums.take(begins)
    hashes *= inverses.take(begins)
    return hashes, begins, ends


def shingles_of(words: Hashes) -> npt.NDArray[np.uint32]:
    """A hash of each run of three words."""
    return (mixed(words[:-2] + (words[1:-1] << np.uint64(1)), words[2:]) >> _HALF).astype(np.uint32)


def sketch_of(shingles: npt.NDArray[np.uint32]) -> bytes | None:
    """A sketch of BITS / 8 bytes; None for a page with too few shingles."""
    if len(shingles) < FEWEST_SHINGLES:
        return None
    shuffled = shingles * _SHUFFLES
    bins = (shuffled.astype(np.uint64) * np.uint64(_BINS) >> _HALF).astype(np.int64) + _FIRST_BINS
    least = np.full((len(_SHUFFLES), _BINS), _NO_HASH)
    np.minimum.at(least.reshape(-1), bins.reshape(-1), shuffled.reshape(-1))
    if (least == _NO_HASH).any():
        behind = np.tile(least, 2)
        places = np.where(behind == _NO_HASH, 2 * _BINS - 1, np.arange(2 * _BINS))
        nearest = np.minimum.accumulate(places[:, ::-1], axis=1)[:, : -_BINS - 1 : -1]
        least = np.take_along_axis(behind, nearest, axis=1)
    return np.packbits(least * _ODD32 >= _TOP32).tobytes()


def distance(one: bytes, other: bytes) -> int:
    """The number of bits in which two sketches differ."""
    return (int.from_bytes(one) ^ int.from_bytes(other)).bit_count()


def alike(distance: int) -> float:
    """The estimated J of two pages from the distance of their sketches."""
    return max(0.0, 1 - 2 * distance / BITS)


def mixed(low: Hashes, high: Hashes) -> Hashes:
    """A hash of each pair of numbers, shape as theirs."""
    product: Hashes = low * _ODD[0]
    product ^= high * _ODD[1]
    product ^= product >> _HALF
    product *= _ODD[2]
    product ^= product >> _HALF
    return product


def _letter(code: int) -> int:
    """Map a byte of UTF-8: letters to lower case, digits to "0", all others to a space."""
    if code >= 128 or chr(code).isalpha():
        return ord(chr(code).lower()) if code < 128 else code
    return _DIGIT if chr(code).isdigit() else _SPACE


LETTERS = bytes(map(_letter, range(256)))


def vocabulary(text: bytes | None) -> bytes:
    """The count of numbers in a short text, then the hashes of its distinct words, ascending: four bytes each; empty
    for None, a long text."""
    return b"" if text is None else _hashed(text).tobytes()


def read_vocabulary(vocabulary: bytes) -> tuple[frozenset[int], int]:
    """Hashes of the words in a result of `vocabulary`, and the count of those with a digit."""
    numbers, *words = memoryview(vocabulary or bytes(4)).cast("I")
    return frozenset(words), numbers


def word_hashes(text: bytes) -> frozenset[int]:
    """Hashes of the distinct words of a text."""
    return frozenset(_hashed(text)[1:].tolist())


def words_of_url(url: str) -> frozenset[int]:
    """Hashes of the words in the path and the query of a normalised URL."""
    return word_hashes(unquote_to_bytes(url.split("/", 3)[-1]))


def _hashed(text: bytes) -> npt.NDArray[np.uint32]:
    if b"&" in text:
        text = _ENTITIES.sub(b" ", text)
    padded = b"%b%b%b" % (_MARGIN, text.translate(LETTERS), _MARGIN)
    octets = np.frombuffer(padded, np.uint8)
    is_word = octets != _SPACE
    borders = (is_word[:-1] != is_word[1:]).nonzero()[0] + 1  # alternately begins and ends of words
    starts, ends = borders[::2], borders[1::2]
    lengths = np.minimum(ends - starts, 16)
    # The eight bytes from any place on, as one number.
    eights: npt.NDArray[np.uint64] = np.ndarray(len(padded) - 7, "<u8", padded, 0, (1,))
    first = eights[starts] & _FIRST[lengths]
    last = (eights[ends - 8] & _LAST[lengths]) | _SHORT[lengths]
    hashes = (mixed(first, last) >> _HALF).astype(np.uint32)
    has_digit = np.zeros(len(starts), dtype=np.bool_)
    has_digit[starts.searchsorted((octets == _DIGIT).nonzero()[0], side="right") - 1] = True
    words = hashes[~has_digit]
    words.sort()
    is_other = words[1:] != words[:-1]
    numbers = len(starts) - len(words)
    return np.concatenate((np.array([numbers], dtype=np.uint32), words[:1], words[1:][is_other]))
