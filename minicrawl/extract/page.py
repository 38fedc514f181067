"""A page as hooks see it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType

from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from minicrawl.extract.document import Document, single_spaced


@dataclass(frozen=True)
class Page:
    """A page of HTML that was just read.

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
    def document(self) -> Document:
        return Document(self.html)

    @property
    def tree(self) -> LexborHTMLParser:
        """The page as browsers read it, for selectolax's own methods."""
        return self.document.tree

    @property
    def xml_tree(self) -> etree._Element | None:
        """The page for lxml's own methods."""
        return self.document.xml_tree

    def css(self, selector: str, attribute: str | None = None) -> list[str]:
        """The texts of the elements that a CSS selector finds, or that attribute of those that have it."""
        return self.document.css(selector, attribute)

    def xpath(self, path: str) -> list[str]:
        """What an XPath finds, as texts."""
        return self.document.xpath(path)

    @cached_property
    def text(self) -> str:
        """The words of the page, scripts and styles left out, white space as single spaces."""
        tree = LexborHTMLParser(self.html)
        tree.strip_tags(["script", "style", "template", "noscript"])
        return single_spaced(tree.body.text(separator=" ") if tree.body is not None else "")


def by_name(fields: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Fields of a header by name, in lower case; several of one name as one, their values joined by commas (RFC 9110
    5.3), cookies by lines, as they hold commas."""
    found: dict[str, str] = {}
    for name, value in fields:
        divider = "\n" if name == "set-cookie" else ", "
        found[name] = f"{found[name]}{divider}{value}" if name in found else value
    return MappingProxyType(found)
