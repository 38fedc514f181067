"""URLs of the files that a page or a style sheet needs: its requisites.

An HTML element names them in its attributes, as browsers read them and as scripts that load pictures late expect them
(data-src); srcset names several, all of which count, as each screen takes another. Style sheets name them by url() and
@import (CSS Syntax 3, CSS Values 4). All of it takes time linear in the length of the text.
"""

import re
from collections.abc import Iterator, Mapping

from minicrawl.crawler.html.browser_tree import BrowserTree
from minicrawl.crawler.html.decode import as_utf8, encoding_of, is_unicode
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.model import Requisite, RequisiteKind

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
_ANYWHERE = ("background", "poster", "data-src")
"""Attributes with a URL in any element; "data-src" of a frame is a frame."""
_SETS = ("srcset", "imagesrcset", "data-srcset")
_SELECTOR = "[src],[style],link[href],style"
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
        self._kinds: dict[str, RequisiteKind] = {}

    def add(self, reference: str | None, kind: RequisiteKind) -> None:
        """Add a reference as it is written. Empty ones and those into the document itself lead to no file."""
        reference = (reference or "").strip(_SPACE)
        if not reference or reference[0] == "#" or len(self._kinds) >= MAX_REQUISITES:
            return
        if reference[:5].lower() == "data:":
            return
        url = normalise(reference, self._base, self._encoding)
        if url is not None and url != self._base.partition("#")[0]:
            self._kinds.setdefault(url, kind)

    def all(self) -> tuple[Requisite, ...]:
        return tuple(Requisite(url, kind) for url, kind in self._kinds.items())


def requisites_of(tree: BrowserTree, page: bytes, base: str, encoding: str | None) -> tuple[Requisite, ...]:
    """The requisites of a page. base: as `base_url` returns it. encoding: the codec of queries; None: UTF-8."""
    found, lower = _Found(base, encoding), page.lower()
    rare = (selector for part, selector in _RARE.items() if part in lower)
    for tag, attributes, words in tree.requiring(",".join((_SELECTOR, *rare))):
        kind, own = (attributes.get("type") or "").strip(_SPACE).lower(), _SOURCES.get(tag, {})
        if tag == "style":
            _add_styles(words(), found)
        elif tag == "link":
            _add_link(attributes, found)
        elif (tag != "input" or kind == "image") and (tag != "script" or _NO_SCRIPT.match(kind) is None):
            for name, kind_of in own.items():
                found.add(attributes.get(name), kind_of)
        for name, value in attributes.items():
            if name in _SETS:
                for reference in candidates(value or ""):
                    found.add(reference, _FILE)
            elif name == "style":
                _add_styles(value or "", found)
            elif name in _ANYWHERE and name not in own:
                found.add(value, _FILE)
    return found.all()


def requisites_of_style(body: bytes, url: str, content_type: str | None) -> tuple[Requisite, ...]:
    """The requisites of a style sheet at `url`, with the header `content_type`."""
    if "charset" not in (content_type or "").lower():
        declared = _CHARSET.match(body)
        content_type = f"text/css; charset={declared[1].decode() if declared else 'utf-8'}"
    codec = encoding_of(body, content_type)
    found = _Found(url, None if is_unicode(codec) else codec)
    _add_styles(as_utf8(body, codec).decode(), found)
    return found.all()


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
