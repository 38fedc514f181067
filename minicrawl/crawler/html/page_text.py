"""A page's text as it is stored: a packed record for reading, and hashes of its blocks to detect changes.

Nonces, dates and advertisements change the bytes of most pages with every response, but few of their blocks.
"""

import re
import struct
import zlib
from collections.abc import Collection, Iterable, Mapping

from minicrawl.crawler.html.content import framed
from minicrawl.crawler.html.tree import Marked
from minicrawl.store.texts.marked_text import BETWEEN_BLOCKS, CODE, END_OF_LINK, ID_SHIFT, LINK, About, pack

MOST_BLOCKS = 1024
"""Block hashes kept of a page: the smallest, so that the same ones are kept as long as their blocks stay."""
_NO_LINKS = str.maketrans("", "", LINK + END_OF_LINK)
_BREAKS = re.compile(f"{BETWEEN_BLOCKS}[ {BETWEEN_BLOCKS}]+")


def packed(about: About, marked: Marked, targets: Mapping[str, str | None], url: str, most: int) -> tuple[bytes, str]:
    """The record of the page at `url` and the text in it, at most `most` characters.

    targets: reference to URL, None if it is not a link to a page. Links of the page to itself are left out, and all
    links of a page whose own text contains link marks.
    """
    text, references = marked.text, marked.references
    if text.count(LINK) != len(references) or text.count(END_OF_LINK) != len(references):
        text, references = text.translate(_NO_LINKS), []
    leads_to = [targets.get(reference) for reference in references]
    numbers: dict[str | None, int] = {None: -1, url: -1}
    for target in leads_to:
        if target not in numbers:
            numbers[target] = len(numbers) - 2
    urls = [target for target, number in numbers.items() if target is not None and number >= 0]
    text = framed(in_order(text[:most]))
    return pack(about, text, urls, [numbers[target] for target in leads_to]), text


def in_order(text: str) -> str:
    """Marked text with white space collapsed, except in listings, and without empty blocks."""
    first, *listings = text.split(CODE)
    pieces = [" ".join(first.split())]
    for listing in listings:
        code, end, rest = listing.partition(BETWEEN_BLOCKS)
        pieces += BETWEEN_BLOCKS, CODE, code.strip("\r\n").rstrip(), end, " ".join(rest.split())
    whole = "".join(pieces).replace(f" {BETWEEN_BLOCKS}", BETWEEN_BLOCKS)
    return _BREAKS.sub(BETWEEN_BLOCKS, whole).strip(f" {BETWEEN_BLOCKS}")


def block_hashes(blocks: Iterable[str]) -> bytes:
    """A four-byte hash of each distinct block, in the order of the page."""
    return hashes_of(block.encode() for block in blocks)


def hashes_of(blocks: Iterable[bytes]) -> bytes:
    """The same for blocks in UTF-8, without those that are empty."""
    distinct = list(dict.fromkeys(map(zlib.crc32, filter(None, blocks))))
    if len(distinct) > MOST_BLOCKS:
        largest = sorted(distinct)[MOST_BLOCKS - 1]
        distinct = [number for number in distinct if number <= largest]
    return packed_numbers(distinct)


def packed_numbers(numbers: Collection[int]) -> bytes:
    """Numbers as four bytes each, the form of block hashes."""
    return struct.pack(f">{len(numbers)}I", *numbers)


def block_numbers(hashes: bytes) -> tuple[int, ...]:
    """Block hashes as numbers."""
    return struct.unpack(f">{len(hashes) // 4}I", hashes)


def block_ids(hashes: bytes) -> list[int]:
    """The distinct ids of blocks, in order."""
    return list(dict.fromkeys([number >> ID_SHIFT for number in block_numbers(hashes)]))
