"""The elements of a page that say something to a crawler, in document order, as a browser's parser sees them.

The only module that knows parsers of HTML. Lexbor builds the tree of the HTML standard. That tree can be made to take
time or memory in the square of the page's tags. From a page that could, all tags but those that matter here are taken
out, and libxml2 (lxml) reads it, which tells tags from text like a browser, but knows neither templates nor foreign
elements.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import cast

import numpy as np
from lxml import etree
from selectolax.lexbor import LexborCSSSelector, LexborDocumentOptions, LexborHTMLParser, LexborNode

Element = tuple[str, Mapping[str, str | None], Callable[[], str], bool]

_TAGS = ("a", "area", "base", "frame", "iframe", "link", "meta", "title")
_FOREIGN = ("svg", "math")
# HTML inside these again (HTML 13.2.6, integration points).
_HTML_AGAIN = ("foreignObject", "desc", "mi", "mo", "mn", "ms", "mtext", "annotation-xml")
# Each selector is tried on each element, so they are few: these find what `_TAGS` say, and little else. The others are
# for pages that have such tags.
_SELECTOR = "[href],[content],title"
_RARE_SELECTORS = {"[src]": (b"frame", b"iframe"), r"svg,a[xlink\:href]": (b"svg",), "math": (b"math",)}
_select = LexborCSSSelector()  # type: ignore[no-untyped-call]
_DEEP = 500  # levels to look up for them; browsers draw no more

# Whatever a page does, with so few tags it cannot do much: a quarter of a million elements at most.
_FEW_TAGS = 1_000
# Tags inside one another are searched through at every tag: with so many at most for a second.
_MOST_TAGS = 30_000
# What follows the name of a tag, as far as it is clear where it ends.
_REST_OF_TAG = rb"""[^<>"']*+(?:(?:"[^"<>]*"|'[^'<>]*')[^<>"']*+)*+"""
# Unclosed formatting elements are copied into every paragraph that follows, an element of 440 bytes each time.
_MOST_COPIES = 500_000
_FORMATS = b"b big code em font i nobr s small strike strong tt u".split()
_FORMATTING = re.compile(rb"<(?:%b)(?:>|[\t\n\f\r /](?:%b>)?)" % (b"|".join(_FORMATS), _REST_OF_TAG), re.IGNORECASE)
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
# libxml2 drops what follows </html> or is more than 2048 levels deep; without these tags, nothing is. Left are those
# that matter, those with nothing but text inside, and any with an angle bracket in quotes.
_TOLD = rb"(?:a|area|base|frame|iframe|link|meta|noembed|noframes|plaintext|script|style|textarea|title|xmp)"
_UNTOLD = re.compile(rb"</?(?!%b[\t\n\f\r />])[a-z]%b>" % (_TOLD, _REST_OF_TAG), re.IGNORECASE)
# An element of libxml2's tree takes 300 bytes, more once it is read.
_MOST_TOLD = 100_000
_TOLD_TAG = re.compile(rb"<" + _TOLD + rb"[\t\n\f\r />]", re.IGNORECASE)


def _beginnings_of(names: Iterable[bytes]) -> list[int]:
    """How tags of these names begin, as `Marks` has it."""
    return [int.from_bytes((name + b"%c" % end)[:2]) | 0x2020 for name in names for end in b">\t\n\f\r /"]


_MAY_FORMAT = np.zeros(1 << 16, dtype=np.bool_)
_MAY_FORMAT[_beginnings_of(_FORMATS)] = True
# A bit for each of the rare selectors.
_RARE = np.zeros(1 << 16, dtype=np.uint8)
for _bit, _names in enumerate(_RARE_SELECTORS.values()):
    _RARE[_beginnings_of(_names)] |= 1 << _bit


def within_limit(body: bytes, most: int = _MOST_TOLD) -> bytes:
    """The page up to its tag number `most` of those that are kept."""
    if len(body) <= most * len("<a>") or body.count(b"<") <= most:
        return body
    last = next(islice(_TOLD_TAG.finditer(body), most, None), None)
    return body if last is None else body[: last.start()]


def elements(body: bytes, *, anchors: bool = True) -> Iterator[Element]:
    """(tag, attributes, text, is a link element in the head) of every element in `_TAGS` that says something.

    `body` is well-formed UTF-8, an empty value may be None. anchors: whether anybody will ask for the text of links.

    An anchor of an SVG image is an a like others, its xlink:href a href. Other foreign elements are left out, and so
    are a template's: they are in no document.
    """
    if len(body) > _LONG and attributes_at_most(body) > _MANY:
        body = _MANY_ATTRIBUTES.sub(rb"\1", body)
    marks = Marks(body)
    if may_explode(marks):
        return _by_libxml2(body, anchors)
    rare = int(np.bitwise_or.reduce(_RARE[marks.beginnings]))
    return _by_lexbor(body, [selector for bit, selector in enumerate(_RARE_SELECTORS) if rare >> bit & 1])


def attributes_at_most(body: bytes) -> int:
    """No fewer than the attributes of a page: how often a byte that may begin one follows one that may precede it."""
    text = np.frombuffer(body, dtype=np.uint8)
    space = text == ord(" ")
    for byte in b"\t\n\f\r/":
        space |= text == byte
    before = space | (text == ord('"')) | (text == ord("'"))
    return int(np.count_nonzero(before[:-1] & ~(space | (text == ord(">")))[1:]))


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
    if marks.number <= _FEW_TAGS:
        return False
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


def _by_lexbor(body: bytes, selectors: list[str]) -> Iterator[Element]:
    parser = LexborHTMLParser(body, options=LexborDocumentOptions.WO_EVENTS)
    assert parser.root is not None
    behind_foreign = False
    for node in _select.find(",".join([_SELECTOR, *selectors]), parser.root):
        tag = node.tag
        if tag not in _TAGS:
            behind_foreign = behind_foreign or tag in _FOREIGN
            continue
        attributes = node.attributes
        if behind_foreign:
            inside = _inside(node)
            if inside == "svg" and tag == "a":
                if "href" not in attributes and "xlink:href" in attributes:
                    attributes["href"] = attributes["xlink:href"]
            elif inside in _FOREIGN:
                continue
            behind_foreign = inside is not None
        yield tag, attributes, node.text_lexbor, tag == "link" and _is_in_head(node)


def _is_in_head(node: LexborNode) -> bool:
    parent = node.parent
    return parent is not None and parent.tag == "head"


def _inside(node: LexborNode) -> str | None:
    """The innermost image, formula or HTML inside these that a node is in; None if it is in none of them."""
    for _ in range(_DEEP):
        parent = node.parent
        if parent is None:
            break
        node = parent
        if node.tag in _FOREIGN or node.tag in _HTML_AGAIN:
            return node.tag
    return None


def _by_libxml2(body: bytes, anchors: bool = True) -> Iterator[Element]:
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, collect_ids=False, huge_tree=True
    )
    try:
        root = etree.fromstring(_UNTOLD.sub(b"", body.replace(b"\0", b"\xef\xbf\xbd")), parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return
    if root is not None:
        for element in root.iter(*_TAGS):
            tag = str(element.tag)
            # Read now: a million elements are not kept until somebody asks.
            text = _text(element) if tag == "title" or (anchors and tag == "a") else ""
            parent = element.getparent() if tag == "link" else None
            is_in_head = parent is not None and parent.tag == "head"
            yield tag, cast("dict[str, str | None]", dict(element.items())), text.__str__, is_in_head


def _text(element: etree._Element) -> str:
    if not len(element):
        return element.text or ""
    # Links may be inside one another, each with all the text of the page.
    return "".join(map(str, islice(element.itertext(), 100)))
