"""Facts of a page that an audit checks: main headings, images, mixed content, structured data, its parts.

A link to a part of a page names an element by its id, or an a element by its name (WHATWG HTML, 7.4.6.4). Links to the
top of a page, to text (#:~:text=) and to states of scripts (#!, #/, #a=b) name no part.

URLs of the files that a page or a style sheet needs: its requisites.

An HTML element names them in its attributes, as browsers read them and as scripts that load pictures late expect them
(data-src); srcset names several, all of which count, as each screen takes another. Style sheets name them by url() and
@import (CSS Syntax 3, CSS Values 4). All of it takes time linear in the length of the text.
"""

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from minicrawl.model import PageFacts, Requisite, RequisiteKind
from minicrawl.web.html.browser_tree import BrowserTree
from minicrawl.web.html.decode import as_utf8, encoding_of, is_unicode
from minicrawl.web.http.response_fields import media_type
from minicrawl.web.urls.normalise import normalise

_MOST_MIXED, _LONGEST_URL = 10, 500
_DESCRIPTION_LENGTH, _H1_LENGTH, _LANGUAGE_LENGTH = 320, 200, 35

_UNSEEN = frozenset({"none", "presentation"})
"""Roles of an image that only decorates."""
_SELECTOR = "img,h1,form[action],script[type='application/ld+json']"
_REQUIRED = {
    "AggregateRating": ("ratingValue", "ratingCount or reviewCount"),
    "BreadcrumbList": ("itemListElement",),
    "Course": ("name", "description"),
    "Dataset": ("name", "description"),
    "Event": ("name", "startDate", "location"),
    "FAQPage": ("mainEntity",),
    "JobPosting": ("title", "description", "datePosted", "hiringOrganization",
                   "jobLocation or applicantLocationRequirements"),
    "LocalBusiness": ("name", "address"),
    "Movie": ("name", "image"),
    "Offer": ("price or priceSpecification",),
    "Product": ("name", "offers or review or aggregateRating"),
    "QAPage": ("mainEntity",),
    "Recipe": ("name", "image"),
    "Review": ("author", "reviewRating"),
    "SoftwareApplication": ("name", "offers", "aggregateRating or review"),
    "VideoObject": ("name", "thumbnailUrl", "uploadDate"),
}  # fmt: skip
"""Properties that Google requires for a rich result, by type (developers.google.com/search/docs/appearance, 2025)."""
_MOST_LACKING, _MOST_OBJECTS = 10, 1_000
MOST_PARTS = 20_000
"""Parts of a page whose names are kept, and links to parts of pages."""
_MOST_NAMED = 20
_NAMED = "link[rel~='alternate' i][type],meta[property='og:image' i],meta[property='og:image:url' i]"
_FEEDS = ("application/rss+xml", "application/atom+xml", "application/feed+json")
_LONGEST_NAME = 300
_REMOVED = dict.fromkeys(map(ord, "\t\n\r"))
_NO_PART = re.compile(r"top\Z|[!/]|[^=]*=", re.IGNORECASE)
_OTHER_SCHEME, _MOST_OTHERS = re.compile(r"\s*(?![htps]{3,6}:)[a-z][a-z0-9+.-]*:", re.IGNORECASE), 20
"""mailto:, tel:, javascript: and others, but neither http: nor a slip of the pen for it, see parse.py."""
_HTTP, _LONGEST_TAG = re.compile(rb"http:"), 2_000


def may_be_mixed(page: bytes, url: str) -> bool:
    """True if a page at `url` may need files by http that has come by https itself."""
    if not url.startswith("https:"):
        return False
    lower = page.lower()  # an expression that ignores case would look at each byte
    starts = (found.start() for found in _HTTP.finditer(lower))
    return any(_LOADING.match(lower, lower.rfind(b"<", max(at - _LONGEST_TAG, 0), at)) for at in starts)


def facts_of(
    tree: BrowserTree,
    url: str,
    description: str | None,
    requisites: Iterable[Requisite],
    targets: Mapping[str, str | None],
) -> PageFacts:
    """The facts of a page at `url`, without the files that it names (see named_files), and without canonicals, which
    its header may name, too. targets: URLs by the references of its links, up to and with the "#"."""
    lacking, loaded = dict[str, None](), [each.url for each in requisites]
    h1s = without_alt = 0
    h1 = ""
    for tag, attributes, words in tree.requiring(_SELECTOR):
        if tag == "h1":
            h1 = h1 if h1s else words()
            h1s += 1
        elif tag == "img":
            without_alt += not _is_named_or_hidden(attributes)
        elif tag == "form":
            loaded.append((attributes["action"] or "").strip())
        elif "ld+json" in (attributes.get("type") or "") and len(lacking) < _MOST_LACKING:
            lacking.update(dict.fromkeys(_lacking(words())))
    insecure = [each[:_LONGEST_URL] for each in loaded if each[:5].lower() == "http:" and url.startswith("https:")]
    parts, to_parts = _parts(tree, targets)
    others = (reference.partition("#")[0] for reference in targets if _OTHER_SCHEME.match(reference))
    return PageFacts(
        description=one_line(description, _DESCRIPTION_LENGTH),
        h1=one_line(h1, _H1_LENGTH) if h1s else None,
        language=one_line(tree.language(), _LANGUAGE_LENGTH),
        h1s=h1s,
        without_alt=without_alt,
        mixed=tuple(insecure[:_MOST_MIXED]),
        lacking=tuple(islice(lacking, _MOST_LACKING)),
        parts=parts,
        to_parts=to_parts,
        no_urls=tuple(one_line(each, _LONGEST_URL) or "" for each in islice(others, _MOST_OTHERS)),
    )


class Named(NamedTuple):
    """Files that a page names but does not need for its looks: see PageFacts."""

    feeds: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()

    def requisites(self) -> Iterator[Requisite]:
        return (Requisite(url, RequisiteKind.FILE) for url in (*self.feeds, *self.shared))


def named_files(tree: BrowserTree, base: str, requisites: Iterable[Requisite]) -> Named:
    """The files that a page names. requisites: of the page, those that it needs."""
    feeds, shared, needed = dict[str, None](), dict[str, None](), {each.url for each in requisites}
    for tag, attributes, _ in tree.requiring(_NAMED):
        if tag == "link" and media_type(attributes.get("type")) not in _FEEDS:
            continue
        url = normalise((attributes.get("href" if tag == "link" else "content") or "").strip(), base)
        if url is not None and url not in needed:
            (feeds if tag == "link" else shared)[url] = None
    return Named(tuple(islice(feeds, _MOST_NAMED)), tuple(islice(shared, _MOST_NAMED)))


def name_hash(name: str) -> str:
    """The hash of the name of a part, or of a fragment that means it: links may escape what the name has as it is."""
    return f"{zlib.crc32(unquote(name).encode('utf-8', 'replace')):08x}"


def _parts(tree: BrowserTree, targets: Mapping[str, str | None]) -> tuple[str | None, tuple[tuple[str, str], ...]]:
    """`parts` and `to_parts` of the facts."""
    names, links = set[str](), dict[tuple[str, str], None]()
    for tag, attributes, _ in tree.requiring("[id],a[name],a[href*='#'],area[href*='#']"):
        names.update(name_hash(name) for name in (attributes.get("id"), tag == "a" and attributes.get("name")) if name)
        address, mark, name = (attributes.get("href") or "").partition("#")
        name = name.translate(_REMOVED).strip().partition(":~:")[0]
        target = targets.get(address + mark)
        if name and target and tag in ("a", "area") and len(name) <= _LONGEST_NAME and not _NO_PART.match(name):
            links[target, name] = None
    parts = "".join(sorted(names)) if len(names) <= MOST_PARTS else None
    return parts, tuple(islice(links, MOST_PARTS))


def _lacking(text: str) -> Iterator[str]:
    """The required properties that objects of a JSON-LD script lack; nothing of one that is nested too deeply."""
    from minicrawl.web.html.json_ld import json_ld_values  # noqa: PLC0415 - few crawls meet a script of JSON-LD

    try:
        found: list[object] = [*json_ld_values(text)]
    except RecursionError:
        return
    for value in found:  # which grows
        if isinstance(value, list | dict) and len(found) < _MOST_OBJECTS:
            found.extend(value if isinstance(value, list) else value.values())
        if isinstance(value, dict):
            kinds = value.get("@type")
            for kind in kinds if isinstance(kinds, list) else [kinds]:
                for names in _REQUIRED.get(str(kind).rpartition("/")[2], ()):
                    if not any(value.get(name) for name in names.split(" or ")):
                        yield f"{str(kind).rpartition('/')[2]}: {names}"


def _is_named_or_hidden(attributes: Mapping[str, str | None]) -> bool:
    """True for an image that a screen reader has words for, or passes over (as the rule image-alt of axe)."""
    if "alt" in attributes or "hidden" in attributes:
        return True
    is_named = any((attributes.get(name) or "").strip() for name in ("aria-label", "aria-labelledby", "title"))
    is_hidden = (attributes.get("aria-hidden") or "").strip().lower() == "true"
    return is_named or is_hidden or not _UNSEEN.isdisjoint((attributes.get("role") or "").lower().split())


def one_line(text: str | None, length: int) -> str | None:
    """The text with white space collapsed, cut to a length; None for an empty one."""
    return " ".join((text or "")[: 2 * length].split())[:length] or None


MAX_REQUISITES = 1_000
"""Distinct requisites of a document that count."""
_FILE, _FRAME, _STYLE = RequisiteKind.FILE, RequisiteKind.FRAME, RequisiteKind.STYLE

_SOURCES: Mapping[str, Mapping[str, RequisiteKind]] = {
    **{tag: {"src": _FILE} for tag in ("img", "audio", "video", "source", "track", "input", "script")},
    **{tag: {"src": _FRAME, "data-src": _FRAME} for tag in ("iframe", "frame", "embed")},
    **{tag: {"href": _FILE, "xlink:href": _FILE} for tag in ("image", "use", "feimage")},
    "object": {"data": _FRAME},
}
"""Attributes with a URL, by element."""
_LOADING = re.compile(rb"<(?:link\b[^<>]*stylesheet|%b)\b" % "|".join(_SOURCES).encode())
_ANYWHERE = ("background", "poster", "data-src")
"""Attributes with a URL in any element; "data-src" of a frame is a frame."""
_SETS = ("srcset", "imagesrcset", "data-srcset")
_LATE = re.compile(r"data-(?:[a-z]+-)*(?:src|original|srcset)")
"""Attributes in which scripts look for a picture that they load late."""
_NEEDED = "[src],[style],link[href],style"
_RARE = {
    b"srcset": ",".join(f"[{name}]" for name in _SETS),
    **{name.encode(): f"[{name}]" for name in _ANYWHERE},
    b"<svg": "image,use,feImage",
    b"<object": "object[data]",
}
"""Further selectors by a part of the page: each is tried on every element, and few pages have any."""
_FILES = {"icon", "apple-touch-icon", "mask-icon", "manifest", "preload", "modulepreload"}
"""Relations of a link to a file that is needed and not read."""
_NO_SCRIPT = re.compile(r"(?!module$|.*(?:java|ecma|live|j)script).", re.IGNORECASE)
_SPACE = "\t\n\f\r "
_CANDIDATE = re.compile(r"[\t\n\f\r ,]*+([^\t\n\f\r ]++)")
_DESCRIPTORS = re.compile(r"(?:[^,(]|\([^)]*+\)?)*+,?")

_STRING = r""""(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?"""
_COMMENT = r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_UNQUOTED = r"""(?:[^"'()\\\s]|\\(?:[0-9a-f]{1,6}\s?|.))*+"""
_TOKEN = re.compile(
    rf"{_COMMENT}|(?P<rule>@import(?:\s|{_COMMENT})*+)?"
    rf"(?:(?<![\w\\-])url\(\s*+(?P<url>{_STRING}|{_UNQUOTED})\s*+(?:\)|\Z)|(?P<string>{_STRING}))",
    re.IGNORECASE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|(.))", re.IGNORECASE | re.DOTALL)
_CHARSET = re.compile(rb'@charset "([\w-]{1,40})";')


class _Found:
    """The distinct requisites of a document, in its order."""

    def __init__(self, base: str, encoding: str | None) -> None:
        self._base, self._encoding = base, encoding
        self.kinds: dict[str, RequisiteKind] = {}

    def add(self, reference: str | None, kind: RequisiteKind) -> None:
        """Add a reference as it is written. Empty ones and those into the document itself lead to no file."""
        reference = (reference or "").strip(_SPACE)
        is_file = reference and reference[0] != "#" and reference[:5].lower() != "data:"
        if not is_file or len(self.kinds) >= MAX_REQUISITES:
            return
        url = normalise(reference, self._base, self._encoding)
        if url is not None and url != self._base.partition("#")[0]:
            self.kinds.setdefault(url, kind)


def requisites_of(tree: BrowserTree, page: bytes, base: str, encoding: str | None) -> tuple[Requisite, ...]:
    """The requisites of a page. base: as `base_url` returns it. encoding: the codec of queries; None: UTF-8."""
    found, lower = _Found(base, encoding), page.lower()
    rare = (selector for part, selector in _RARE.items() if part in lower)
    for tag, attributes, words in tree.requiring(",".join((_NEEDED, *rare))):
        kind, own = (attributes.get("type") or "").strip(_SPACE).lower(), _SOURCES.get(tag, {})
        if tag == "style":
            _add_styles(words(), found)
        elif tag == "link":
            _add_link(attributes, found)
        elif (tag != "input" or kind == "image") and (tag != "script" or _NO_SCRIPT.match(kind) is None):
            for name, kind_of in own.items():
                found.add(attributes.get(name), kind_of)
        for name, value in attributes.items():
            if name in _SETS or (_LATE.fullmatch(name) and name.endswith("srcset")):
                for reference in candidates(value or ""):
                    found.add(reference, _FILE)
            elif name == "style":
                _add_styles(value or "", found)
            elif (name in _ANYWHERE or _LATE.fullmatch(name)) and name not in own:
                found.add(value, _FILE)
    return tuple(map(Requisite._make, found.kinds.items()))


def requisites_of_style(body: bytes, url: str, content_type: str | None) -> tuple[Requisite, ...]:
    """The requisites of a style sheet at `url`, with the header `content_type`."""
    if "charset" not in (content_type or "").lower():
        declared = _CHARSET.match(body)
        content_type = f"text/css; charset={declared[1].decode() if declared else 'utf-8'}"
    codec = encoding_of(body, content_type)
    found = _Found(url, None if is_unicode(codec) else codec)
    _add_styles(as_utf8(body, codec).decode(), found)
    return tuple(map(Requisite._make, found.kinds.items()))


def _add_link(attributes: Mapping[str, str | None], found: _Found) -> None:
    relations = set((attributes.get("rel") or "").lower().split())
    is_style = "preload" in relations and (attributes.get("as") or "").lower() == "style"
    if "stylesheet" in relations or is_style:
        found.add(attributes.get("href"), _STYLE)
    elif not _FILES.isdisjoint(relations):
        found.add(attributes.get("href"), _FILE)


def _add_styles(text: str, found: _Found) -> None:
    for reference, kind in style_references(text):
        found.add(reference, kind)


def picture(attributes: Mapping[str, str | None]) -> str:
    """The reference of the picture that an img shows in the end: src may have what stands for it until it is loaded."""
    late = [name for name in attributes if _LATE.fullmatch(name)]
    source = attributes.get("src") or ""
    if source[:5] == "data:" or not source:
        late.append("srcset")
    for name in late:
        value = attributes.get(name) or ""
        found = next(candidates(value), "") if name.endswith("srcset") else value.strip(_SPACE)
        if found and found[:5] != "data:":
            return found
    return source


def candidates(srcset: str) -> Iterator[str]:
    """The references of an attribute srcset (WHATWG HTML, 4.8.4.2.2)."""
    at = 0
    while (match := _CANDIDATE.match(srcset, at)) is not None:
        reference, at = match[1], match.end()
        if not reference.endswith(","):
            descriptors = _DESCRIPTORS.match(srcset, at)
            at = descriptors.end() if descriptors else at
        yield reference.rstrip(",")


def style_references(text: str) -> Iterator[tuple[str, RequisiteKind]]:
    """The references of a style sheet, or of an attribute style, in order."""
    for match in _TOKEN.finditer(text):
        written = match["url"] if match["url"] is not None or match["rule"] is None else match["string"]
        if written is not None:
            if written[:1] in ("'", '"'):
                written = written[1:].removesuffix(written[0])
            yield _ESCAPE.sub(_character, written), _FILE if match["rule"] is None else _STYLE


def _character(escape: re.Match[str]) -> str:
    """A character for its escape (CSS Syntax 3, 4.3.7)."""
    if escape[1] is None:
        return escape[2]
    code = int(escape[1], 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
