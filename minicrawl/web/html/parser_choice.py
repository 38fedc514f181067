"""Build the tree of a page, so that none takes long.

The tree of a browser's parser (browser_tree.py) can take time or memory quadratic in the page's tags: the parser
searches the open elements at most tags, and copies formatting elements that a block found open into every block from
there on, until they are closed. A page that could cause this, one of many tags or of much unclosed formatting, is
flattened first: it keeps the tags that a crawler reads, and those of elements with nothing but text. None of these
contains another for long. Of other block elements a line between two blocks of text is left.

XHTML sent as XML has empty elements: <script/> ends where it begins, and so do <title/> and <div/>.
"""

import html
import re
from collections import Counter
from collections.abc import Iterable
from itertools import groupby, islice, pairwise

import numpy as np

from minicrawl.web.html.browser_tree import END_OF_PART, BrowserTree
from minicrawl.web.html.tree import BLOCKS, HIDDEN, TAGS
from minicrawl.web.marks import FORMAT, FORMATS, Marks

# A page with so few tags is harmless: at most a quarter of a million elements.
_FEW_TAGS = 1_400
# Open elements are searched at every tag: with so many tags for a second at most.
_MOST_TAGS = 30_000
_IN_A_PART, _MOST_IN_PARTS = 10_000, 250_000
# Copies of unclosed formatting elements, 440 bytes each.
_MOST_COPIES = 500_000
_LONGEST_TAG = 1_000  # bytes of a formatting element's tag that are compared
# An attribute is compared with all before it in its tag: so many, or so many bytes of them, take a second.
_MANY = 25_000
_LONG = 4 * _MANY
# Fewer are left in a tag: so many on a page of a million, more on smaller ones, whose scripts may look like long tags.
_LEFT, _MOST_LEFT = 256, 1_024
_ATTRIBUTE = (
    rb"[\t\n\f\r /]*+[^\t\n\f\r />][^\t\n\f\r />=]*+"
    rb"""(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:"[^"]*+"|'[^']*+'|[^\t\n\f\r >]*+))?+"""
)
_MANY_ATTRIBUTES = rb"(?i)(<[a-z][^\t\n\f\r />]*+(?:%b){%%d})(?:%b)+" % (_ATTRIBUTE, _ATTRIBUTE)
# Bits of a byte: it may precede an attribute, it may begin one.
_PRECEDES, _BEGINS = 1, 2
_ROLES = bytes(
    (_PRECEDES if byte in b"\t\n\f\r /\"'" else 0) | (0 if byte in b"\t\n\f\r />" else _BEGINS) for byte in range(256)
)
_CLEAR = (
    rb"""[\t\n\f\r /]+(?:[^\t\n\f\r "'<>/=]++(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+"""
    rb"""(?:"[^"<>]*+"|'[^'<>]*+'|[^\t\n\f\r "'<>=`]++))?+)?+"""
)
_FORMATTING_TAG = rb"(?:%b)(?:(?:%b)*+>|[\t\n\f\r /])" % (b"|".join(FORMATS), _CLEAR)
_FORMATTING = re.compile(_FORMATTING_TAG, re.IGNORECASE)
_LEAF_OR_TAG = re.compile(
    rb"<(?:(%b)(?:%b)*+>(?:[^<>]++|<span(?:%b)*+>[^<>]*+</span>)*+</\1>|(%b))"
    % (b"|".join(FORMATS), _CLEAR, _CLEAR, _FORMATTING_TAG),
    re.IGNORECASE,
)
"""A formatting element with nothing but text and spans of text, as most are: it is never copied. Or the tag of another
one."""

_KEPT = {*TAGS, *HIDDEN, "html", "img", "noscript", "plaintext", "textarea", "xmp"} - {"template"}
"""Elements that flattened pages keep."""
_NAMES_KEPT = b"(?:%b)" % "|".join(sorted(_KEPT)).encode()
_KEPT_TAG = re.compile(rb"<" + _NAMES_KEPT + rb"[\t\n\f\r />]", re.IGNORECASE)
_MOST_KEPT = 100_000
_TAG_OF = rb"(?<!<)<++/?+(?%b(?:%b)[\t\n\f\r />])[a-z][^<>]*+>?+"
_BY_LETTER = (
    f"{letter}(?:{'|'.join(name[1:] for name in names)})"
    for letter, names in groupby(sorted(BLOCKS | _KEPT), lambda name: name[0])
)
_INLINE_TAG = re.compile(_TAG_OF % (b"!", "|".join(_BY_LETTER).encode()), re.IGNORECASE)
_OTHER_TAGS = re.compile(rb"(?:%b[\t\n\f\r ]*+)++" % (_TAG_OF % (b"!", _NAMES_KEPT)), re.IGNORECASE)
"""Tags without regard to quotes, up to the next angle bracket, so that the time is linear in the length."""
_MOST_LINES = 100_000
_AT_ONCE = 256 * 1024
_BORDER = re.compile(rb"(?<!<)<")


def within_limit(body: bytes, most: int = _MOST_KEPT) -> bytes:
    """The page, cut in front of its tag number `most` + 1 among those that flattened pages keep."""
    if len(body) <= most * len("<a>") or tags_at_most(body) <= most:
        return body
    last = next(islice(_KEPT_TAG.finditer(body), most, None), None)
    return body if last is None else body[: last.start()]


def with_few_attributes(body: bytes) -> bytes:
    """The page; of one with very many attributes, the first ones of each tag alone."""
    if len(body) > _LONG and (number := attributes_at_most(body)) > _MANY:
        return re.sub(_MANY_ATTRIBUTES % min(_LEFT * 1_000_000 // number + 1, _MOST_LEFT), rb"\1", body)
    return body


def tree_of(body: bytes, marks: Marks | None = None) -> BrowserTree:
    """Parse a page of well-formed UTF-8. marks: of the page, if they are known."""
    marks = (marks or Marks(body)).for_body(with_few_attributes(body))
    if may_explode(marks):
        marks = Marks(_flattened(marks.body))
    return BrowserTree(marks)


def html_of(body: bytes, tree: BrowserTree) -> str:
    """The page as HTML again. tree: of the page, flattened if it has very many tags; then it is parsed in parts, each
    inside the elements that were open at the end of the part before."""
    if not _MOST_TAGS < tags_at_most(body) <= _MOST_IN_PARTS:
        return tree.html()
    pieces, around = list[str](), ""
    for start, end in pairwise([0, *Marks(body).places[_IN_A_PART::_IN_A_PART].tolist(), len(body)]):
        part = tree_of(around.encode() + body[start:end] + END_OF_PART)
        pieces.append(part.html())
        around = part.around_end()
    return "".join(pieces)


def _flattened(body: bytes) -> bytes:
    """The page without the tags that are not kept, and with lines between its blocks; a portion at a time, as all at
    once would take 30 times the page's memory."""
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


def may_explode(marks: Marks) -> bool:
    """True if a browser's tree of the page may be much larger than the page, or slow to build."""
    if marks.number <= _FEW_TAGS:
        return False
    if marks.number > _MOST_TAGS:
        return True
    formatting, body = marks.of(FORMAT), marks.body
    if len(formatting) * marks.number <= _MOST_COPIES:
        return False
    tags = (body[at + 1 : body.find(b">", at, at + _LONGEST_TAG) + 1 or at + _LONGEST_TAG] for at in formatting)
    if _unclosed(tags) * marks.number <= _MOST_COPIES:
        return False
    return _unclosed(tag for _, tag in _LEAF_OR_TAG.findall(body)) * marks.number > _MOST_COPIES


def _unclosed(tags: Iterable[bytes]) -> int:
    """The most formatting elements that are open at a time, at most three equal ones (HTML 13.2.4.3). tags: without
    "<"; those of others count for nothing. Tags whose end is ambiguous, because of quotes, all count."""
    found = [(_FORMATTING.match(tag), number) for tag, number in Counter(tags).items()]
    return sum(min(number, 3) if tag[0].endswith(b">") else number for tag, number in found if tag)


_REST_OF_TAG = rb"""[^<>"']*+(?:(?:"[^"<>]*"|'[^'<>]*')[^<>"']*+)*+"""
"""The rest of a tag behind its name, where its end is unambiguous."""
_XML = re.compile(
    rb"<!--(?:.*?-->|.*)|<!\[CDATA\[(?P<data>.*?)(?:\]\]>|\Z)|<(?P<name>[a-z][^\t\n\f\r />]*)(?P<rest>%b)>"
    % _REST_OF_TAG,
    re.IGNORECASE | re.DOTALL,
)
_VOID = frozenset(b"area base basefont bgsound br col embed hr img input link meta param source track wbr".split())


def as_html(page: bytes) -> bytes:
    """XHTML in UTF-8 as HTML that means the same: empty elements get an end tag, and CDATA is text."""

    def plain(piece: re.Match[bytes]) -> bytes:
        if piece["data"] is not None:
            return html.escape(piece["data"].decode(), quote=False).encode()
        name, rest = piece["name"], piece["rest"] or b""
        if not rest.endswith(b"/") or name.lower() in _VOID:
            return piece[0]
        return b"<%b%b></%b>" % (name, rest[:-1], name)

    return _XML.sub(plain, page)
