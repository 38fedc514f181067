"""A page as a browser's parser sees it: Lexbor, which builds the tree of the HTML standard.

That tree can be made to take time or memory in the square of the page's tags: whether it may, elements.py tells first.
"""

from collections.abc import Iterator, Mapping

from selectolax.lexbor import LexborCSSSelector, LexborDocumentOptions, LexborHTMLParser, LexborNode

from minicrawl.crawler.html.link_places import CONTENT, is_text, place_in
from minicrawl.crawler.html.tree import HEADINGS, HIDDEN, INLINE, TAGS, Element, Text
from minicrawl.model import Place

_FOREIGN = ("svg", "math")
# HTML inside these again (HTML 13.2.6, integration points).
_HTML_AGAIN = ("foreignObject", "desc", "mi", "mo", "mn", "ms", "mtext", "annotation-xml")
# Each selector is tried on each element, so they are few: these find what `TAGS` say, and little else.
_SELECTOR = "[href],[content],title"
RARE_SELECTORS: Mapping[str, tuple[bytes, ...]] = {
    "[src]": (b"frame", b"iframe"),
    r"svg,a[xlink\:href]": (b"svg",),
    "math": (b"math",),
}
"""The others, for pages that have such tags."""
_select = LexborCSSSelector()  # type: ignore[no-untyped-call]
_DEEP = 500  # levels to look up for them; browsers draw no more


class BrowserTree:
    """The tree of a page that is UTF-8. rare: which of the rare selectors find something in it."""

    def __init__(self, body: bytes, rare: list[str]) -> None:
        parser = LexborHTMLParser(body, options=LexborDocumentOptions.WO_EVENTS)
        assert parser.root is not None
        self._root = parser.root
        self._rare = rare
        self._places: dict[int, Place] = {}  # by element, what it says of what it holds

    def elements(self, *, places: bool = False) -> Iterator[Element]:
        """An anchor of an SVG image is an a like others, its xlink:href a href. Other foreign elements are left out,
        and so are a template's: they are in no document."""
        behind_foreign, place = False, Place.LIST
        for node in _select.find(",".join([_SELECTOR, *self._rare]), self._root):
            tag = node.tag
            if tag not in TAGS:
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
            if places:
                place = self._place(node) if tag == "a" else Place.LIST
            yield tag, attributes, node.text_lexbor, tag == "link" and _is_in_head(node), place

    def language(self) -> str | None:
        return self._root.attributes.get("lang")

    def h1(self) -> str | None:
        heading = self._root.css_first("h1")
        return None if heading is None else heading.text_lexbor()

    def text(self) -> Text:
        headings = []
        # Descendants first: what is taken out is not asked again.
        for node in reversed(_select.find("*", self._root)):
            tag = node.tag
            if tag in INLINE:
                node.unwrap(delete_empty=True)
            elif tag in HIDDEN:
                node.decompose()
            elif tag in HEADINGS:
                headings.append((tag, node.text_lexbor()))
        self._root.merge_text_nodes()
        # No page has a NUL in its text: the standard's parser has made others of them.
        return Text(self._root.text(separator="\0", skip_empty=True).split("\0"), headings[::-1])

    def _place(self, link: LexborNode) -> Place:
        parent = link.parent
        place = self._places.get(parent.mem_id) if parent is not None else CONTENT
        if place is None:
            place = self._place_inside(parent)
        if place is not CONTENT:
            return place
        return Place.TEXT if _is_text(link.prev) or _is_text(link.next) else Place.LIST

    def _place_inside(self, node: LexborNode | None) -> Place:
        """Where what an element holds stands. Elements are asked once each."""
        asked: list[int] = []
        place: Place | None = None
        while place is None and node is not None:
            number = node.mem_id
            place = self._places.get(number)
            if place is None:
                asked.append(number)
                place = place_in(node.tag or "", node.attributes)
                node = node.parent
        place = CONTENT if place is None else place
        for number in asked:
            self._places[number] = place
        return place


def _is_text(node: LexborNode | None) -> bool:
    return node is not None and node.is_text_node and is_text(node.text_content)


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
