"""Links, anchors, title and robots directives out of the bytes of an HTML page.

Nothing here raises on bad input: what cannot be read has no links.
"""

import re
from collections.abc import Callable, Collection, Mapping

from minicrawl.crawler.html.decode import as_utf8, encoding_of, is_unicode
from minicrawl.crawler.html.elements import elements, within_limit
from minicrawl.crawler.http.content_type import HTML_TYPES, media_type
from minicrawl.crawler.urls.normalise import base_url, normalise, resolved
from minicrawl.model import ParsedPage

MAX_LINKS = 50_000
"""Distinct links of a page that count: with more it is no page but an attack."""
MAX_ALTERNATES = 100
"""References to a page in other languages and for other media that are read: most sites have fewer languages."""

_LINKS = {"a": "href", "area": "href", "frame": "src", "iframe": "src", "link": "href"}
_COUNTED_RELATIONS = frozenset({"canonical", "next", "prev"})
_UNCOUNTED_RELATIONS = frozenset({"nofollow", "ugc", "sponsored"})
_ANCHOR_LENGTH = 200
_TITLE_LENGTH = 500
# ASCII white space separates words (WHATWG HTML, space-separated tokens); str.split would take more for it.
_NO_SPACE = re.compile(r"[^\t\n\f\r ]+")

# Shared declarative refresh steps (WHATWG HTML, 4.2.5.3): a time, a divider, and the rest is the URL.
_REFRESH = re.compile(r"""\s*(?:\d|(?=\.))[\d.]*(?:\s*[;,]|\s)\s*(?:url\s*=\s*)?(.*)""", re.IGNORECASE | re.DOTALL)
_VALUED_DIRECTIVES = frozenset({"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"})


def parse_html(body: bytes, url: str, content_type: str | None = None, *, anchors: bool = True) -> ParsedPage:
    """Read a page that came from the normalised `url` with the header `content_type`.

    anchors: whether anybody wants the texts of the links; else they are empty.
    """
    codec = encoding_of(body, content_type)
    encoding = None if is_unicode(codec) else codec
    whole = as_utf8(body, codec)
    text = within_limit(whole)
    truncated = len(text) < len(whole)
    said = _Said(text, anchors)
    base = base_url(said.base, url, encoding)
    outlinks: dict[str, str] = {}
    uncounted: set[str] = set()
    targets = resolved([reference for _, reference, *_ in said.references], base, encoding)
    canonicals: dict[str, None] = {}
    # Links may stand inside one another, where markup is broken; then their texts together are longer than the page.
    text_left = len(text) if anchors else -1
    for tag, reference, relations, anchor, is_in_head in said.references:
        target = targets[reference]
        if target is None:
            continue
        if relations:
            if is_in_head and "canonical" in relations:
                canonicals[target] = None
            if not _UNCOUNTED_RELATIONS.isdisjoint(relations):
                uncounted.add(target)
                continue
        if target not in outlinks:
            if len(outlinks) == MAX_LINKS:
                truncated = True
                break
            outlinks[target] = ""
            if tag == "a" and text_left >= 0:
                words = anchor()
                text_left -= len(words)
                outlinks[target] = _line(words, _ANCHOR_LENGTH)
    return ParsedPage(
        outlinks=tuple(outlinks),
        anchors=tuple(outlinks.values()),
        nofollow=len(uncounted - outlinks.keys()),
        title=said.title,
        canonicals=tuple(canonicals),
        alternates=tuple(filter(None, dict.fromkeys(normalise(said, base, encoding) for said in said.alternates))),
        refresh=normalise(said.refresh, base, encoding) if said.refresh is not None else None,
        follow=said.follow,
        index=said.index,
        truncated=truncated,
    )


class _Said:
    """One pass over a document: what its elements say, as they say it.

    `references`: (tag, reference without fragment, its rel words, its text, whether it is a link element in the head)
    in document order, those without rel once. `alternates`: references to the same in other languages and for media.
    """

    def __init__(self, text: bytes, anchors: bool) -> None:
        self.references: list[tuple[str, str, Collection[str], Callable[[], str], bool]] = []
        self.alternates: list[str] = []
        self.base: str | None = None
        self.title: str | None = None
        self.refresh: str | None = None
        self.follow = self.index = True
        plain: set[str] = set()
        for tag, attributes, words, is_in_head in elements(text, anchors=anchors):
            if tag in _LINKS:  # in here, not in a method: a page has a hundred
                name = _LINKS[tag]
                if name not in attributes:
                    continue
                rel = attributes.get("rel")
                relations: Collection[str] = _NO_SPACE.findall(rel.lower()) if rel else ()
                reference = attributes[name] or ""
                if tag == "link" and _COUNTED_RELATIONS.isdisjoint(relations):
                    if is_in_head and _is_alternate(relations, attributes) and len(self.alternates) < MAX_ALTERNATES:
                        self.alternates.append(reference)
                    continue
                # A page's links to parts of one other page differ by fragment only: resolve them once. The mark stays,
                # as white space before it is part of the URL.
                if "#" in reference:
                    reference = reference[: reference.index("#") + 1]
                if not relations:
                    if reference in plain:
                        continue
                    plain.add(reference)
                self.references.append((tag, reference, relations, words, is_in_head))
            elif tag == "meta":
                self._meta(attributes)
            elif tag == "title":
                if self.title is None:
                    self.title = _line(words(), _TITLE_LENGTH) or None
            elif self.base is None and "href" in attributes:
                self.base = attributes["href"] or ""

    def _meta(self, attributes: Mapping[str, str | None]) -> None:
        content = attributes.get("content")
        if content is None:
            return
        if (attributes.get("name") or "").strip().lower() in ("robots", "minicrawl"):
            follows, indexes = follows_directives(content)
            self.follow, self.index = self.follow and follows, self.index and indexes
        elif self.refresh is None and (attributes.get("http-equiv") or "").strip().lower() == "refresh":
            match = _REFRESH.match(content)
            self.refresh = _unquoted(match[1]) if match else None


def follows_directives(directives: str, robot: str = "minicrawl") -> tuple[bool, bool]:
    """(follow, index) of a robots directive list such as "noindex, nofollow" or "otherbot: none".

    One list per line. A list behind another robot's name does not concern us.
    """
    said: set[str] = set()
    for line in directives.lower().splitlines():
        addressed = True
        for part in line.split(","):
            name, colon, value = part.partition(":")
            if colon and name.strip() not in _VALUED_DIRECTIVES:
                addressed = name.strip() in (robot, "*")
                name = value
            if addressed:
                said.add(name.strip())
    return said.isdisjoint(("nofollow", "none")), said.isdisjoint(("noindex", "none"))


def _is_alternate(relations: Collection[str], attributes: Mapping[str, str | None]) -> bool:
    """Whether a link element leads to the same page in another language or for another medium (WHATWG HTML, 4.6.7.1).

    Of alternates with a type, such as feeds, only those in HTML are."""
    if "alternate" not in relations or "stylesheet" in relations or not {"hreflang", "media"} & attributes.keys():
        return False
    return media_type(attributes.get("type")) in HTML_TYPES


def _unquoted(text: str) -> str:
    """What stands between quotes if the text starts with one, else all of it."""
    return text[1:].partition(text[0])[0] if text.startswith(("'", '"')) else text


def _line(text: str, length: int) -> str:
    """The text with white space as single spaces, cut to `length`."""
    return " ".join(text[: 2 * length].split())[:length]
