"""Whether two pages say the same: 64 bits each of their bytes, of what they say, and of what most of it is like.

payload   digest of all of the body: the same bytes
digest    of the body without the targets of its links and its own path, and of its origin
wording   of the body without the targets of its links and all digits, where the URL has a number: calendars repeat it
simhash   SimHash (Charikar 2002): pages that share nearly all of their features differ in few bits

A feature is a word of the text between two tags: its first and its last eight bytes, with what stands there if it is
shorter. So tags and scripts hardly count; a word that is there twice with the same words around it counts once. The
words of the title weigh as much as two fifths of all features: pages of one template share nearly everything else.
"""

import hashlib
import math
import re
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]

FEWEST = 4
"""Features of a page that says something; what says less is like nothing else."""
FEWEST_ALIKE = 32
"""Features of a page that has a SimHash: with fewer, a single word would move too many bits."""
MOST_BYTES = 12_288
"""From the middle of a page; bounds the time that a long one takes."""
TITLE_SHARE = 0.4
_MANY = 512  # words; where there are more, every fourth or so is a feature

_TARGETS = re.compile(rb"""href=("[^"]*|'[^']*|)""")
_PIECES = re.compile(rb">\s*+([^<>]{3,}+)<(?!/(?i:script|style))")
_GAP = bytes(8)  # between pieces: eight bytes from within one do not reach into the next
_TITLE = re.compile(rb"<title[^>]{0,99}>([^<]{1,400})", re.IGNORECASE)
_HEAD = 16_384  # bytes in which the title is looked for
_SPACE = ord(" ")  # and what is less: line feeds, gaps
_ODD = tuple(np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93))
_DIGITS = b"0123456789"
_NUMBER = re.compile(r"\?.*\d|\d[^/?]*/?(?:$|\?)")
_HALF, _QUARTER = np.uint64(32), np.uint64(1 << 62)
# A hash taken apart into 16 numbers that hold four bits each, with room to count them.
_SHIFTS = np.arange(16, dtype=np.uint64)[:, np.newaxis]
_FOUR_BITS = np.uint64(0x0001_0001_0001_0001)


class Identity(NamedTuple):
    """64 bits each, signed. `payload`: None of a page that says nothing; `simhash`: None of one that says little.

    `wording`: None where the last segment of the URL has no digit, nor its query.
    """

    digest: int
    payload: int | None
    simhash: int | None
    wording: int | None


def identity_of(body: bytes, url: str) -> Identity:
    """What an HTML body at a normalised URL can be told by.

    Link targets and its own path, with and without query, are no part of what it says: they hold session ids, dates,
    and what was asked for in vain. The site's origin is: what two of them say alike is no sign of a trap.
    """
    pieces = _TARGETS.split(body)
    text = b"".join(pieces[::2])
    *origin, path = url.split("/", 3)
    raw = _sha1(text)
    said = text
    for own in filter(None, dict.fromkeys((path, path.partition("?")[0]))):
        said = said.replace(own.encode(), b"")
    features, title = features_of(text, _title_words(body))
    return Identity(
        _signed(_sha1((raw if len(said) == len(text) else _sha1(said)) + "/".join(origin).encode())),
        _signed(_sha1(raw + b'"'.join(pieces[1::2]))) if len(features) >= FEWEST else None,
        simhash_of(features, title) if len(features) >= FEWEST_ALIKE else None,
        _signed(_sha1(text.translate(None, _DIGITS))) if is_numbered(url) else None,
    )


def is_numbered(url: str) -> bool:
    """Whether the last segment of a normalised URL has a digit, or its query."""
    return _NUMBER.search(url, 8) is not None


def features_of(text: bytes, title: Collection[bytes] = ()) -> tuple[Hashes, Hashes]:
    """Hashes of the distinct features of a page, and of the words of its title."""
    start = max(len(text) - MOST_BYTES, 0) // 2
    pieces = dict.fromkeys(_PIECES.findall(text, start, start + MOST_BYTES))
    said = _GAP.join((b"", *pieces, *title, b""))
    is_space = np.frombuffer(said, np.uint8) <= _SPACE
    borders = (is_space[:-1] != is_space[1:]).nonzero()[0] + 1  # where words begin and end, by turns
    # Eight bytes from any place on, as one number.
    eights = np.ndarray(len(said) - 7, "<u8", said, 0, (1,))
    hashes = _mixed(eights[borders[::2]], eights[borders[1::2] - 8])
    count = len(hashes) - len(title)
    features = hashes[:count]
    if count > _MANY:
        features = features[features * _ODD[1] < _QUARTER]  # not by bits of their own, which would vote alike
    features.sort()
    is_other = np.ones(len(features), dtype=np.bool_)
    np.not_equal(features[1:], features[:-1], out=is_other[1:])
    return features[is_other], hashes[count:]


def simhash_of(features: Hashes, title: Hashes) -> int:
    """64 bits, each the vote of most features; the words of the title have a few votes each."""
    votes = max(round(math.sqrt(TITLE_SHARE * len(features) / len(title))), 1) if len(title) else 0
    hashes = np.concatenate((features, *[title] * votes))
    # There are never so many that 16 bits would not do.
    have = np.add.reduce(hashes >> _SHIFTS & _FOUR_BITS, axis=1).view(np.uint16)
    return _signed(np.packbits(have > len(hashes) / 2).tobytes())


def distance(one: int, other: int) -> int:
    """In how many bits two SimHashes differ."""
    return ((one ^ other) & 0xFFFF_FFFF_FFFF_FFFF).bit_count()


def hash_of(text: bytes) -> int:
    """64 bits, signed, of any text."""
    return _signed(_sha1(text))


def _title_words(body: bytes) -> set[bytes]:
    found = _TITLE.match(body, max(body.find(b"<title", 0, _HEAD), 0)) or _TITLE.search(body, 0, _HEAD)
    return set(found[1].split()) if found else set()


def _mixed(low: Hashes, high: Hashes) -> Hashes:
    """A hash of 16 bytes each."""
    mixed: Hashes = (low * _ODD[0]) ^ (high * _ODD[1])
    mixed = (mixed ^ (mixed >> _HALF)) * _ODD[2]
    mixed ^= mixed >> _HALF
    return mixed


def _sha1(text: bytes) -> bytes:
    return hashlib.sha1(text, usedforsecurity=False).digest()


def _signed(octets: bytes) -> int:
    """The first 64 bits, as SQLite keeps them."""
    return int.from_bytes(octets[:8], "big", signed=True)
