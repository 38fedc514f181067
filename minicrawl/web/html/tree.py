"""The elements that a crawler tells apart, and the place of a link on its page.

The place of a link is decided by the nearest container around it (`minicrawl.web.html.content`): most sites wrap the
whole page in one element, so outer ones say little. What is beside the content of a text is navigation. A link in
content stands in text if there are words beside it, else in a list. Links in text are the best sign of what people
cite.

Hashes of a page's blocks tell what its host repeats.
"""

import struct
from collections.abc import Iterable

from minicrawl.model import Place
from minicrawl.web.kept_text import block_number

TAGS = ("a", "area", "base", "frame", "iframe", "link", "meta", "title")
"""Names of the elements that a crawler reads."""

# Elements that begin and end a block of text: those that the HTML standard (15.3, Rendering) shows as blocks, as items
# or as parts of tables, and br. All others, known or not, belong to the line of text around them.
BLOCKS = frozenset(
    {"html", "head", "body", "address", "blockquote", "center", "dialog", "div", "figure", "figcaption", "footer"}
    | {"form", "header", "hr", "legend", "listing", "main", "p", "plaintext", "pre", "search", "xmp", "article"}
    | {"aside", "h1", "h2", "h3", "h4", "h5", "h6", "hgroup", "nav", "section", "dir", "dd", "dl", "dt", "menu", "ol"}
    | {"ul", "li", "table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "td", "th", "details"}
    | {"summary", "fieldset", "optgroup", "option", "frameset", "frame", "br"}
)
# Elements whose content is not shown.
HIDDEN = frozenset({"datalist", "iframe", "noembed", "noframes", "script", "style", "template", "title"})
FALLBACKS = frozenset({"audio", "canvas", "video"})
"""Elements whose content browsers show that cannot show the elements."""
TEXT, LIST, NAVIGATION = map(int, Place)  # plain numbers: there are a hundred a page
FEW = 8
"""Characters too few to count as text beside a link: commas, "and", "see"."""
_HEAD = 24


def is_text(words: str) -> bool:
    """True if a link with these words, more than `FEW` characters, beside it stands in text."""
    # The beginning of a long text is mostly enough.
    return len(" ".join(words[:_HEAD].split())) > FEW or (len(words) > _HEAD and len(" ".join(words.split())) > FEW)


MOST_BLOCKS = 1024
"""Block hashes kept of a page: the smallest, so that the same ones are kept as long as their blocks stay."""


def block_hashes(blocks: Iterable[str]) -> bytes:
    """A four-byte hash of each distinct block with words, in the order of the page."""
    distinct = list(dict.fromkeys(map(block_number, filter(None, blocks))))
    if len(distinct) > MOST_BLOCKS:
        largest = sorted(distinct)[MOST_BLOCKS - 1]
        distinct = [number for number in distinct if number <= largest]
    return struct.pack(f">{len(distinct)}I", *distinct)
