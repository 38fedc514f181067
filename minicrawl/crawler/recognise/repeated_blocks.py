"""Blocks of text that stand on several pages of a host: banners, footers, lists of the latest posts.

A picture of a host has room for 4,096 blocks and takes 16 kB. Every block has one place there, by its id, and ten bits
for the pages that it stands on, by their numbers modulo ten: so a page that is noted again changes nothing. A block
that finds its place taken by one of two pages or more clears one bit there, else it takes the place. So what stands on
many pages stays, what stands on one goes, and what stood on many pages is forgotten in time.

Pictures are learned anew by every run, from pages as they are fetched and as they were before.
"""

from collections import OrderedDict

import numpy as np

from minicrawl.crawler.html.page_text import ID_SHIFT

PLACES = 4096
MOST_HOSTS = 1000
"""Pictures that are kept, of the hosts used last."""
_BITS = 10
REPEATED = 4
"""Pages, modulo ten, that make a block a repeated one."""
_MASK = (1 << _BITS) - 1


class RepeatedBlocks:
    """The picture of one host."""

    def __init__(self) -> None:
        self._places = np.zeros(PLACES, np.uint32)

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
    """Pictures of the hosts used last."""

    def __init__(self) -> None:
        self._of: OrderedDict[int, RepeatedBlocks] = OrderedDict()

    def of(self, host: int) -> RepeatedBlocks:
        picture = self._of.setdefault(host, RepeatedBlocks())
        self._of.move_to_end(host)
        if len(self._of) > MOST_HOSTS:
            self._of.popitem(last=False)
        return picture
