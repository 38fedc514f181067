"""Build the tree of a page, so that none takes long.

The tree of a browser's parser (browser_tree.py) can take time or memory quadratic in the page's tags: the parser
searches the open elements at most tags, and copies formatting elements that a block found open into every block from
there on, until they are closed. A page that could cause this, one of many tags or of much unclosed formatting, is
flattened first: it keeps the tags that a crawler reads, and those of elements with nothing but text. None of these
contains another for long. Of other block elements a line between two blocks of text is left.
"""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.html.browser_tree import RARE_SELECTORS, BrowserTree
from minicrawl.crawler.html.tree import HIDDEN, INLINE, TAGS

# A page with so few tags is harmless: at most a quarter of a million elements.
_FEW_TAGS = 1_000
# Open elements are searched at every tag: with so many tags for a second at most.
_MOST_TAGS = 30_000
# Copies of unclosed formatting elements, 440 bytes each.
_MOST_COPIES = 500_000
FORMATS = b"b big code em font i nobr s small strike strong tt u".split()
"""Elements that are opened again in the next block if they were not closed (HTML 13.2.4.3). So is an a, but none is
inside another."""
# An attribute is compared with all before it in its tag: so many, or so many bytes of them, take a second.
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
# Bits of a byte: it may precede an attribute, it may begin one.
_PRECEDES, _BEGINS = 1, 2
_ROLES = bytes(
    (_PRECEDES if byte in b"\t\n\f\r /\"'" else 0) | (0 if byte in b"\t\n\f\r />" else _BEGINS) for byte in range(256)
)
_CLEAR = (
    rb"""[\t\n\f\r /]+(?:[^\t\n\f\r "'<>/=]++(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+"""
    rb"""(?:"[^"<>]*+"|'[^'<>]*+'|[^\t\n\f\r "'<>=`]++))?+)?+"""
)
_FORMATTING = re.compile(rb"<(?:%b)(?:(?:%b)*+>|[\t\n\f\r /])" % (b"|".join(FORMATS), _CLEAR), re.IGNORECASE)
_LEAF = re.compile(rb"<(%b)(?:%b)*+>[^<>]*+</\1>" % (b"|".join(FORMATS), _CLEAR), re.IGNORECASE)
"""A formatting element with nothing but text, as most are: it is never copied."""

_KEPT = {*TAGS, *HIDDEN, "html", "img", "plaintext", "textarea", "xmp"} - {"template"}
"""Elements that flattened pages keep."""
_NAMES_KEPT = b"(?:%b)" % "|".join(sorted(_KEPT)).encode()
_KEPT_TAG = re.compile(rb"<" + _NAMES_KEPT + rb"[\t\n\f\r />]", re.IGNORECASE)
_MOST_KEPT = 100_000
_TAG_OF = rb"<++/?+(?%b(?:%b)[\t\n\f\r />])[a-z][^<>]*+>?+"
_INLINE_TAG = re.compile(_TAG_OF % (b"=", "|".join(sorted(INLINE - _KEPT)).encode()), re.IGNORECASE)
_OTHER_TAGS = re.compile(rb"(?:%b[\t\n\f\r ]*+)++" % (_TAG_OF % (b"!", _NAMES_KEPT)), re.IGNORECASE)
"""Tags without regard to quotes, up to the next angle bracket, so that the time is linear in the length."""
_MOST_LINES = 100_000
_AT_ONCE = 256 * 1024
_BORDER = re.compile(rb"(?<!<)<")


def _beginnings_of(names: Iterable[bytes]) -> list[int]:
    """The beginnings of tags with these names, as in `Marks.beginnings`."""
    return [int.from_bytes((name + b"%c" % end)[:2], "little") | 0x2020 for name in names for end in b">\t\n\f\r /"]


def which_begin(*names: bytes) -> npt.NDArray[np.bool_]:
    """True for the beginnings of tags with these names and some others, shape (65536,)."""
    found = np.zeros(1 << 16, dtype=np.bool_)
    found[_beginnings_of(names)] = True
    return found


_MAY_FORMAT = which_begin(*FORMATS)
_RARE = np.zeros(1 << 16, dtype=np.uint8)
"""A bit for each rare selector, by number, that may find tags with these beginnings."""
for _number, _names in enumerate(RARE_SELECTORS.values()):
    _RARE[_beginnings_of(_names)] |= 1 << _number


def within_limit(body: bytes, most: int = _MOST_KEPT) -> bytes:
    """The page, cut in front of its tag number `most` + 1 among those that flattened pages keep."""
    if len(body) <= most * len("<a>") or tags_at_most(body) <= most:
        return body
    last = next(islice(_KEPT_TAG.finditer(body), most, None), None)
    return body if last is None else body[: last.start()]


def with_few_attributes(body: bytes) -> bytes:
    """The page; of one with very many attributes, the first ones of each tag alone."""
    if len(body) > _LONG and attributes_at_most(body) > _MANY:
        return _MANY_ATTRIBUTES.sub(rb"\1", body)
    return body


def tree_of(body: bytes, marks: "Marks | None" = None) -> BrowserTree:
    """Parse a page of well-formed UTF-8. marks: those of the page, if they are known."""
    body = with_few_attributes(body)
    if marks is None or marks.body is not body:
        marks = Marks(body)
    if may_explode(marks):
        body = _flattened(body)
        marks = Marks(body)
    return BrowserTree(body, _rare_selectors(marks))


def _flattened(body: bytes) -> bytes:
    """The page without the tags that are not kept, and with lines between its blocks.

    A portion at a time, as all at once would take 30 times the page's memory."""
    pieces, at, left = list[bytes](), 0, _MOST_LINES
    while at < len(body):
        start = _BORDER.search(body, at + _AT_ONCE)
        end = start.start() if start else len(body)
        piece = _INLINE_TAG.sub(b"", body[at:end])
        if left:
            piece, lines = _OTHER_TAGS.subn(b"<hr>", piece)
            left = max(left - lines, 0)
        else:
            piece = _OTHER_TAGS.sub(b" ", piece)
        pieces.append(piece)
        at = end
    return b"".join(pieces)


def _rare_selectors(marks: "Marks") -> list[str]:
    """The rare selectors that may find something."""
    found = int(np.bitwise_or.reduce(_RARE.take(marks.beginnings)))
    return [selector for number, selector in enumerate(RARE_SELECTORS) if found >> number & 1] if found else []


def tags_at_most(body: bytes) -> int:
    """An upper bound of a page's tags: the number of "<", in a tenth of the time of bytes.count."""
    return int(np.count_nonzero(np.frombuffer(body, dtype=np.uint8) == ord("<")))


def attributes_at_most(body: bytes) -> int:
    """An upper bound of a page's attributes: pairs of a byte that may precede one and a byte that may begin one."""
    roles = np.frombuffer(body.translate(_ROLES), dtype=np.uint8)
    both = roles[:-1] + roles[:-1]
    both &= roles[1:]
    both &= _BEGINS
    return int(np.count_nonzero(both))


class Marks:
    """The "<" of a page: their `number`, by byte True in `found`, and `beginnings`, the two bytes behind each as one
    number, letters in lower case."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.found = np.frombuffer(body, dtype=np.uint8)[:-2] == ord("<")
        size = len(self.found)
        pairs: npt.NDArray[np.uint16] = np.ndarray(size, "<u2", body, min(size, 1), (1,))  # behind every byte
        self.beginnings = pairs[self.found] | 0x2020
        self.number = len(self.beginnings)

    def have(self, beginnings: npt.NDArray[np.bool_]) -> bool:
        """True if one of the tags begins so. beginnings: shape (65536,), see `which_begin`."""
        return bool(beginnings[self.beginnings].any())


def may_explode(marks: Marks) -> bool:
    """True if a browser's tree of the page may be much larger than the page, or slow to build."""
    if marks.number <= _FEW_TAGS:
        return False
    if marks.number > _MOST_TAGS:
        return True
    may_format = _MAY_FORMAT[marks.beginnings]
    if np.count_nonzero(may_format) * marks.number <= _MOST_COPIES:
        return False
    formatting = np.flatnonzero(marks.found)[may_format]
    found = (_FORMATTING.match(marks.body, at) for at in formatting.tolist())
    if _unclosed(tag[0] for tag in found if tag) * marks.number <= _MOST_COPIES:
        return False
    return _unclosed(_FORMATTING.findall(_LEAF.sub(b"", marks.body))) * marks.number > _MOST_COPIES


def _unclosed(tags: Iterable[bytes]) -> int:
    """The most formatting elements with these tags that are open at a time.

    HTML 13.2.4.3: at most three equal ones are. Tags whose end is ambiguous, because of quotes, all count.
    """
    return sum(min(number, 3) if tag.endswith(b">") else number for tag, number in Counter(tags).items())
