"""Facts of a page that an audit checks: headings, images, mixed content, names of its parts and links to such names.

A link to a part of a page names an element by its id, or an a element by its name (WHATWG HTML, 7.4.6.4). Names are
kept as CRC-32, as only their presence is asked for. Links to the top of a page, to text (#:~:text=) and to states of
scripts (#!, #/, #a=b) name no part.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from urllib.parse import unquote
from zlib import crc32

import numpy as np

from minicrawl.crawler.html.requisites import candidates
from minicrawl.crawler.html.tree import Tree
from minicrawl.model import PageFacts

MAX_NAMES = 50_000
"""Names of a page's parts that are kept, and links to parts of pages."""
MAX_NAME_TEXT = 1_000_000
"""Characters of the names in a page's links that are kept."""
_LONGEST_NAME = 300
_MOST_SCRIPTS, _LONGEST_SCRIPT = 100, 1_000_000
_MOST_MIXED, _LONGEST_URL = 10, 500
_DESCRIPTION_LENGTH, _H1_LENGTH, _LANGUAGE_LENGTH = 320, 200, 35

_LEVELS = {f"h{level}": level for level in range(1, 7)}
_UNSEEN = frozenset({"none", "presentation"})
"""Roles of an image that only decorates."""
_SELECTOR = "[id],a[name],img,script[type],h1,h2,h3,h4,h5,h6"
_LOADS = {
    **dict.fromkeys(("audio", "embed", "frame", "iframe", "img", "input", "script", "source", "track", "video"), "src"),
    "form": "action",
    "link": "href",
    "object": "data",
}
"""Elements that load a file, or send data, with the attribute that has its URL."""
_LOADING = ",[src],[srcset],form[action],link[href],object[data]"
_HTTP = re.compile(rb"http:", re.IGNORECASE)
_REMOVED = dict.fromkeys(map(ord, "\t\n\r"))
_USUAL = re.compile(rf"(?!top\Z)[a-z_][\w.:()-]{{0,{_LONGEST_NAME - 1}}}", re.IGNORECASE)
"""Most names, with nothing to remove."""
_NO_PART = re.compile(r"top\Z|[!/]|[^=]*=", re.IGNORECASE)


def facts_of(tree: Tree, page: bytes, url: str, links: Iterable[str], targets: Mapping[str, str | None]) -> PageFacts:
    """The facts of a page at `url` that its elements tell. Those of its head and its header are the caller's.

    links: references with a fragment. targets: URLs by reference up to and with the "#".
    """
    may_be_mixed = url.startswith("https:") and _HTTP.search(page) is not None
    names, mixed = set[int](), dict[str, None]()
    h1s = skips = level = images = without_alt = scripts = bad_json_ld = 0
    h1, is_cut = "", tree.is_cut
    for tag, attributes, words in tree.requiring(_SELECTOR + _LOADING if may_be_mixed else _SELECTOR):
        if name := attributes.get("id"):
            names.update(_hashes(name))
        if tag in _LEVELS:
            if tag == "h1":
                h1 = h1 if h1s else words()
                h1s += 1
            if level and not skips and _LEVELS[tag] > level + 1:
                skips = 10 * level + _LEVELS[tag]
            level = _LEVELS[tag]
        elif tag == "img":
            images += 1
            without_alt += not _is_named_or_hidden(attributes)
        elif tag == "a":
            if name := attributes.get("name"):
                names.update(_hashes(name))
        elif tag == "script" and "ld+json" in (attributes.get("type") or "").lower() and scripts < _MOST_SCRIPTS:
            scripts += 1
            bad_json_ld += not _is_json(words())
        if may_be_mixed and tag in _LOADS and len(mixed) < _MOST_MIXED and _is_loaded(tag, attributes):
            mixed.update(dict.fromkeys(islice(_insecure(tag, attributes), _MOST_MIXED)))
        if len(names) > MAX_NAMES:
            is_cut = True
            break
    fragments = dict.fromkeys(_fragments(links, targets))
    return PageFacts(
        h1=_cut(h1 or tree.h1(), _H1_LENGTH) if h1s else None,  # the plain parser gives no words of marks
        language=_cut(tree.language(), _LANGUAGE_LENGTH),
        h1s=h1s,
        skips=skips,
        images=images,
        without_alt=without_alt,
        bad_json_ld=bad_json_ld,
        mixed=tuple(islice(mixed, _MOST_MIXED)),
        ids=numbers_to_bytes(islice(sorted(names), MAX_NAMES)),
        fragments=tuple(fragments),
        is_cut=is_cut,
    )


def described(description: str | None) -> str | None:
    """A description as far as it is kept."""
    return _cut(description, _DESCRIPTION_LENGTH)


def name_hash(fragment: str) -> int:
    """The hash of the name that a fragment means."""
    return _hash(unquote(fragment) if "%" in fragment else fragment)


def _hashes(name: str) -> tuple[int, ...]:
    """The hash of a name; two of one with escapes, which a fragment with the same ones means, too."""
    return (_hash(name), name_hash(name)) if "%" in name else (_hash(name),)


def _hash(name: str) -> int:
    return crc32(name.encode("utf-8", "replace"))


def numbers_to_bytes(numbers: Iterable[int]) -> bytes:
    """Numbers as 4 bytes each, little endian."""
    return np.array(list(numbers), dtype="<u4").tobytes()


def _fragments(links: Iterable[str], targets: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
    """URL and name of each link to a part of a page."""
    left = MAX_NAME_TEXT
    for reference in links:
        address, mark, name = reference.partition("#")
        if _USUAL.fullmatch(name) is None:
            name = name.translate(_REMOVED).strip().partition(":~:")[0].replace(" ", "%20")
            if not name or len(name) > _LONGEST_NAME or _NO_PART.match(name):
                continue
        target = targets.get(address + mark)
        if target is not None:
            left -= len(name)
            if left < 0:
                break
            yield target, name


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


def _is_json(text: str) -> bool:
    """False for a script that is no JSON. Empty and very long ones are not judged."""
    if len(text) > _LONGEST_SCRIPT or not text.strip():
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _cut(text: str | None, length: int) -> str | None:
    """The text with white space collapsed, cut to a length; None for an empty one."""
    return " ".join((text or "")[: 4 * length].split())[:length] or None
