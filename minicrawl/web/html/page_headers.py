"""Statements about a page in its response headers: X-Robots-Tag, and Link (RFC 8288) with rel=canonical or alternate.

Robots directives are written in the same way in meta elements.

Refreshes: where a page, or the header of its answer, says to go next, and after how many seconds.

A refresh at once is a redirect: nobody sees the page, whatever its template has. So is one that is soon, on a page with
next to no text of its own: "You will be taken to our new address in five seconds." Any other is a link: articles reload
themselves every half hour, or go back to the front page. A script that does nothing else is one as well.
"""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from minicrawl.model import ParsedPage
from minicrawl.web.fingerprint import shown_text
from minicrawl.web.html.tree import LIST
from minicrawl.web.urls.normalise import normalise

MAX_ALTERNATES = 100
"""Alternate links that are read of a page's head, and as many of its header."""
LANGUAGE_LENGTH = 35  # no language tag is longer (RFC 5646, 4.4.1)
LANGUAGE = re.compile(rf"[!-<>-~]{{1,{LANGUAGE_LENGTH}}}")
"""A tag as written, right or wrong, without white space and \"=\"."""
# RFC 8288, section 3: <target>; name=value; name="value", <target> ...
_TARGET = re.compile(r"[,\s]*<([^>]*)>")
_PARAMETER = re.compile(r"""\s*;\s*([^\s;,=]*)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^\s;,]*))?""")
_ON_USE = ("noai", "noimageai")
_VALUED_DIRECTIVES = frozenset({"max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"})


class Directives(Struct, frozen=True):
    """`follow`: the page's links count; `index`: a search may show the page; `archive`: a copy may be kept; `on_use`:
    those about models, noai and noimageai."""

    follow: bool = True
    index: bool = True
    archive: bool = True
    on_use: tuple[str, ...] = ()

    def and_(self, other: "Directives") -> "Directives":
        """Allow only what both allow."""
        on_use = tuple(dict.fromkeys((*self.on_use, *other.on_use)))
        return Directives(
            self.follow and other.follow, self.index and other.index, self.archive and other.archive, on_use
        )


def read_directives(directives: str, robot: str = "minicrawl") -> Directives:
    """Read a list such as "noindex, nofollow" or "otherbot: none", one list a line; those for other robots are
    skipped."""
    words: set[str] = set()
    for line in directives.lower().splitlines():
        addressed = True
        for part in line.split(","):
            name, colon, value = part.partition(":")
            if colon and name.strip() not in _VALUED_DIRECTIVES:
                addressed = name.strip() in (robot, "*")
                name = value
            if addressed:
                words.add(name.strip())
    return Directives(
        words.isdisjoint(("nofollow", "none")),
        words.isdisjoint(("noindex", "none")),
        "noarchive" not in words,
        () if words.isdisjoint(_ON_USE) else tuple(word for word in _ON_USE if word in words),
    )


def canonicals(value: str, url: str) -> list[str]:
    """The distinct normalised canonical URLs in a value of Link, relative to the normalised `url` of the response."""
    named = (normalise(target, url) for target, _ in _links(value, "canonical"))
    return list(dict.fromkeys(target for target in named if target is not None))


def languages(value: str, url: str) -> list[tuple[str, str]]:
    """The versions of the page in other languages that a value of Link lists."""
    found: list[tuple[str, str]] = []
    for target, parameters in _links(value, "alternate"):
        language, named = parameters.get("hreflang", "").strip(), normalise(target, url)
        if named is not None and LANGUAGE.fullmatch(language) and len(found) < MAX_ALTERNATES:
            found.append((language, named))
    return found


def _links(value: str, relation: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Targets and parameters of the links with this relation, up to the first syntax error."""
    at = 0
    while (target := _TARGET.match(value, at)) is not None:
        at = target.end()
        parameters: dict[str, str] = {}
        while (parameter := _PARAMETER.match(value, at)) is not None:
            at = parameter.end()
            # Section 3.3: only the first parameter rel counts. A link with an anchor parameter is about another page.
            parameters.setdefault(parameter[1].lower(), (parameter[2] or "").strip('"'))
        if relation in parameters.get("rel", "").lower().split() and "anchor" not in parameters:
            yield target[1], parameters


AT_ONCE, SOON = 1, 10
"""Seconds. Pages that have moved wait 10 s at most, time to read a sentence; pages that reload wait for 30 and more."""
LITTLE_TEXT = 300
"""Characters. A page that says where it has moved has fewer, a paragraph of an article has more."""

# Shared declarative refresh steps (WHATWG HTML, 4.2.5.3): a time, a divider, and the rest is the URL.
_REFRESH = re.compile(r"""\s*(?:0*(\d*)|(?=\.))[\d.]*(?:\s*[;,]|\s)\s*(?:url\s*=\s*)?(.*)""", re.IGNORECASE | re.DOTALL)
_BEGINS = re.compile(r"\s*[\d.]")


Refresh = tuple[str, int]
"""Normalised URL where it leads, and in how many seconds; more than `SOON` are one more."""


def read_refresh(value: str, base: str, encoding: str | None = None) -> Refresh | None:
    """The refresh that a meta element's content, or a header, asks for; None if a browser would not follow it."""
    found = _REFRESH.match(value) if _BEGINS.match(value) else None
    if found is None:
        return None
    url = found[2]
    target = normalise(url[1:].partition(url[0])[0] if url.startswith(("'", '"')) else url, base, encoding)
    if target is None:
        return None
    seconds = found[1] or "0"
    return target, min(int(seconds), SOON + 1) if len(seconds) <= len(str(SOON)) else SOON + 1


_ADDRESS = r"""("[^"\\\n]+"|'[^'\\\n]+')"""
_LEADS = re.compile(
    r"\s*(?:(?:window|document|self|top)\s*\.\s*)?location\s*"
    rf"(?:(?:\.\s*href\s*)?=\s*{_ADDRESS}|\.\s*(?:replace|assign)\s*\(\s*{_ADDRESS}\s*\))\s*;?\s*"
)
"""A whole script that leads to another page."""


def script_refresh(page: bytes, at: int, base: str) -> Refresh | None:
    """The refresh that the script at a place of a page makes, if that is all it does. base: normalised URL."""
    begin, end = page.find(b">", at) + 1, page.find(b"</", at)
    found = _LEADS.fullmatch(page[begin:end].decode("utf-8", "replace").replace("\\/", "/")) if begin < end else None
    target = normalise((found[1] or found[2])[1:-1], base) if found is not None else None
    return None if target is None else (target, 0)


def has_little_text(page: bytes) -> bool:
    """True if a page, in UTF-8, has next to no text."""
    return len(" ".join(shown_text(page).decode("utf-8", "replace").split())) < LITTLE_TEXT


def with_refresh(parsed: ParsedPage, refresh: Refresh, page: bytes, *, places: bool) -> ParsedPage:
    """The page with its refresh as a link, and as a redirect if it is one. page: its body. places: those of links
    are kept. The links of a redirect count only where it leads to no page."""
    url, seconds = refresh
    if url not in parsed.outlinks:
        parsed = parsed._replace(
            outlinks=(*parsed.outlinks, url),
            anchors=(*parsed.anchors, ""),
            places=parsed.places + bytes([LIST]) if places else b"",
        )
    is_redirect = seconds <= AT_ONCE or (seconds <= SOON and has_little_text(page))
    return parsed._replace(refresh=url) if is_redirect else parsed
