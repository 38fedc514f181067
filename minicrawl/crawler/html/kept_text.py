"""What is kept of a page's text: its marked text in order, packed."""

import re
from collections.abc import Mapping

from minicrawl.crawler.html.trees.tree import Marked
from minicrawl.store.texts.marked_text import BETWEEN_BLOCKS, CODE, END_OF_LINK, LINK, About, pack

_NO_LINKS = str.maketrans("", "", LINK + END_OF_LINK)
_BREAKS = re.compile(f"{BETWEEN_BLOCKS}[ {BETWEEN_BLOCKS}]+")


def packed(about: About, marked: Marked, targets: Mapping[str, str | None], url: str, most: int) -> bytes:
    """A record of the page at `url`. targets: where references lead, None: nowhere. most: characters of its text.

    A link of the page to itself is none. A page that has marks of its own is kept without links.
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
    return pack(about, in_order(text[:most]), urls, [numbers[target] for target in leads_to])


def in_order(text: str) -> str:
    """Marked text with white space as single spaces, but in listings, and without blocks that have none."""
    first, *listings = text.split(CODE)
    pieces = [" ".join(first.split())]
    for listing in listings:
        code, end, rest = listing.partition(BETWEEN_BLOCKS)
        pieces += BETWEEN_BLOCKS, CODE, code.strip("\r\n").rstrip(), end, " ".join(rest.split())
    whole = "".join(pieces).replace(f" {BETWEEN_BLOCKS}", BETWEEN_BLOCKS)
    return _BREAKS.sub(BETWEEN_BLOCKS, whole).strip(f" {BETWEEN_BLOCKS}")
