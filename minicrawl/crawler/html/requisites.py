"""URLs of the files that a page, a style sheet or a module of JavaScript needs: its requisites.

An HTML element names them in its attributes, as browsers read them and as scripts that load pictures late expect them
(data-src and the like); srcset names several, all of which count, as each screen takes another. Style sheets name them
by url() and @import (CSS Syntax 3, CSS Values 4). Modules name others in
literal imports. All of it takes time linear in the length of the text.
"""

import re
from collections.abc import Callable, Iterator, Mapping

from minicrawl.crawler.html.browser_tree import BrowserTree
from minicrawl.crawler.html.decode import as_utf8, encoding_of, is_unicode
from minicrawl.crawler.urls.normalise import normalise
from minicrawl.model import Requisite, RequisiteKind

MAX_REQUISITES = 1_000
"""Distinct requisites of a document that count."""
_FILE, _FRAME, _STYLE, _MODULE = RequisiteKind.FILE, RequisiteKind.FRAME, RequisiteKind.STYLE, RequisiteKind.MODULE

_SOURCES: Mapping[str, Mapping[str, RequisiteKind]] = {
    **{tag: {"src": _FILE} for tag in ("img", "audio", "video", "source", "track", "input")},
    **{tag: {"src": _FRAME, "data-src": _FRAME} for tag in ("iframe", "frame", "embed")},
    **{tag: {"href": _FILE, "xlink:href": _FILE} for tag in ("image", "use", "feimage")},
    "object": {"data": _FRAME},
}
"""Attributes with a URL, by element."""
_ANYWHERE = ("background", "poster", "data-src", "data-original", "data-lazy", "data-lazy-src", "data-bg")
"""Attributes with a URL in any element; "data-src" of a frame is a frame."""
_SETS = ("srcset", "imagesrcset", "data-srcset", "data-lazy-srcset", "data-original-set")
_LATE_STYLES = ("style", "data-style", "data-bg")
_SELECTOR = "[src],[style],link[href],style"
_RARE = {
    b"srcset": ",".join(f"[{name}]" for name in _SETS),
    b"data-": ",".join(f"[{name}]" for name in (*_ANYWHERE, *_LATE_STYLES) if name.startswith("data-")),
    b"background": "[background]",
    b"poster": "[poster]",
    b"<svg": "image,use,feImage",
    b"<object": "object[data]",
    b"module": "script[type=module]",
}
"""Further selectors by a part of the page: each is tried on every element, and few pages have any."""
_ICONS = {"icon", "apple-touch-icon", "apple-touch-icon-precomposed", "mask-icon", "manifest"}
_NO_SCRIPT = re.compile(r"(?!.*(?:java|ecma|live|j)script)", re.IGNORECASE)
_SPACE = "\t\n\f\r "
_CANDIDATE = re.compile(r"[\t\n\f\r ,]*+([^\t\n\f\r ]++)")
_DESCRIPTORS = re.compile(r"(?:[^,(]|\([^)]*+\)?)*+,?")

_STRING = r""""(?:[^"\\\n\r\f]|\\(?:\r\n|.))*+"?|'(?:[^'\\\n\r\f]|\\(?:\r\n|.))*+'?"""
_COMMENT = r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?"
_GAP = rf"(?:[\t\n\f\r ]|{_COMMENT})*+"
_UNQUOTED = r"""(?:[^"'()\\\t\n\f\r \0-\x08\x0b\x0e-\x1f\x7f]|\\(?:[0-9a-f]{1,6}[\t\n\f\r ]?|[^\n\r\f]))++"""


def _url(quoted: str, unquoted: str) -> str:
    """A url() up to its end, with the names of two groups."""
    reference = rf"(?P<{quoted}>{_STRING})|(?P<{unquoted}>{_UNQUOTED})(?=[\t\n\f\r ]*+(?:\)|\Z))"
    return rf"(?<![\w\\-])url\([\t\n\f\r ]*+(?:{reference})"


_TOKEN = re.compile(
    rf"{_COMMENT}"
    rf"|@import(?![\w\\-]){_GAP}(?:(?P<imported>{_STRING})|{_url('imported_quoted', 'imported_url')})"
    rf"|@namespace(?![\w\\-])(?:[^;{{}}\"']|{_STRING})*+"
    rf"|{_url('quoted', 'url')}"
    r"|(?<![\w\\-])url\((?:[^)\\]|\\.)*+\)?"  # which is no URL: a browser skips it
    rf"|{_STRING}",
    re.IGNORECASE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})(?:\r\n|[\t\n\f\r ])?|(\r\n|[\n\r\f])|(.))", re.IGNORECASE | re.DOTALL)
_IMPORT = re.compile(r"""\b(?:import|from)\s*+(?:\(\s*+)?(?:"(?P<double>[^"\\\n]++)"|'(?P<single>[^'\\\n]++)')""")
_LOCAL = ("./", "../", "/", "http:", "https:")
"""Starts of specifiers that are URLs (WHATWG HTML, 8.1.6.5)."""
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
        if tag == "style":
            _add_styles(words(), found)
        elif tag == "link":
            _add_link(attributes, found)
        elif tag == "script":
            _add_script(attributes, words, found)
        elif tag != "input" or (attributes.get("type") or "").strip(_SPACE).lower() == "image":
            for name, kind in _SOURCES.get(tag, {}).items():
                found.add(attributes.get(name), kind)
        for name, given in attributes.items():
            if name not in _NAMES:
                continue
            value = given or ""
            if name in _SETS:
                for reference in candidates(value):
                    found.add(reference, _FILE)
            elif name in _LATE_STYLES and (name != "data-bg" or "(" in value):
                _add_styles(value, found)
            elif name not in _SOURCES.get(tag, {}):
                found.add(value, _FILE)
    return found.all()


_NAMES = {*_ANYWHERE, *_SETS, *_LATE_STYLES}


def requisites_of_file(body: bytes, url: str, content_type: str | None, kind: RequisiteKind) -> tuple[Requisite, ...]:
    """The requisites of a style sheet or a module at `url`, with the header `content_type`."""
    if "charset" not in (content_type or "").lower():
        declared = _CHARSET.match(body)
        content_type = f"text/css; charset={declared[1].decode() if declared else 'utf-8'}"
    codec = encoding_of(body, content_type)
    found = _Found(url, None if is_unicode(codec) else codec)
    (_add_modules if kind is _MODULE else _add_styles)(as_utf8(body, codec).decode(), found)
    return found.all()


def _add_script(attributes: Mapping[str, str | None], words: Callable[[], str], found: _Found) -> None:
    """Add a script, unless it is a data block."""
    kind = (attributes.get("type") or "").strip(_SPACE)
    if kind.lower() == "module":
        found.add(attributes.get("src"), _MODULE)
        _add_modules(words(), found)
    elif not kind or _NO_SCRIPT.match(kind) is None:
        found.add(attributes.get("src"), _FILE)


def _add_link(attributes: Mapping[str, str | None], found: _Found) -> None:
    relations = set((attributes.get("rel") or "").lower().split())
    if "stylesheet" in relations:
        found.add(attributes.get("href"), _STYLE)
    elif "modulepreload" in relations:
        found.add(attributes.get("href"), _MODULE)
    elif "preload" in relations:
        found.add(attributes.get("href"), _STYLE if (attributes.get("as") or "").lower() == "style" else _FILE)
    elif not _ICONS.isdisjoint(relations):
        found.add(attributes.get("href"), _FILE)


def _add_modules(text: str, found: _Found) -> None:
    """Add the modules that a module imports by literal URLs; other specifiers are names of import maps."""
    for match in _IMPORT.finditer(text):
        specifier = match["double"] or match["single"]
        if specifier.startswith(_LOCAL):
            found.add(specifier, _MODULE)


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
        match match.lastgroup:
            case "imported" | "imported_quoted" as group:
                yield _unescaped(_inner(match[group])), _STYLE
            case "imported_url":
                yield _unescaped(match["imported_url"]), _STYLE
            case "quoted":
                yield _unescaped(_inner(match["quoted"])), _FILE
            case "url":
                yield _unescaped(match["url"]), _FILE


def _inner(string: str) -> str:
    """A string without its quotes; the last one may be missing."""
    is_closed = len(string) > 1 and string[-1] == string[0] and not _ends_in_escape(string[:-1])
    return string[1 : -1 if is_closed else None]


def _ends_in_escape(text: str) -> bool:
    return (len(text) - len(text.rstrip("\\"))) % 2 == 1


def _unescaped(text: str) -> str:
    """Text with its escapes undone (CSS Syntax 3, 4.3.7)."""
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return escape[3] or ""
    code = int(escape[1], 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
