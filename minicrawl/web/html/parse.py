"""Read links, title, directives and, where wanted, text and metadata from the bytes of an HTML page.

No input raises an error: a page that cannot be parsed has no links.
"""

import re
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from minicrawl.model import ParsedPage, Wanted
from minicrawl.web.html.browser_tree import BrowserTree
from minicrawl.web.html.decode import as_utf8, encoding_of, is_unicode
from minicrawl.web.html.facts import facts_of, may_be_mixed, named_files, one_line, requisites_of
from minicrawl.web.html.page_headers import (
    LANGUAGE,
    LANGUAGE_LENGTH,
    MAX_ALTERNATES,
    SOON,
    Directives,
    has_little_text,
    read_directives,
    read_refresh,
    with_refresh,
)
from minicrawl.web.html.parser_choice import as_html, html_of, tags_at_most, tree_of, within_limit
from minicrawl.web.html.tree import LIST, TEXT, block_hashes
from minicrawl.web.http.response_fields import HTML_TYPES, XHTML, media_type
from minicrawl.web.kept_text import About, pack
from minicrawl.web.marks import FRAME, IMAGE, Marks
from minicrawl.web.urls.normalise import base_url, is_route, normalise, normalise_route, resolved

MAX_LINKS = 50_000
"""Distinct links of a page that count. A page with more is an attack."""

_LINKS = {"a": "href", "area": "href", "frame": "src", "iframe": "src", "link": "href"}
_COUNTED_RELATIONS = frozenset({"canonical", "next", "prev"})
_UNCOUNTED_RELATIONS = frozenset({"nofollow", "ugc", "sponsored"})
_ANCHOR_LENGTH = 200
_TITLE_LENGTH = 500
_DESCRIPTION_LENGTH = 1_000
MAX_TEXT = 1_000_000
"""Characters of a page's text that are gathered."""
_ALMOST_HTTP = re.compile(r"\s*(?:[htps]{3,6}:|//)", re.IGNORECASE)
"""http: and https:, and what comes of a slip of the pen, such as htp: and hhtps:."""
_MAX_MALFORMED, _LONGEST_MALFORMED = 20, 200  # of a page; characters
_LONGEST_REL = 1_000  # characters
# ASCII white space separates tokens (WHATWG HTML, space-separated tokens); str.split splits at more characters.
_NO_SPACE = re.compile(r"[^\t\n\f\r ]+")

_FRAME_WITH_PAGE = re.compile(rb"""<iframe\b[^<>]*?\ssrcdoc\s*+=\s*+(?:"([^"]*+)"|'([^']*+)')""", re.IGNORECASE)
_MOST_IN_FRAMES = 5_000
"""Tags of the pages in frames that are read: they are not counted where large pages are told."""
_NO_TEXT = re.compile(r"<(script|style|textarea|title)\b.*?</\1>", re.DOTALL)
_IMAGE = re.compile(rb"""<img\s(?:[^<>]*?\s)?src=["']?([^\s"'<>]+)""", re.IGNORECASE)

_ANCHORS = Wanted(anchors=True)


class _Related(NamedTuple):
    """A link or link element with relations. reference: up to its fragment."""

    reference: str
    relations: tuple[str, ...]
    is_in_head: bool


def parse_html(
    body: bytes, url: str, content_type: str | None = None, wanted: Wanted = _ANCHORS, marks: Marks | None = None
) -> ParsedPage:
    """Parse a page with the normalised `url` and the header `content_type`. marks: those of the body, if known."""
    codec = encoding_of(body, content_type)
    encoding = None if is_unicode(codec) else codec
    whole = as_utf8(body, codec)
    if marks is None or marks.found & FRAME:
        whole = _with_frames(whole)
    page = within_limit(whole)
    is_cut = len(page) < len(whole)
    if media_type(content_type) == XHTML:
        page = as_html(page)
    marks = (marks or Marks(page)).for_body(page)
    tree = tree_of(page, marks)
    elements = _Elements(tree, wanted)
    base = base_url(elements.base, url, encoding)
    links = _Links(elements, url, base, encoding, len(page))
    alternates = [
        (language, target)
        for language, reference in elements.alternates
        if (target := normalise(reference, base, encoding)) is not None
    ]
    are_wanted = wanted.requisites or (wanted.facts and may_be_mixed(page, url))
    requisites = requisites_of(tree, page, base, encoding) if are_wanted else ()
    facts = None
    if wanted.facts:
        named = named_files(tree, base, requisites)
        facts = facts_of(tree, url, elements.description, requisites, links.targets)._replace(**named._asdict())
        requisites = (*requisites, *named.requisites())
    parsed = ParsedPage(
        outlinks=tuple(links.outlinks),
        anchors=tuple(links.outlinks.values()),
        places=bytes(links.places.values()) if wanted.places else b"",
        nofollow=len(links.uncounted - links.outlinks.keys()),
        malformed=tuple(links.malformed),
        title=elements.title,
        canonicals=tuple(links.canonicals),
        alternates=tuple(dict.fromkeys(target for _, target in alternates)),
        hreflang=tuple((language, target) for language, target in alternates if language),
        follow=elements.directives.follow,
        index=elements.directives.index,
        archive=elements.directives.archive,
        index_by_google=elements.index_by_google,
        usage=(f"robots: {', '.join(elements.directives.on_use)}",) if elements.directives.on_use else (),
        truncated=is_cut or links.truncated,
        requisites=requisites if wanted.requisites else (),
        pictures=_pictures(marks, links) if wanted.is_view else (),
        facts=facts,
    )
    parsed = _with_content(parsed, page, wanted, elements, links)
    refresh = read_refresh(elements.refresh, base, encoding) if elements.refresh is not None else None
    if refresh is not None:
        return with_refresh(parsed, refresh, page, places=wanted.places)
    if parsed.outlinks or "refresh" not in (hidden := "".join(tree.hidden)).lower():
        return parsed
    # A page may have nothing but the refresh of a noscript element.
    value = _Elements(tree_of(hidden.encode()), Wanted()).refresh
    refresh = read_refresh(value, base, encoding) if value is not None else None
    return parsed._replace(refresh=refresh[0]) if refresh and refresh[1] <= SOON and has_little_text(page) else parsed


def _with_frames(page: bytes) -> bytes:
    """The page with the pages that attributes srcdoc have in front of their frames."""
    if b"srcdoc" not in page:
        return page

    left = _MOST_IN_FRAMES

    def shown(frame: re.Match[bytes]) -> bytes:
        nonlocal left
        source = unescape((frame[1] or frame[2] or b"").decode("utf-8", "replace")).encode("utf-8", "replace")
        left -= tags_at_most(source)
        if left < 0:
            return frame[0]
        inside = tree_of(source).html()
        body = inside.partition("<body")[2].partition(">")[2].rpartition("</body>")[0]
        return b"<div>%b</div>%b" % (_NO_TEXT.sub("", body).encode("utf-8", "replace"), frame[0])

    return _FRAME_WITH_PAGE.sub(shown, page)


def _with_content(
    parsed: ParsedPage, page: bytes, wanted: Wanted, elements: "_Elements", links: "_Links"
) -> ParsedPage:
    keeps = wanted.kept and (parsed.archive or wanted.is_view)
    if not (keeps or wanted.blocks):
        return parsed
    from minicrawl.web.html.blocks import Walk  # noqa: PLC0415 - few crawls need words

    walk = Walk(html_of(page, elements.tree), links.page, links.url, links.image, MAX_TEXT)
    if wanted.blocks:
        parsed = parsed._replace(blocks=block_hashes(walk.told()))
    if not keeps:
        return parsed
    from minicrawl.web.html.declared import declared  # noqa: PLC0415 - few crawls keep text
    from minicrawl.web.html.markdown import parts_of  # noqa: PLC0415

    parts = parts_of(walk, parsed.title or "")
    language = one_line(elements.tree.language(), LANGUAGE_LENGTH)
    about = About(parsed.title, language, elements.description, parsed.index)
    about = declared(about, elements.tree, links.page, parts.content, parts.rest)
    headings = block_hashes(parts.keys) if wanted.blocks else b""
    return parsed._replace(kept=pack(about, parts.content, parts.rest, parts.pieces), headings=headings)


def _pictures(marks: Marks, links: "_Links") -> tuple[str, ...]:
    found = (_IMAGE.match(marks.body, at) for at in marks.of(IMAGE))
    return tuple(dict.fromkeys(links.image(unescape(image[1].decode("utf-8", "replace"))) for image in found if image))


class _Links:
    """The resolved links of a page, distinct, in document order.

    `outlinks`: the URLs that count, each with the text of its first link; `places`: the best place of each; `targets`:
    URLs by reference; `uncounted`: URLs of nofollow, ugc and sponsored links; `canonicals`: URLs of link elements with
    rel=canonical in the head. `malformed`: the first references that were meant as URLs of the web, and are none.
    """

    def __init__(self, elements: "_Elements", page: str, base: str, encoding: str | None, size: int) -> None:
        self.page, self.size, self._base, self._encoding = page, size, base, encoding
        self.outlinks = outlinks = dict[str, str]()
        self.places = places = dict[str, int]()
        self.uncounted: set[str] = set()
        self.canonicals: dict[str, None] = {}
        self.malformed: list[str] = []
        self.truncated = False
        references = (link if isinstance(link, str) else link.reference for link in elements.links)
        self.targets = targets = resolved(references, base, encoding)
        for route in elements.routes:
            targets[route[: route.index("#") + 1]] = targets[route]
            targets[route] = normalise_route(route, base, encoding)
        # Broken markup may nest links, so that their texts together are longer than the page.
        text_left = size
        for link, place in elements.links.items():
            if isinstance(link, str):
                target = targets[link]
                if target is None:
                    self._note_malformed(link)
                    continue
            else:
                target = targets[link.reference]
                if target is None:
                    self._note_malformed(link.reference)
                if target is None or not self._counts(link, target):
                    continue
            if target in outlinks:
                places[target] = min(place, places[target])
                continue
            if len(outlinks) == MAX_LINKS:
                self.truncated = True
                break
            outlinks[target] = ""
            places[target] = place
            if link in elements.words and text_left >= 0:
                anchor = elements.words[link]()
                text_left -= len(anchor)
                outlinks[target] = one_line(anchor, _ANCHOR_LENGTH) or ""

    def url(self, reference: str) -> str:
        """The URL of a link with its fragment; empty for none, and for the page as a whole."""
        start, sign, fragment = reference.partition("#")
        found = self.targets.get(start + sign)
        return f"{found}{sign * bool(fragment)}{fragment}" if found and (fragment or found != self.page) else ""

    def image(self, reference: str) -> str:
        """The URL of an image; empty for none."""
        return normalise(reference, self._base, self._encoding) or ""

    def _note_malformed(self, reference: str) -> None:
        if _ALMOST_HTTP.match(reference) and len(self.malformed) < _MAX_MALFORMED:
            self.malformed.append(one_line(reference, _LONGEST_MALFORMED) or "")

    def _counts(self, link: _Related, target: str) -> bool:
        """Note the relations of a link. False if it does not count."""
        if link.is_in_head and "canonical" in link.relations and "#" not in self.page:  # a route's are its document's
            self.canonicals[target] = None
        if _UNCOUNTED_RELATIONS.isdisjoint(link.relations):
            return True
        self.uncounted.add(target)
        return False


class _Elements:
    """The elements of a document, read in one pass, their values as written.

    `links`: distinct links and link elements in document order, those without relations as their references up to the
    fragment, each with its best place; `words`: where wanted, functions that return the texts of links;
    `routes`: references to pages that scripts show, with their fragments;
    `alternates`: language ("": none) and reference of the page's versions in other languages and for other media.
    """

    def __init__(self, tree: BrowserTree, wanted: Wanted) -> None:
        self.links = links = dict[str | _Related, int]()
        self.words: dict[str | _Related, Callable[[], str]] = {}
        self.routes: set[str] = set()
        self.alternates: list[tuple[str, str]] = []
        self.base: str | None = None
        self.title: str | None = None
        self.refresh: str | None = None
        self.description: str | None = None
        self.directives = Directives()
        self.index_by_google = True
        self.tree = tree
        wants_places, wants_words, wants_routes = wanted.places, wanted.anchors, wanted.routes
        for tag, attributes in tree.elements():  # all in here, not in methods: a page has a hundred links
            if tag not in _LINKS:
                self._note(tag, attributes)
                continue
            reference = attributes.get(_LINKS[tag])
            if reference is None:
                if _LINKS[tag] not in attributes:
                    continue
                reference = ""
            elif "#" in reference:
                # Links to parts of one page are resolved once. The "#" stays: white space before it belongs to the URL.
                if wants_routes and is_route(reference):
                    self.routes.add(reference)
                else:
                    reference = reference[: reference.index("#") + 1]
            link: str | _Related = reference
            if "rel" in attributes or tag == "link":
                related = self._related(tag, attributes, reference)
                if related is None:
                    continue
                link = related
            best = links.get(link)
            if best == TEXT:
                continue
            place = tree.place(best) if wants_places and tag == "a" else LIST
            if best is None or place < best:
                links[link] = place
            if wants_words and best is None and tag == "a":
                self.words[link] = tree.name() if wanted.forms else tree.words()

    def _related(self, tag: str, attributes: Mapping[str, str | None], reference: str) -> str | _Related | None:
        """The link with its relations, if it has any; None for link elements that are not followed."""
        rel = attributes.get("rel") or ""
        relations = _relations(rel[:_LONGEST_REL])
        if tag != "link":
            return _Related(reference, relations, is_in_head=False) if relations else reference
        if not _COUNTED_RELATIONS.isdisjoint(relations):
            return _Related(reference, relations, self.tree.is_in_head())
        if _is_alternate(relations, attributes) and len(self.alternates) < MAX_ALTERNATES and self.tree.is_in_head():
            language = (attributes.get("hreflang") or "").strip()
            self.alternates.append((language if LANGUAGE.fullmatch(language) else "", attributes["href"] or ""))
        return None

    def _note(self, tag: str, attributes: Mapping[str, str | None]) -> None:
        if tag == "meta":
            self._meta(attributes)
        elif tag == "title":
            if self.title is None:
                self.title = one_line(self.tree.words()(), _TITLE_LENGTH)
        elif self.base is None and "href" in attributes:
            self.base = attributes["href"] or ""

    def _meta(self, attributes: Mapping[str, str | None]) -> None:
        content = attributes.get("content")
        if content is None:
            return
        name = (attributes.get("name") or "").strip().lower()
        if name in ("robots", "minicrawl"):
            self.directives = self.directives.and_(read_directives(content))
        elif name == "googlebot":
            self.index_by_google = self.index_by_google and read_directives(content, "googlebot").index
        elif name == "description":
            self.description = self.description or one_line(content, _DESCRIPTION_LENGTH)
        elif self.refresh is None and (attributes.get("http-equiv") or "").strip().lower() == "refresh":
            self.refresh = content


@lru_cache(maxsize=1_000)
def _relations(rel: str) -> tuple[str, ...]:
    return tuple(_NO_SPACE.findall(rel.lower()))


def _is_alternate(relations: Collection[str], attributes: Mapping[str, str | None]) -> bool:
    """True if a link element leads to the page in another language or for another medium (WHATWG HTML, 4.6.7.1), and
    not to another type than HTML, such as a feed."""
    if "alternate" not in relations or "stylesheet" in relations or not {"hreflang", "media"} & attributes.keys():
        return False
    return media_type(attributes.get("type")) in HTML_TYPES
