"""Statements about a page in its response headers: X-Robots-Tag, and Link (RFC 8288) with rel=canonical or alternate.

Robots directives are written in the same way in meta elements.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from minicrawl.crawler.urls.normalise import normalise
from minicrawl.model import AlternateLink

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


@dataclass(frozen=True, slots=True)
class Directives:
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
    """Read a list such as "noindex, nofollow" or "otherbot: none", one list a line.

    Lists addressed to other robots are skipped.
    """
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


def languages(value: str, url: str) -> list[AlternateLink]:
    """The versions of the page in other languages that a value of Link lists."""
    found: list[AlternateLink] = []
    for target, parameters in _links(value, "alternate"):
        language, named = parameters.get("hreflang", "").strip(), normalise(target, url)
        if named is not None and LANGUAGE.fullmatch(language) and len(found) < MAX_ALTERNATES:
            found.append(AlternateLink(language, named))
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
