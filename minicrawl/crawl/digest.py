"""Whether two pages say the same: 64 bits each of their bytes, of what they say, and of what most of it is like.

payload   digest of all of the body: the same bytes
digest    of the body without the targets of its links and its own path, and of its origin
simhash   SimHash (Charikar 2002): pages that share nearly all of their features differ in few bits

A feature is up to 16 bytes from the beginning of a piece of text between two tags, or of a word inside one (of every
fourth or so where there are many). So tags and scripts hardly count; a piece that is there twice counts once. The words
of the title weigh as much as two fifths of all features: pages of one template share nearly everything else.
"""

import hashlib
import math
import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]
Places = npt.NDArray[np.intp]

FEWEST = 4
"""Features of a page that says something; what says less is like nothing else."""
FEWEST_ALIKE = 32
"""Features of a page that has a SimHash: with fewer, a single word would move too many bits."""
MOST_BYTES = 16_384
"""From the middle of a page; bounds the time that a long one takes."""
TITLE_SHARE = 0.4
_FEW = 128  # features; where there are fewer, every word begins one
_WIDTH = 16

_TARGETS = re.compile(rb"""href=("[^"]*|'[^']*|)""")
_TITLE = re.compile(rb"<title[^>]{0,99}>([^<]{1,400})", re.IGNORECASE)
_HEAD = 16_384  # bytes in which the title is looked for
_SPACE = ord(" ")
# What to keep of the first and the second eight bytes of a feature of 0 to 16 bytes.
_FIRST, _SECOND = (
    np.array([(1 << 8 * max(0, min(length - skipped, 8))) - 1 for length in range(_WIDTH + 1)], dtype=np.uint64)
    for skipped in (0, 8)
)
# The first two letters of a tag, as one number. <strong> is not worth telling apart.
_SCRIPT, _STYLE = (int.from_bytes(name, "little") for name in (b"sc", b"st"))
_ODD = tuple(np.uint64(odd) for odd in (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xD6E8FEB86659FD93))


class Identity(NamedTuple):
    """64 bits each, signed. `payload`: None of a page that says nothing; `simhash`: None of one that says little."""

    digest: int
    payload: int | None
    simhash: int | None


def identity_of(body: bytes, url: str) -> Identity:
    """What an HTML body at a normalised URL can be told by.

    Link targets and its own path are no part of what it says: they hold session ids, dates, and what was asked for in
    vain. The site's origin is: what two of them say alike is no sign of a trap.
    """
    pieces = _TARGETS.split(body)
    text = b"".join(pieces[::2])
    *origin, path = url.split("/", 3)
    raw = _sha1(text)
    own = path.encode()
    said = _sha1(text.replace(own, b"")) if own and own in text else raw
    features = features_of(text)
    return Identity(
        _signed(_sha1(said + "/".join(origin).encode())),
        _signed(_sha1(raw + b'"'.join(pieces[1::2]))) if len(features) >= FEWEST else None,
        simhash_of(features, _title_words(body)) if len(features) >= FEWEST_ALIKE else None,
    )


def features_of(text: bytes) -> Hashes:
    """Distinct features of a page, hashed."""
    if len(text) > MOST_BYTES:
        start = (len(text) - MOST_BYTES) // 2
        text = text[start : start + MOST_BYTES]
    text += bytes(_WIDTH)  # so that whatever begins in the text is of full width
    starts, lengths = _starts(text)
    # Eight bytes from any place on, as one number.
    eights = np.ndarray(len(text) - 7, "<u8", text, 0, (1,))
    features = _mixed(eights[starts] & _FIRST[lengths], eights[starts + 8] & _SECOND[lengths])
    features.sort()
    is_other = np.ones(len(features), dtype=np.bool_)
    np.not_equal(features[1:], features[:-1], out=is_other[1:])
    return features[is_other]


def simhash_of(features: Hashes, title: Hashes) -> int:
    """64 bits, each the vote of most features; the words of the title have a few votes each."""
    votes = _votes(features)
    if len(title):
        votes += np.float32(math.sqrt(TITLE_SHARE * len(features) / len(title))) * _votes(title)
    return _signed(np.packbits(votes > 0).tobytes())


def distance(one: int, other: int) -> int:
    """In how many bits two SimHashes differ."""
    return ((one ^ other) & 0xFFFF_FFFF_FFFF_FFFF).bit_count()


def _starts(text: bytes) -> tuple[Places, Places]:
    """Where pieces of text begin, and words inside them; and of how many bytes from there on the features are."""
    octets = np.frombuffer(text, np.uint8)
    marks = np.flatnonzero(octets & 0xFD == ord("<"))  # or ">", which differs in one bit
    if len(marks) < 3:
        return marks[:0], marks[:0]
    marks, ends = marks[:-1], marks[1:]
    is_text = octets[marks] == ord(">")
    begins_text = is_text & (ends - marks > 3) & (octets[marks + 1] > _SPACE)
    pieces = marks[begins_text]
    names = np.ndarray(len(text) - 1, "<u2", text, 0, (1,))[marks + 1] | 0x2020
    is_text[1:] &= ~((names == _SCRIPT) | (names == _STYLE))[:-1]
    spaces = octets[:-3] == _SPACE
    some = spaces & ((octets[1:-2] + octets[3:]) & 3 == 1)  # not so behind two more spaces
    words = _inside(np.flatnonzero(some), marks, ends, is_text)
    if len(pieces) + len(words) < _FEW:
        words = _inside(np.flatnonzero(spaces), marks, ends, is_text)
    lengths = np.full(len(pieces) + len(words), _WIDTH, dtype=np.intp)
    np.minimum(ends[begins_text] - pieces - 1, _WIDTH, out=lengths[: len(pieces)])
    return np.concatenate((pieces, words)) + 1, lengths


def _inside(places: Places, marks: Places, ends: Places, is_text: npt.NDArray[np.bool_]) -> Places:
    """Those of the places that have room for a feature before the piece of text they are in ends."""
    piece = marks.searchsorted(places) - 1
    return places[is_text[piece] & (places + _WIDTH < ends[piece]) & (piece >= 0)]


def _title_words(body: bytes) -> Hashes:
    found = _TITLE.match(body, max(body.find(b"<title", 0, _HEAD), 0)) or _TITLE.search(body, 0, _HEAD)
    words = sorted(set(found[1].split())) if found else []
    padded = b"".join(word[:8].ljust(8, b"\0") + word[-8:].ljust(8, b"\0") for word in words)
    halves = np.frombuffer(padded, "<u8").reshape(-1, 2)
    return _mixed(halves[:, 0], halves[:, 1])


def _mixed(low: Hashes, high: Hashes) -> Hashes:
    """A hash of 16 bytes each."""
    mixed: Hashes = (low * _ODD[0]) ^ (high * _ODD[1])
    mixed = (mixed ^ (mixed >> np.uint64(32))) * _ODD[2]
    mixed = (mixed ^ (mixed >> np.uint64(29))) * _ODD[0]
    mixed ^= mixed >> np.uint64(32)
    return mixed


def _votes(hashes: Hashes) -> npt.NDArray[np.float32]:
    """For each of 64 bits, how many more of the hashes have it than have not."""
    bits = np.unpackbits(hashes.astype("<u8", copy=False).view(np.uint8)).reshape(-1, 64)
    # There are never more hashes than bytes looked at, so 16 bits will do.
    have: npt.NDArray[np.float32] = bits.sum(axis=0, dtype=np.uint16).astype(np.float32)
    return 2 * have - np.float32(len(hashes))


def _sha1(text: bytes) -> bytes:
    return hashlib.sha1(text, usedforsecurity=False).digest()


def _signed(octets: bytes) -> int:
    """The first 64 bits, as SQLite keeps them."""
    return int.from_bytes(octets[:8], "big", signed=True)
