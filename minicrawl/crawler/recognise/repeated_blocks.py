"""Blocks of text that stand on several pages of a host: banners, footers, lists of the latest posts.

A picture of a host has room for 4,096 blocks and takes 16 kB. Every block has one place there, by its id, and ten bits
for the pages that it stands on, by their numbers modulo ten: so a page that is noted again changes nothing. A block
that finds its place taken by one of two pages or more clears one bit there, else it takes the place. So what stands on
many pages stays, what stands on one goes, and what stood on many pages is forgotten in time.

Pages are noted as they are fetched and as they were before: so what leaves all of them is known as well.
"""

import zlib
from collections.abc import Callable, Iterator

import numpy as np

from minicrawl.crawler.html.page_text import ID_SHIFT

PLACES = 4096
MOST_HOSTS = 1000
"""Pictures that are kept in memory when they have been saved, of the hosts used last."""
_BITS = 10
REPEATED = 4
"""Pages, modulo ten, that make a block a repeated one."""
_MASK = (1 << _BITS) - 1


class RepeatedBlocks:
    """The picture of one host."""

    def __init__(self, packed: bytes | None = None) -> None:
        """packed: see there; None for an empty picture."""
        unpacked = bytes(4 * PLACES) if packed is None else zlib.decompress(packed)
        self._places = np.frombuffer(unpacked, "<u4").astype(np.uint32)

    def packed(self) -> bytes:
        return zlib.compress(self._places.astype("<u4").tobytes(), 1)

    def note(self, page: int, blocks: bytes) -> None:
        """Note the blocks of a page. blocks: as `ParsedPage.blocks`."""
        ids = np.frombuffer(blocks, ">u4").astype(np.uint32) >> ID_SHIFT
        at, bit = ids % PLACES, np.uint32(1 << page % _BITS)
        held = self._places[at]
        less = held & held - 1  # without its lowest bit
        is_same, is_free = held >> ID_SHIFT == ids, less & _MASK == 0
        self._places[at] = np.where(is_same, held | bit, np.where(is_free, ids << ID_SHIFT | bit, less))

    def pages(self, block: int) -> int:
        """Number of pages, modulo ten, that the block is known to stand on. block: its id, as in `block_ids`."""
        held = int(self._places[block % PLACES])
        return (held & _MASK).bit_count() if held >> ID_SHIFT == block else 0

    def repeats(self, block: int) -> bool:
        """True if the block stands on several pages."""
        return self.pages(block) >= REPEATED


class HostPictures:
    """Pictures of hosts. load: the packed picture of a host, None if there is none."""

    def __init__(self, load: Callable[[int], bytes | None]) -> None:
        self._load = load
        self._of: dict[int, RepeatedBlocks] = {}
        self._unsaved: set[int] = set()

    def of(self, host: int) -> RepeatedBlocks:
        """The picture of a host, which is going to be changed."""
        picture = self._of.pop(host, None) or RepeatedBlocks(self._load(host))
        self._of[host] = picture  # the last one now
        self._unsaved.add(host)
        return picture

    def unsaved(self) -> Iterator[tuple[int, bytes]]:
        """Hosts and their packed pictures that have changed since the last call."""
        yield from ((host, self._of[host].packed()) for host in sorted(self._unsaved))
        self._unsaved.clear()
        for host in list(self._of)[:-MOST_HOSTS]:
            del self._of[host]
