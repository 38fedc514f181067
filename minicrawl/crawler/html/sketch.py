"""What a page says, in 40 bytes from which it can be plain how alike two pages are.

word      what stands between white space or tags, in lower case: the sum of byte i times B^i, modulo 2^64, so that the
          sums of all words come from one running sum over the text
shingle   three words in a row
J         of two pages, the shingles that both have among those that either has (Jaccard): 1 = they say the same

The hashes of a page's shingles are shuffled, and put into bins by their size; the least hash of a bin gives one bit of
the sketch (one permutation hashing: Li, Owen, Zhang, NIPS 2012). An empty bin takes the bit of the next one that is not
(Shrivastava, Li, ICML 2014); of four shuffles with 80 bins each few are, also where a page has few shingles. The least
hash is the same in two pages with probability J, else its bit is by chance, so that

    J is about 1 - 2 distance / BITS

where `distance` is the number of bits that differ (b-bit minwise hashing: Li, Koenig, WWW 2010). With BITS = 320 this
is good to sqrt((1 - J^2) / BITS), .024 at J = .9.
"""

import re

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]

BITS = 320
FEWEST = 32
"""Shingles of a page that has a sketch: with fewer, a single word would move too many bits."""
_SPACE = ord(" ")
LONGEST = 48 * 1024
"""Bytes of a page that are looked at; of a longer one, its middle."""
# Letters in lower case, and a space for all that stands between words.
_PLAIN = bytes(_SPACE if code <= _SPACE or code == ord(">") else code for code in bytes(range(256)).lower())
_PIECES = re.compile(rb">\s*+[^<]++(?!</(?i:script|style))")
_ODD = tuple(np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93))
_HALF = np.uint64(32)
_SHUFFLES = np.array([[0x9E3779B1], [0x85EBCA77], [0xC2B2AE3D], [0x27D4EB2F]], dtype=np.uint32)
_BINS = BITS // len(_SHUFFLES)
_BORDERS = ((np.arange(_BINS, dtype=np.uint64) << _HALF) // np.uint64(_BINS)).astype(np.uint32)
_ODD32, _TOP32 = np.uint32(0x2C1B3C6D), np.uint32(1 << 31)
# B^i and B^-(i + 1) modulo 2^64, for every byte that is looked at.
_BASE = 0x5851F42D4C957F2D
_POWERS = np.cumprod(np.array([1] + [_BASE] * (LONGEST + 1), dtype=np.uint64))
_INVERSES = np.cumprod(np.array([pow(_BASE, -1, 2**64)] * (LONGEST + 2), dtype=np.uint64))


def text_of(body: bytes) -> bytes:
    """The text of an HTML body, in lower case, with spaces between words; of scripts and style sheets none."""
    start = max(len(body) - LONGEST, 0) // 2
    pieces = _PIECES.findall(body, start, start + LONGEST)
    return b" %b " % b"".join(pieces).translate(_PLAIN)


def words_of(plain: bytes) -> Hashes:
    """A hash of each word of a text, in order."""
    text = np.frombuffer(plain, np.uint8)
    is_gap = text == _SPACE
    borders = (is_gap[:-1] != is_gap[1:]).nonzero()[0]  # in front of where words begin and end, by turns
    begins, ends = borders[::2], borders[1::2]
    sums = text * _POWERS[: len(text)]
    np.add.accumulate(sums, out=sums)
    hashes: Hashes = sums[ends]
    hashes -= sums[begins]
    hashes *= _INVERSES[begins]
    return hashes


def shingles_of(words: Hashes) -> npt.NDArray[np.uint32]:
    """A hash of each run of three words."""
    return (mixed(words[:-2] + (words[1:-1] << np.uint64(1)), words[2:]) >> _HALF).astype(np.uint32)


def sketch_of(shingles: npt.NDArray[np.uint32]) -> bytes | None:
    """BITS / 8 bytes; None of a page that says little."""
    if len(shingles) < FEWEST:
        return None
    shuffled = shingles * _SHUFFLES
    shuffled.sort()
    least = np.empty((len(_SHUFFLES), _BINS), dtype=np.uint32)
    for ordered, into in zip(shuffled, least, strict=True):
        ordered.take(ordered.searchsorted(_BORDERS), mode="wrap", out=into)
    least *= _ODD32
    return np.packbits(least >= _TOP32).tobytes()


def distance(one: bytes, other: bytes) -> int:
    """In how many bits two sketches differ."""
    return (int.from_bytes(one) ^ int.from_bytes(other)).bit_count()


def alike(distance: int) -> float:
    """About the J of two pages whose sketches differ in so many bits."""
    return max(0.0, 1 - 2 * distance / BITS)


def mixed(low: Hashes, high: Hashes) -> Hashes:
    """A hash of two numbers each."""
    product: Hashes = low * _ODD[0]
    product ^= high * _ODD[1]
    product ^= product >> _HALF
    product *= _ODD[2]
    product ^= product >> _HALF
    return product
