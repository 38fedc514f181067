"""The blocks of a page's text: by them is told what has changed of a page, and how much of it.

Nonces, dates and advertisements make the bytes of most pages new with every answer; of their blocks, most stay.
"""

import zlib
from collections.abc import Iterable

MOST = 1024
"""Hashes of a page that are kept: the least of them, which stay the least while their blocks stay."""
_SIZE = 4


def hashes_of(blocks: Iterable[str]) -> bytes:
    """A hash of each distinct block, rising, four bytes each."""
    distinct = {zlib.crc32(block.encode()) for block in blocks}
    return b"".join(number.to_bytes(_SIZE) for number in sorted(distinct)[:MOST])


def difference(one: bytes, other: bytes) -> int:
    """How many blocks only one of two pages has, of the blocks whose hashes are kept of both."""
    known, now = set(numbers_of(one)), set(numbers_of(other))
    # Of a page with more blocks than are kept, nothing is known of those beyond its greatest hash.
    bound = min((max(kept) for kept in (known, now) if len(kept) == MOST), default=None)
    return sum(1 for number in known ^ now if bound is None or number <= bound)


def numbers_of(hashes: bytes) -> list[int]:
    """Hashes as numbers, in order."""
    return [int.from_bytes(hashes[at : at + _SIZE]) for at in range(0, len(hashes), _SIZE)]
