"""The words of a page, whatever their order: what answers for pages that do not exist have in common (soft404.py).

A word is a run of letters, in lower case. What has a digit is a number: ids, times, prices and counters differ from
answer to answer, so they are but counted. Two words are one if their lengths, of up to 16 bytes, and their first and
last eight bytes are the same.
"""

import re
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.html.sketch import mixed

MOST_BYTES = 6_144
"""Of text. What a page with more says is not kept: answers for pages that do not exist say less."""

_ENTITIES = re.compile(rb"&#?\w{1,9};")
_SPACE, _DIGIT = ord(" "), ord("0")
_MARGIN = b" " * 8  # eight bytes from within a word do not reach beyond the text
# By length of a word: of its first eight bytes, those that are its own; all its last ones, or its length.
_FIRST = np.array([(1 << 8 * min(length, 8)) - 1 for length in range(17)], dtype=np.uint64)
_LAST = np.array([0 if length <= 8 else (1 << 64) - 1 for length in range(17)], dtype=np.uint64)
_SHORT = np.array([length if length <= 8 else 0 for length in range(17)], dtype=np.uint64)
_HALF = np.uint64(32)


def _plain(code: int) -> int:
    """A byte of UTF-8 as it counts: letters in lower case, digits all one, and what is neither a space."""
    if code >= 128 or chr(code).isalpha():
        return ord(chr(code).lower()) if code < 128 else code
    return _DIGIT if chr(code).isdigit() else _SPACE


_PLAIN = bytes(map(_plain, range(256)))


class Vocabulary(NamedTuple):
    """What a page says. `numbers`: how many; `is_long`: it says more than is kept."""

    words: frozenset[int]
    numbers: int
    is_long: bool


def vocabulary(text: bytes) -> bytes:
    """How many numbers are in the text of a page, and hashes of its distinct words, rising: four bytes each.

    No bytes at all of a page that says too much.
    """
    return b"" if len(text) > MOST_BYTES else _hashed(text).tobytes()


def unpacked(vocabulary: bytes) -> Vocabulary:
    """The same, taken apart."""
    numbers, *words = memoryview(vocabulary or bytes(4)).cast("I")
    return Vocabulary(frozenset(words), numbers, not vocabulary)


def hashes_of(text: bytes) -> frozenset[int]:
    """Hashes of the distinct words of a text."""
    return frozenset(_hashed(text)[1:].tolist())


def words_of_url(url: str) -> frozenset[int]:
    """Hashes of the words in the path and the query of a normalised URL."""
    return hashes_of(unquote_to_bytes(url.split("/", 3)[-1]))


def _hashed(text: bytes) -> npt.NDArray[np.uint32]:
    if b"&" in text:
        text = _ENTITIES.sub(b" ", text)
    padded = b"%b%b%b" % (_MARGIN, text.translate(_PLAIN), _MARGIN)
    octets = np.frombuffer(padded, np.uint8)
    is_word = octets != _SPACE
    borders = (is_word[:-1] != is_word[1:]).nonzero()[0] + 1  # where words begin and end, by turns
    starts, ends = borders[::2], borders[1::2]
    lengths = np.minimum(ends - starts, 16)
    # As one number, from any place on.
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
