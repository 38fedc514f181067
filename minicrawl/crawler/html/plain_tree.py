"""Parse a page with libxml2 (lxml) after most tags are removed: in time and memory linear in its length.

libxml2 tells tags from text like a browser, but knows neither templates nor foreign elements, and drops elements behind
</html> or deeper than 2048 levels. Without most tags no element is. The tags that are kept are those that a crawler
reads, those of elements with nothing but text, and any with an angle bracket in quotes.

Where places or text are wanted, the other tags are not removed but replaced by empty meta elements with the attribute
`_MARK`, one for each start tag and end tag in document order; a stack then tells the nesting.
"""

import contextlib
import functools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import cast

from lxml import etree

from minicrawl.crawler.html.content import END, NAMED, container
from minicrawl.crawler.html.tree import (
    CONTENT,
    HEADINGS,
    HIDDEN,
    INLINE,
    KEPT,
    LIST,
    NAMES_KEPT,
    REST_OF_TAG,
    TAGS,
    TEXT,
    Marked,
    Text,
    is_text,
    place_in,
    up_to_fragment,
)
from minicrawl.store.texts import marked_text as marks

_OTHER_TAG = re.compile(
    rb"<(/?(?!%b[\t\n\f\r />])[a-z][^\t\n\f\r /><\"']*+)(%b)>" % (NAMES_KEPT, REST_OF_TAG), re.IGNORECASE
)
_MARK = "minicrawl-tag"
_MARKED = rb'<meta %b="\1" \2>' % _MARK.encode()
_MOST_MARKS = 100_000
"""A mark takes half a kilobyte. On a page with more tags, the rest has the place of the last mark."""
_AT_ONCE = 256 * 1024
_VOID = frozenset(["br", "col", "embed", "hr", "img", "input", "keygen", "param", "source", "track", "wbr"])
_KEPT_BLOCKS = KEPT - INLINE - HIDDEN
_HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_ENDED_BY_THEIR_LIKE = frozenset(["dd", "dt", "li", "option", "p", "tbody", "td", "th", "tr"])


def _without_other_tags(body: bytes) -> bytes:
    """Remove the tags that are not kept, a portion at a time, as all at once would take 30 times the page's memory.
    None of them contains another "<"."""
    pieces, at = list[bytes](), 0
    while at < len(body):
        end = body.find(b"<", at + _AT_ONCE)
        pieces.append(_OTHER_TAG.sub(b"", body[at : end if end >= 0 else len(body)]))
        at = end if end >= 0 else len(body)
    return b"".join(pieces)


class PlainTree:
    """The tree of a page in UTF-8. marked: more than elements without places will be needed."""

    def __init__(self, body: bytes, *, marked: bool) -> None:
        parser = etree.HTMLParser(
            encoding="utf-8",
            no_network=True,
            remove_comments=not marked,
            remove_pis=True,
            collect_ids=False,
            huge_tree=True,
        )
        body = body.replace(b"\0", b"\xef\xbf\xbd")
        if marked:
            body = _OTHER_TAG.sub(_MARKED, body, _MOST_MARKS)
        self._root: etree._Element | None = None
        with contextlib.suppress(etree.ParserError, etree.XMLSyntaxError, ValueError):
            self._root = etree.fromstring(_without_other_tags(body), parser)

    def elements(self) -> Iterator[tuple[str, Mapping[str, str | None]]]:
        if self._root is None:
            return
        self._open = _Open()
        for element in self._root.iter(*TAGS):
            tag = str(element.tag)
            attributes = cast("dict[str, str | None]", dict(element.items()))
            if tag == "meta" and _MARK in attributes:
                self._open.take(attributes)
                continue
            self._element = element
            yield tag, attributes

    def requiring(self, selector: str) -> Iterator[tuple[str, Mapping[str, str | None], Callable[[], str]]]:
        opened = _Open()
        for element in () if self._root is None else self._root.iter(etree.Element):
            attributes = cast("dict[str, str | None]", dict(element.items()))
            tag, opens = str(element.tag), True
            if _MARK in attributes:
                tag, opens = opened.take(attributes)
            if opens and not opened.holds("template"):
                yield tag, attributes, functools.partial(_words, element)

    def place(self, best: int | None) -> int:
        around = self._open.place
        return around if around != CONTENT or best == TEXT else _place_in_content(self._element)

    def words(self) -> Callable[[], str]:
        return functools.partial(_words, self._element)

    def is_in_head(self) -> bool:
        parent = self._element.getparent()
        return parent is not None and parent.tag == "head"

    def language(self) -> str | None:
        marks = () if self._root is None else self._root.iter("meta")
        found = next((mark for mark in marks if (mark.get(_MARK) or "").lower() == "html"), None)
        return None if found is None else found.get("lang")

    def h1(self) -> str | None:
        return next((words for tag, words in self.text().headings if tag == "h1"), None)

    def text(self) -> Text:
        shown = _Shown()
        self._gather(shown)
        return Text(shown.blocks, shown.headings())

    def marked_text(self) -> Marked:
        shown = _MarkedShown()
        self._gather(shown)
        return Marked(marks.BETWEEN_BLOCKS.join(shown.blocks), shown.references, shown.headings())

    def _gather(self, shown: "_Shown") -> None:
        """Pass all elements to `shown`."""
        if self._root is None:
            return
        for event, element in etree.iterwalk(self._root, ("start", "end", "comment")):
            if event == "start":
                shown.begin(element)
            elif event == "end":
                shown.end(element)
            else:
                shown.end_block()
                shown.add(element.tail)
        shown.end_block()


class _Open:
    """The stack of elements that are open at a mark."""

    def __init__(self) -> None:
        self._open: list[tuple[str, int]] = []
        self._number: Counter[str] = Counter()

    @property
    def place(self) -> int:
        """The place inside the innermost element."""
        return self._open[-1][1] if self._open else CONTENT

    @property
    def depth(self) -> int:
        return len(self._open)

    def holds(self, name: str) -> bool:
        return self._number[name] > 0

    def take(self, mark: Mapping[str, str | None]) -> tuple[str, bool]:
        """Open or close an element. Returns its name, and True if it opens."""
        name = (mark[_MARK] or "").lower()
        if name.startswith("/"):
            name = name[1:]
            while self.holds(name) and self._close() != name:
                pass
            return name, False
        if name not in _VOID:
            if self._open and _ends(name, self._open[-1][0]):
                self._close()
            place = place_in(name, mark)
            self._open.append((name, self.place if place is None else place))
            self._number[name] += 1
        return name, True

    def _close(self) -> str:
        name, _ = self._open.pop()
        self._number[name] -= 1
        return name


def _ends(name: str, last: str) -> bool:
    """True if the start tag `name` closes the open element `last` (HTML 13.1.2.4)."""
    if last == name:
        return name in _ENDED_BY_THEIR_LIKE
    return (last == "p" and name not in INLINE) or (last in _HEADINGS and name in _HEADINGS)


class _Shown:
    """The visible text of a page, gathered from its elements as they begin and end."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self._headings: list[tuple[str, list[str]]] = []
        self._open = _Open()
        self._block: list[str] = []
        self._is_in_heading = False

    def headings(self) -> list[tuple[str, str]]:
        return [(tag, "".join(words)) for tag, words in self._headings]

    def begin(self, element: etree._Element) -> None:
        tag = str(element.tag)
        if tag == "meta" and element.get(_MARK) is not None:
            self._take(cast("dict[str, str | None]", dict(element.items())))
        elif tag in _KEPT_BLOCKS:
            self.end_block()
        if tag not in HIDDEN:
            self.add(element.text)

    def end(self, element: etree._Element) -> None:
        if element.tag in _KEPT_BLOCKS and element.get(_MARK) is None:
            self.end_block()
        self.add(element.tail)

    def end_block(self) -> None:
        if self._block:
            self.blocks.append("".join(self._block))
            self._block.clear()

    def add(self, words: str | None) -> None:
        if words and not self._open.holds("template"):
            self._block.append(words)
            if self._is_in_heading:
                self._headings[-1][1].append(words)

    def _take(self, mark: Mapping[str, str | None]) -> tuple[str, bool]:
        name, opens = self._open.take(mark)
        if name not in INLINE:
            self.end_block()
        if opens and name in HEADINGS:
            self._headings.append((name, []))
        self._is_in_heading = bool(self._headings) and self._open.holds(self._headings[-1][0])
        return name, opens


class _MarkedShown(_Shown):
    """The visible text with marks."""

    def __init__(self) -> None:
        super().__init__()
        self.references: list[str] = []
        self._containers: list[tuple[int, str]] = []  # their depths, and the marks of their ends

    def begin(self, element: etree._Element) -> None:
        if element.tag == "a" and (reference := element.get("href")) is not None:
            self._link(marks.LINK)
            if not self._open.holds("template"):
                self.references.append(up_to_fragment(reference))
        super().begin(element)

    def end(self, element: etree._Element) -> None:
        if element.tag == "a" and element.get("href") is not None:
            self._link(marks.END_OF_LINK)
        super().end(element)

    def _link(self, mark: str) -> None:
        if not self._open.holds("template"):
            self._block.append(mark)

    def _take(self, mark: Mapping[str, str | None]) -> tuple[str, bool]:
        name, opens = super()._take(mark)
        opens_container = opens and (name in NAMED or name == "table")
        depth = self._open.depth - opens_container
        while self._containers and self._containers[-1][0] > depth:
            self.blocks.append(self._containers.pop()[1])
        if opens and name == "table":
            self._containers.append((self._open.depth, marks.END_OF_TABLE))
        elif opens_container and (around := container(name, mark)):
            self._containers.append((self._open.depth, END))
            self.blocks.append(around)
        if opens and name in marks.BY_TAG:
            self._block.append(marks.BY_TAG[name])
        return name, opens


def _place_in_content(link: etree._Element) -> int:
    previous, parent = link.getprevious(), link.getparent()
    before = previous.tail if previous is not None else None if parent is None else parent.text
    return TEXT if is_text(before) or is_text(link.tail) else LIST


def _words(element: etree._Element) -> str:
    if not len(element):
        return element.text or ""
    # Broken markup may nest links, each with all the text of the page.
    return "".join(map(str, islice(element.itertext(), 100)))
