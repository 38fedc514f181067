"""A page as hooks see it."""

from dataclasses import dataclass, field
from functools import cached_property

from lxml import etree
from selectolax.lexbor import LexborHTMLParser

from minicrawl.extract.document import Document, single_spaced


@dataclass(frozen=True)
class Page:
    """A page of HTML that was just read.

    `url`: normalised; `status`: of HTTP; `content_type`: as the header says; `html`: the page in UTF-8, whatever its
    encoding was; `title`; `links`: the normalised URLs that it links to, in document order. Changes to it are lost.
    """

    url: str
    status: int
    content_type: str | None
    html: bytes = field(repr=False)
    title: str | None
    links: tuple[str, ...] = field(repr=False)

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
