"""Facts of a page that an audit checks: main headings, images, mixed content."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice

from minicrawl.crawler.html.browser_tree import BrowserTree
from minicrawl.crawler.html.requisites import candidates
from minicrawl.model import PageFacts

_MOST_MIXED, _LONGEST_URL = 10, 500
_DESCRIPTION_LENGTH, _H1_LENGTH, _LANGUAGE_LENGTH = 320, 200, 35

_UNSEEN = frozenset({"none", "presentation"})
"""Roles of an image that only decorates."""
_SELECTOR = "img,h1"
_LOADS = {
    **dict.fromkeys(("audio", "embed", "frame", "iframe", "img", "input", "script", "source", "track", "video"), "src"),
    "form": "action",
    "link": "href",
    "object": "data",
}
"""Elements that load a file, or send data, with the attribute that has its URL."""
_LOADING = ",[src],[srcset],form[action],link[href],object[data]"
_HTTP = re.compile(rb"http:", re.IGNORECASE)


def facts_of(tree: BrowserTree, page: bytes, url: str) -> PageFacts:
    """The facts of a page at `url` that its elements tell; the description is the caller's."""
    may_be_mixed = url.startswith("https:") and _HTTP.search(page) is not None
    mixed = dict[str, None]()
    h1s = without_alt = 0
    h1 = ""
    for tag, attributes, words in tree.requiring(_SELECTOR + _LOADING if may_be_mixed else _SELECTOR):
        if tag == "h1":
            h1 = h1 if h1s else words()
            h1s += 1
        elif tag == "img":
            without_alt += not _is_named_or_hidden(attributes)
        if may_be_mixed and tag in _LOADS and len(mixed) < _MOST_MIXED and _is_loaded(tag, attributes):
            mixed.update(dict.fromkeys(islice(_insecure(tag, attributes), _MOST_MIXED)))
    return PageFacts(
        h1=_cut(h1, _H1_LENGTH) if h1s else None,
        language=_cut(tree.language(), _LANGUAGE_LENGTH),
        h1s=h1s,
        without_alt=without_alt,
        mixed=tuple(islice(mixed, _MOST_MIXED)),
    )


def described(description: str | None) -> str | None:
    """A description as far as it is kept."""
    return _cut(description, _DESCRIPTION_LENGTH)


def _is_named_or_hidden(attributes: Mapping[str, str | None]) -> bool:
    """True for an image that a screen reader has words for, or passes over (as the rule image-alt of axe)."""
    if "alt" in attributes or "hidden" in attributes:
        return True
    is_named = any((attributes.get(name) or "").strip() for name in ("aria-label", "aria-labelledby", "title"))
    is_hidden = (attributes.get("aria-hidden") or "").strip().lower() == "true"
    return is_named or is_hidden or not _UNSEEN.isdisjoint((attributes.get("role") or "").lower().split())


def _insecure(tag: str, attributes: Mapping[str, str | None]) -> Iterator[str]:
    """The http: URLs of the files that an element loads."""
    sets = candidates(attributes.get("srcset") or "") if tag in ("img", "source") else ()
    for reference in chain([(attributes.get(_LOADS[tag]) or "").strip()], sets):
        if reference[:5].lower() == "http:":
            yield reference[:_LONGEST_URL].replace(" ", "%20")


def _is_loaded(tag: str, attributes: Mapping[str, str | None]) -> bool:
    """True if a browser loads the file of an element or sends data to it."""
    if tag == "link":
        return "stylesheet" in (attributes.get("rel") or "").lower().split()
    return tag != "input" or (attributes.get("type") or "").lower() == "image"


def _cut(text: str | None, length: int) -> str | None:
    """The text with white space collapsed, cut to a length; None for an empty one."""
    return " ".join((text or "")[: 4 * length].split())[:length] or None
