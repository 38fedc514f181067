"""Which parser reads a page, so that none takes long over it.

A browser's tree can be made to take time or memory in the square of the page's tags (browser_tree.py). A page that
could do so is read by a parser that builds little of a tree (plain_tree.py).
"""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice

import numpy as np

from minicrawl.crawler.html.trees.browser_tree import RARE_SELECTORS, BrowserTree
from minicrawl.crawler.html.trees.tree import FORMATS, NAMES_KEPT, REST_OF_TAG, Tree

# Whatever a page does, with so few tags it cannot do much: a quarter of a million elements at most.
_FEW_TAGS = 1_000
# Tags inside one another are searched through at every tag: with so many at most for a second.
_MOST_TAGS = 30_000
_MOST_SEARCHED = _MOST_TAGS**2 // 4
# Each takes half a kilobyte.
_MOST_ELEMENTS = 250_000
# Unclosed formatting elements are copied into every paragraph that follows, an element of 440 bytes each time.
_MOST_COPIES = 500_000
_FORMATTING = re.compile(rb"<(?:%b)(?:>|[\t\n\f\r /](?:%b>)?)" % (b"|".join(FORMATS), REST_OF_TAG), re.IGNORECASE)
# Each attribute of a tag is compared with all before it: so many, and so many bytes of them, take a second.
_MANY = 25_000
_LONG = 4 * _MANY
_MOST_ATTRIBUTES = 64
_ATTRIBUTE = (
    rb"[\t\n\f\r /]*+[^\t\n\f\r />][^\t\n\f\r />=]*+"
    rb"""(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:"[^"]*+"|'[^']*+'|[^\t\n\f\r >]*+))?+"""
)
_MANY_ATTRIBUTES = re.compile(
    rb"(<[a-z][^\t\n\f\r />]*+(?:%b){%d})(?:%b)+" % (_ATTRIBUTE, _MOST_ATTRIBUTES, _ATTRIBUTE), re.IGNORECASE
)
# Whether a byte may precede an attribute, and whether it may begin one.
_PRECEDES, _BEGINS = 1, 2
_ROLES = bytes(
    (_PRECEDES if byte in b"\t\n\f\r /\"'" else 0) | (0 if byte in b"\t\n\f\r />" else _BEGINS) for byte in range(256)
)
# An element of libxml2's tree takes 300 bytes, more once it is read.
_MOST_KEPT = 100_000
_KEPT_TAG = re.compile(rb"<" + NAMES_KEPT + rb"[\t\n\f\r />]", re.IGNORECASE)


def _beginnings_of(names: Iterable[bytes]) -> list[int]:
    """How tags of these names begin, as `Marks` has it."""
    return [int.from_bytes((name + b"%c" % end)[:2]) | 0x2020 for name in names for end in b">\t\n\f\r /"]


_MAY_FORMAT = np.zeros(1 << 16, dtype=np.bool_)
_MAY_FORMAT[_beginnings_of(FORMATS)] = True
# A bit for each of the rare selectors.
_RARE = np.zeros(1 << 16, dtype=np.uint8)
for _bit, _names in enumerate(RARE_SELECTORS.values()):
    _RARE[_beginnings_of(_names)] |= 1 << _bit


def within_limit(body: bytes, most: int = _MOST_KEPT) -> bytes:
    """The page up to its tag number `most` of those that are kept."""
    if len(body) <= most * len("<a>") or tags_at_most(body) <= most:
        return body
    last = next(islice(_KEPT_TAG.finditer(body), most, None), None)
    return body if last is None else body[: last.start()]


def tree_of(body: bytes, *, is_whole: bool) -> Tree:
    """The tree of a page, which is well-formed UTF-8.

    is_whole: whether more than `Tree.elements` without places will be asked for.
    """
    if len(body) > _LONG and attributes_at_most(body) > _MANY:
        body = _MANY_ATTRIBUTES.sub(rb"\1", body)
    marks = Marks(body)
    if may_explode(marks):
        from minicrawl.crawler.html.trees.plain_tree import PlainTree  # noqa: PLC0415 - few pages need it

        return PlainTree(body, marked=is_whole)
    rare = int(np.bitwise_or.reduce(_RARE[marks.beginnings]))
    return BrowserTree(body, [selector for bit, selector in enumerate(RARE_SELECTORS) if rare >> bit & 1])


def tags_at_most(body: bytes) -> int:
    """No fewer than the tags of a page. bytes.count would take ten times as long for what stands at every turn."""
    return int(np.count_nonzero(np.frombuffer(body, dtype=np.uint8) == ord("<")))


def attributes_at_most(body: bytes) -> int:
    """No fewer than the attributes of a page: how often a byte that may begin one follows one that may precede it."""
    roles = np.frombuffer(body.translate(_ROLES), dtype=np.uint8)
    both = roles[:-1] + roles[:-1]
    both &= roles[1:]
    both &= _BEGINS
    return int(np.count_nonzero(both))


class Marks:
    """Every "<" of a page: how many, where (unless they are more than `_MOST_TAGS`), and how the tags there begin: the
    two bytes behind it as a number, letters in lower case."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        text = np.frombuffer(body, dtype=np.uint8)
        found = text[:-2] == ord("<")
        self.number = int(np.count_nonzero(found))
        self.at = np.flatnonzero(found if self.number <= _MOST_TAGS else found[:0])
        self.beginnings = (text[self.at + 1].astype(np.uint16) << 8) + text[self.at + 2] | 0x2020


def may_explode(marks: Marks) -> bool:
    """Whether a browser's tree of a page may be much larger than its bytes, or much slower to build."""
    if marks.number <= _FEW_TAGS or not _looks_as_if_it_may(marks):
        return False
    from minicrawl.crawler.html.trees.nesting import nesting  # noqa: PLC0415 - the same

    nested = nesting(marks.body) if marks.number <= _MOST_ELEMENTS else None
    if nested is None:
        return True
    copied = marks.number * nested.unclosed
    searched = marks.number * nested.deepest + copied
    return searched > _MOST_SEARCHED or copied > _MOST_COPIES


def _looks_as_if_it_may(marks: Marks) -> bool:
    """The same, told at a glance, whatever the tags are."""
    if marks.number > _MOST_TAGS:
        return True
    formatting = marks.at[_MAY_FORMAT[marks.beginnings]]
    if len(formatting) * marks.number <= _MOST_COPIES:
        return False
    # HTML 13.2.4.3: of formatting elements that look the same at most three are open at a time. Where quotes make it
    # hard to tell where a tag ends, each counts.
    matches = [_FORMATTING.match(marks.body, at) for at in formatting.tolist()]
    seen = Counter(match[0] for match in matches if match)
    unclosed = sum(min(number, 3) if tag.endswith(b">") else number for tag, number in seen.items())
    return unclosed * marks.number > _MOST_COPIES
