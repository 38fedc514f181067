"""Blocks of text that stand on several pages of a host: menus, banners, footers, lists of the latest posts.

A picture of a host tells which of its blocks stood on which of 64 pages: the last ones, by their numbers modulo 64. It
has room for 4,096 blocks. Each has a place by its id, and another beside it; where both are taken by blocks of two
pages or more, one of those loses a page. So what many pages repeat stays, and what one page has goes. Once on
four pages, a block counts as on four from then on: the pages read last lose an old post after all the others.
"""

import zlib
from contextlib import suppress
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from minicrawl.web.kept_text import ID_SHIFT, Repeated

REPEATED = 4
"""Fewest pages that make a block a repeated one."""
_PART = 4
"""One in so many pages, or more, has a block of the template."""
_PLACES = 4096
_PAGES = 64
_BITS = 22
_MASK = (1 << _BITS) - 1
"""Of a block's id."""
_FEW = 8
"""Known pages from which on blocks of one page are not saved."""
_FORM = b"4"
"""First byte of a packed picture. Former versions had others."""


class RepeatedBlocks:
    """The picture of one host. `size`: number of its pages, 64 at most; `noted`: pages noted since it was packed."""

    def __init__(self, packed: bytes = b"") -> None:
        """packed: see there; empty for an empty picture."""
        self._ids, self._pages = np.zeros(_PLACES, np.uint32), np.zeros(_PLACES, np.uint64)
        self._known, ids, pages = _unpacked(packed)
        self.noted = 0
        at = ids % _PLACES ^ ids >> _BITS
        self._ids[at], self._pages[at] = ids & _MASK, pages

    @property
    def size(self) -> int:
        return self._known.bit_count()

    def packed(self) -> bytes:
        """The picture as bytes. Blocks of one page are left out once more pages are known."""
        self.noted = 0
        pages = self._pages
        at = np.flatnonzero(pages & pages - 1 if self.size >= _FEW else pages)
        ids = self._ids[at] | (self._ids[at] % _PLACES ^ at).astype(np.uint32) << _BITS
        columns = ids.astype("<u4").tobytes() + pages[at].astype("<u8").tobytes()
        return _FORM + zlib.compress(self._known.to_bytes(8, "little") + columns, 1)

    def is_due(self, page: int) -> bool:
        """True if a page is to be noted: all are at first, and every fourth once 32 are known."""
        return 2 * self.size < _PAGES or page // _PAGES % _PART == 0

    def note(self, page: int, blocks: bytes) -> None:
        """Note the blocks of a page, in place of what was noted of it. blocks: as `ParsedPage.blocks`."""
        bit = np.uint64(1 << page % _PAGES)
        self._known |= int(bit)
        self.noted += 1
        self._pages[np.bitwise_count(self._pages) != REPEATED] &= ~bit
        ids = np.frombuffer(blocks, ">u4").astype(np.uint32) >> ID_SHIFT
        at = ids % _PLACES
        both = np.array((at, at ^ 1))
        is_known = self._ids[both] == ids
        self._pages[both[is_known]] |= bit
        is_new = ~is_known.any(axis=0)
        ids, both = ids[is_new], both[:, is_new]
        numbers = np.bitwise_count(self._pages[both])
        at = np.where(numbers[0] <= numbers[1], both[0], both[1])
        held = self._pages[at]
        less = np.where(held & bit, held, held & held - 1)
        is_free = held & held - 1 == 0
        self._pages[at] = np.where(is_free, bit, less)
        self._ids[at[is_free]] = ids[is_free]

    def pages(self, block: int) -> int:
        """Number of known pages that a block stands on. block: its id."""
        at = block % _PLACES
        places = (place for place in (at, at ^ 1) if self._ids[place] == block)
        return max((int(self._pages[place]).bit_count() for place in places), default=0)


@lru_cache(64)
def repeated_in(packed: bytes) -> Repeated:
    """What a host repeats. Blocks of its template stand on four of its pages, and on a quarter."""
    known, ids, pages = _unpacked(packed)
    ids &= np.uint32(_MASK)
    numbers, size = np.bitwise_count(pages).astype(int), known.bit_count()
    is_template = (numbers >= REPEATED) & (numbers * _PART >= size)
    shared = frozenset(ids[numbers > 1].tolist()) if size >= REPEATED else None
    return Repeated(frozenset(ids[is_template].tolist()), shared)


def _unpacked(packed: bytes) -> tuple[int, npt.NDArray[np.uint32], npt.NDArray[np.uint64]]:
    """The known pages, the ids of blocks, each with a bit for its place, and the pages of each.

    There are none in a picture that is damaged, or of a former version."""
    octets = bytes(8)
    with suppress(zlib.error):
        octets = zlib.decompress(packed[1:]) if packed[:1] == _FORM else octets
    count = (len(octets) - 8) // 12
    ids, pages = np.frombuffer(octets, "<u4", count, 8), np.frombuffer(octets, "<u8", count, 8 + 4 * count)
    return int.from_bytes(octets[:8], "little"), ids.astype(np.uint32), pages.astype(np.uint64)
