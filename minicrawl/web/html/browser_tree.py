"""Parse a page as browsers do: Lexbor builds the tree of the HTML standard.

A hostile page can make it take time or memory quadratic in its tags; parser_choice.py keeps such pages away.

A browser with scripts is the model:

noscript in the head     is text that nobody sees (WHATWG HTML, 13.2.6.4.5), and so does not end the head
noscript in the body     leads on by its links, for readers without scripts; its meta elements are nobody's
template shadowrootmode  is a part of the page (13.2.6.4.4)
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from html import escape

from selectolax.lexbor import LexborCSSSelector, LexborDocumentOptions, LexborHTMLParser, LexborNode

from minicrawl.web.html.content import ARTICLE, BOX, COMMENTS, HEAD, HEADER, MAIN, NAMED, OUT, container
from minicrawl.web.html.content import TEXT as ARTICLE_TEXT
from minicrawl.web.html.tree import FEW, LIST, NAVIGATION, TAGS, TEXT, is_text
from minicrawl.web.marks import FRAME, HIDING, MATH, SVG, Marks

_FOREIGN = ("svg", "math")
# Elements of these that contain HTML again (HTML 13.2.6, integration points).
_HTML_AGAIN = ("foreignObject", "desc", "mi", "mo", "mn", "ms", "mtext", "annotation-xml")
# Every selector is tried on every element, so they are few: these find the elements in `TAGS`, and few others.
_SELECTOR = "[href],[content],title"
_RARE_SELECTORS = {FRAME: "[src]", SVG: r"svg,a[xlink\:href]", MATH: "math"}
"""The other selectors, for pages that have these tags."""
_tags = LexborHTMLParser("")
_TAGS = {_tags.create_node(tag).tag_id: tag for tag in TAGS}
_CONTENT = LIST
"""The place inside an element of content; words beside a link make it TEXT."""
_PLACES = dict.fromkeys((OUT, BOX, COMMENTS, HEADER, HEAD), NAVIGATION) | dict.fromkeys(
    (MAIN, ARTICLE, ARTICLE_TEXT), _CONTENT
)
"""By mark of a container."""
_NAMED = {_tags.create_node(tag).tag_id: (tag, _PLACES.get(container(tag, {}))) for tag in NAMED}
_BODY = _tags.create_node("body").tag_id
_LAST_KNOWN = 1_000
"""Tag numbers of elements that Lexbor does not know are larger."""
_select = LexborCSSSelector()  # type: ignore[no-untyped-call]
_END_OF_PART = "minicrawl-end"
END_OF_PART = f"<template id={_END_OF_PART}></template>".encode()
"""An element that may stand in any other."""
_MOST_AROUND = 64
_DEEP = 500  # levels that are searched for a foreign element; browsers draw no more
_INNER = re.compile("<noscript", re.IGNORECASE)
_SHOWN = "x-noscript"
"""Stands for a noscript element of the body."""
del _tags  # a parser has a megabyte


class BrowserTree:
    """The tree of a page in UTF-8. `hidden`: the insides of noscript elements in the head, and of those with meta
    elements."""

    def __init__(self, marks: Marks) -> None:
        parser = LexborHTMLParser(marks.body, options=LexborDocumentOptions.WO_EVENTS, scripting=True)
        assert parser.root is not None
        self._root = self._node = parser.root
        rare = [selector for kind, selector in _RARE_SELECTORS.items() if marks.found & kind]
        self._selector = ",".join([_SELECTOR, *rare]) if rare else _SELECTOR
        self._places: dict[int, int] = {}  # by element, the place inside it
        self.hidden: list[str] = []
        if marks.found & HIDING:
            self._show_shadow_roots()
            self._show_noscript(parser)

    def _show_shadow_roots(self) -> None:
        pending = [self._root]
        while pending:
            for fragment in pending.pop().template_fragments():
                template = fragment.parent
                assert template is not None
                if (template.attributes.get("shadowrootmode") or "").lower() in ("open", "closed"):
                    for child in list(fragment.iter(include_text=True)):
                        template.insert_before(child, move=True)
                        pending.append(child)

    def _show_noscript(self, parser: LexborHTMLParser) -> None:
        shown = parser.create_node(_SHOWN)
        for node in _select.find("noscript", self._root):
            inside, is_in_head = node.text(), node.parent is not None and node.parent.tag == "head"
            has_meta = "<meta" in inside.lower()
            if is_in_head or has_meta:
                self.hidden.append(inside)
            if not is_in_head:
                node.insert_before(shown)
                assert node.prev is not None
                node.prev.inner_html = _INNER.sub(f"<{_SHOWN}", inside)
                if has_meta:
                    node.prev.strip_tags(["meta"])
            node.decompose()

    def elements(self) -> Iterator[tuple[str, Mapping[str, str | None]]]:
        """Tag and attributes of the elements in `TAGS`, in document order. An empty attribute value may be None.

        Links of SVG images are included, with xlink:href as href. Other foreign elements are left out,
        and so are the contents of templates, which are not part of the document."""
        behind_foreign = False
        for node in _select.find(self._selector, self._root):
            tag = _TAGS.get(node.tag_id)
            if tag is None:
                behind_foreign = behind_foreign or node.tag in _FOREIGN
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
            self._node = node
            yield tag, attributes

    def requiring(self, selector: str) -> Iterator[tuple[str, Mapping[str, str | None], Callable[[], str]]]:
        """Tag in lower case, attributes and text of the elements that a selector finds, in document order, also in
        images, but not in templates."""
        last = None
        for node in _select.find(selector, self._root):
            if node.mem_id == last:  # found by another part of the selector
                continue
            last = node.mem_id
            yield (node.tag or "").lower(), node.attributes, node.text_lexbor

    def place(self, best: int | None) -> int:
        """The number of the `minicrawl.model.Place` of a link. best: of the links before it with the same reference;
        it is returned where this link cannot better it."""
        link = self._node
        if best is not None and (best == TEXT or (best == LIST and not _is_beside_words(link))):
            return best
        parent = link.parent
        assert parent is not None, "the root of a page is its html element"
        number = parent.mem_id
        place = self._places[number] if number in self._places else self._place_inside(parent, number)
        return TEXT if place == _CONTENT and (best == LIST or _is_beside_words(link)) else place

    def words(self) -> Callable[[], str]:
        """A function that returns the text inside the element that `elements` has come to."""
        return self._node.text_lexbor

    def name(self) -> Callable[[], str]:
        """A function that returns the text inside the link that `elements` has come to; if it has no letters, the label
        of the link or of its picture."""
        return partial(_name, self._node)

    def is_in_head(self) -> bool:
        parent = self._node.parent
        return parent is not None and parent.tag == "head"

    def language(self) -> str | None:
        return self._root.attributes.get("lang")

    def html(self) -> str:
        """The page as HTML: every element has its end; but for raw text and comments, "<" and ">" are those of tags."""
        return self._root.html or ""

    def around_end(self) -> str:
        """The start tags of the elements around `END_OF_PART`, without very many."""
        found, tags = _select.find(f"#{_END_OF_PART}", self._root), list[str]()
        node = found[-1].parent if found else None
        while node is not None and node.tag not in ("html", "body") and len(tags) <= _MOST_AROUND:
            values = (f' {name}="{escape(value or "")}"' for name, value in node.attributes.items())
            tags.append(f"<{node.tag}{''.join(values)}>")
            node = node.parent
        return "".join(reversed(tags)) if len(tags) <= _MOST_AROUND else ""

    def _place_inside(self, node: LexborNode, number: int) -> int:
        """The place inside an element with this number. It is kept for all elements on the way to its origin."""
        known, asked, place = self._places, [number], None
        while True:
            tag = node.tag_id
            if tag in _NAMED:
                name, place = _NAMED[tag]
                attributes = node.attributes
                place = _PLACES.get(container(name, attributes)) if attributes else place
            elif tag > _LAST_KNOWN:  # custom elements may be any part of a page
                place = _PLACES.get(container("", node.attributes))
            elif tag == _BODY:
                place = _CONTENT
            if place is not None:
                break
            parent = node.parent
            if parent is None:
                place = _CONTENT
                break
            node, number = parent, parent.mem_id
            if number in known:
                place = known[number]
                break
            asked.append(number)
        for number in asked:
            known[number] = place
        return place


def _name(link: LexborNode) -> str:
    text = link.text_lexbor()
    if any(map(str.isalnum, text)):
        return text
    labelled = (link, *_select.find("[aria-label], [title], [alt]", link))
    labels = (each.attributes.get(name) for each in labelled for name in ("aria-label", "title", "alt"))
    return next(filter(None, labels), text)


def _is_beside_words(link: LexborNode) -> bool:
    node = link.next
    if node is not None and (words := node.text_content) is not None and len(words) > FEW and is_text(words):
        return True
    node = link.prev
    return node is not None and (words := node.text_content) is not None and len(words) > FEW and is_text(words)


def _inside(node: LexborNode) -> str | None:
    """The tag of the innermost image, formula or integration point around a node."""
    for _ in range(_DEEP):
        parent = node.parent
        if parent is None:
            break
        node = parent
        if node.tag in _FOREIGN or node.tag in _HTML_AGAIN:
            return node.tag
    return None
