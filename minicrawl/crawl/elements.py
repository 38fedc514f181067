"""The elements of a page that say something to a crawler, in document order, as a browser's parser sees them.

The only module that knows parsers of HTML. Lexbor builds the tree of the HTML standard. That tree can be made to take
time or memory in the square of the page's tags. From a page that could, all tags but those that matter here are taken
out, and libxml2 (lxml) reads it, which tells tags from text like a browser, but knows neither templates nor foreign
elements.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from lxml import etree
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

Element = tuple[str, Mapping[str, str | None], Callable[[], str]]

_TAGS = ("a", "area", "base", "frame", "iframe", "link", "meta", "title")
_WITH_TEXT = ("a", "title")
_FOREIGN = ("svg", "math")
# HTML inside these again (HTML 13.2.6, integration points).
_HTML_AGAIN = ("foreignObject", "desc", "mi", "mo", "mn", "ms", "mtext", "annotation-xml")
_SELECTOR = ",".join((*_TAGS, *_FOREIGN))
_DEEP = 500  # levels to look up for them; browsers draw no more

# Whatever a page does, with so few tags it cannot do much: a quarter of a million elements at most.
_FEW_TAGS = 1_000
# Tags inside one another are searched through at every tag: with so many at most for a second.
_MOST_TAGS = 30_000
# Unclosed formatting elements are copied into every paragraph that follows, an element of 440 bytes each time.
_MOST_COPIES = 500_000
_FORMATTING = re.compile(
    rb"<(?=[bcefinstu])(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)"
    rb"""(?:>|[\t\n\f\r /](?:(?:[^<>"']|"[^"<>]*"|'[^'<>]*')*+>)?)""",
    re.IGNORECASE,
)
# Each attribute of a tag is compared with all before it: harmless where all fit into so many bytes.
_LONG = 100_000
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
_UNTOLD = re.compile(
    rb"</?(?!" + _TOLD + rb"""[\t\n\f\r />])[a-z](?:[^<>"']|"[^"<>]*"|'[^'<>]*')*+>""",
    re.IGNORECASE,
)
# An element of libxml2's tree takes 300 bytes, more once it is read.
_MOST_TOLD = 100_000
_TOLD_TAG = re.compile(rb"<" + _TOLD + rb"[\t\n\f\r />]", re.IGNORECASE)


def within_limit(body: bytes) -> bytes:
    """The page up to its 100,000th tag of those that are kept."""
    if body.count(b"<") <= _MOST_TOLD:
        return body
    last = next(islice(_TOLD_TAG.finditer(body), _MOST_TOLD, None), None)
    return body if last is None else body[: last.start()]


def elements(body: bytes) -> Iterator[Element]:
    """(tag, attributes, text) of every element in `_TAGS`; `body` is well-formed UTF-8, an empty value may be None.

    An anchor of an SVG image is an a like others, its xlink:href a href. Other foreign elements are left out, and so
    are a template's: they are in no document.
    """
    if len(body) > _LONG:
        body = _MANY_ATTRIBUTES.sub(rb"\1", body)
    return _by_libxml2(body) if may_explode(body) else _by_lexbor(body)


def may_explode(body: bytes) -> bool:
    """Whether a browser's tree of these bytes may be much larger than they are, or much slower to build."""
    tags = body.count(b"<")
    if tags <= _FEW_TAGS:
        return False
    if tags > _MOST_TAGS:
        return True
    # HTML 13.2.4.3: of formatting elements that look the same at most three are open at a time. Where quotes make it
    # hard to tell where a tag ends, each counts.
    seen = Counter(_FORMATTING.findall(body))
    unclosed = sum(min(number, 3) if tag.endswith(b">") else number for tag, number in seen.items())
    return unclosed * tags > _MOST_COPIES


def _by_lexbor(body: bytes) -> Iterator[Element]:
    parser = LexborHTMLParser(body, options=LexborDocumentOptions.WO_EVENTS)
    behind_foreign = False
    for node in parser.css(_SELECTOR):
        tag = node.tag or ""
        if tag in _FOREIGN:
            behind_foreign = True
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
        yield tag, attributes, node.text_lexbor


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


def _by_libxml2(body: bytes) -> Iterator[Element]:
    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, collect_ids=False, huge_tree=True
    )
    try:
        root = etree.fromstring(_UNTOLD.sub(b"", body.replace(b"\0", b"\xef\xbf\xbd")), parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return
    if root is not None:
        for element in root.iter(*_TAGS):
            # Read now: a million elements are not kept until somebody asks.
            text = _text(element) if element.tag in _WITH_TEXT else ""
            yield str(element.tag), {str(name): str(value) for name, value in element.items()}, text.__str__


def _text(element: etree._Element) -> str:
    if not len(element):
        return element.text or ""
    # Links may be inside one another, each with all the text of the page.
    return "".join(map(str, islice(element.itertext(), 100)))
