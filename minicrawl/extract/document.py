"""A page for selectors and hooks: parsed by Lexbor for CSS, by libxml2 for XPath, each at its first use."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode, SelectolaxError

if TYPE_CHECKING:
    from lxml import etree

Tree = LexborHTMLParser
Node = LexborNode


class Document:
    """A page of HTML in UTF-8."""

    def __init__(self, html: bytes) -> None:
        self.html = html

    @cached_property
    def tree(self) -> LexborHTMLParser:
        """The page as parsed by Lexbor, like browsers do."""
        return LexborHTMLParser(self.html, options=LexborDocumentOptions.WO_EVENTS)

    @cached_property
    def xml_tree(self) -> "etree._Element | None":
        """The page as parsed by libxml2; None if it is empty."""
        from lxml import etree  # noqa: PLC0415 - few crawls have an XPath

        parser = etree.HTMLParser(encoding="utf-8", no_network=True)
        try:
            root: etree._Element | None = etree.fromstring(self.html, parser)
        except (etree.ParserError, etree.XMLSyntaxError):
            return None
        return root

    def css(self, selector: str, attribute: str | None = None) -> list[str]:
        """Texts of the elements matching a selector, white space as single spaces; or values of the attribute."""
        found = self.tree.css(selector)
        if attribute is None:
            return [single_spaced(node.text(separator="")) for node in found]
        return [node.attributes[attribute] or "" for node in found if attribute in node.attributes]

    def xpath(self, path: str) -> list[str]:
        """The results of an XPath: texts of elements, attributes and text nodes; or one value. Raises SelectorError."""
        from lxml import etree  # noqa: PLC0415 - few crawls have an XPath

        if self.xml_tree is None:
            return []
        try:
            found = self.xml_tree.xpath(path)
        except etree.XPathError as error:
            raise SelectorError(f"{path}: {error}") from error
        if not isinstance(found, list):
            return [f"{found:g}" if isinstance(found, float) else str(found)]
        return [
            single_spaced("".join(map(str, one.itertext()))) if isinstance(one, etree._Element) else str(one).strip()
            for one in found
        ]


class SelectorError(Exception):
    """A valid selector fails on a page."""


def wrong_css(selector: str) -> bool:
    """True if a CSS selector is invalid."""
    try:
        LexborHTMLParser("").css(selector)
    except SelectolaxError:
        return True
    return False


def wrong_xpath(path: str) -> str | None:
    """The error in an XPath; None if it is valid."""
    from lxml import etree  # noqa: PLC0415 - few crawls have an XPath

    try:
        etree.fromstring("<p/>", etree.HTMLParser()).xpath(path)
    except etree.XPathError as error:
        return str(error)
    return None


def single_spaced(text: str) -> str:
    return " ".join(text.split())


@dataclass(frozen=True)
class Page(Document):
    """A page of HTML that was just read: `css` and `xpath` find texts, `tree` and `xml_tree` are for the methods of
    selectolax and lxml.

    `url`: normalised; `status`: of HTTP; `content_type`: as the header says; `html`: the page in UTF-8, whatever its
    encoding was; `title`; `links`: the normalised URLs that it links to, in document order; `body`: the page as it was
    sent, without content coding; `headers`: see by_name. It cannot be changed.
    """

    url: str
    status: int
    content_type: str | None
    html: bytes = field(repr=False)
    title: str | None
    links: tuple[str, ...] = field(repr=False)
    body: bytes = field(default=b"", repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    @cached_property
    def text(self) -> str:
        """The words of the page, scripts and styles left out, white space as single spaces."""
        tree = LexborHTMLParser(self.html)
        tree.strip_tags(["script", "style", "template", "noscript"])
        return single_spaced(tree.body.text(separator=" ") if tree.body is not None else "")


def by_name(fields: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Fields of a header by name, in lower case; several of one name as one, their values joined by commas (RFC 9110
    5.3), cookies by lines, because they hold commas."""
    found: dict[str, str] = {}
    for name, value in fields:
        divider = "\n" if name == "set-cookie" else ", "
        found[name] = f"{found[name]}{divider}{value}" if name in found else value
    return MappingProxyType(found)
