"""What the header field Link of an answer says (RFC 8288), as far as it matters here: what is canonical, languages."""

import re
from collections.abc import Iterator, Mapping

from minicrawl.crawler.urls.normalise import normalise
from minicrawl.model import AlternateLink

MAX_ALTERNATES = 100
"""References to a page in other languages and for other media that are read of its head, and of its header."""
LANGUAGE_LENGTH = 35  # no tag of a language is longer (RFC 5646, 4.4.1)
LANGUAGE = re.compile(rf"[A-Za-z0-9-]{{1,{LANGUAGE_LENGTH}}}")
# RFC 8288, section 3: <target>; name=value; name="value", <target> ...
_TARGET = re.compile(r"[,\s]*<([^>]*)>")
_PARAMETER = re.compile(r"""\s*;\s*([^\s;,=]*)\s*(?:=\s*("(?:[^"\\]|\\.)*"|[^\s;,]*))?""")


def canonicals(value: str, url: str) -> list[str]:
    """The distinct normalised URLs that a value of Link gives as canonical. url: of the answer, normalised."""
    named = (normalise(target, url) for target, _ in _links(value, "canonical"))
    return list(dict.fromkeys(target for target in named if target is not None))


def languages(value: str, url: str) -> list[AlternateLink]:
    """What a value of Link gives as the same page in other languages."""
    found: list[AlternateLink] = []
    for target, parameters in _links(value, "alternate"):
        language, named = parameters.get("hreflang", "").strip(), normalise(target, url)
        if named is not None and LANGUAGE.fullmatch(language) and len(found) < MAX_ALTERNATES:
            found.append(AlternateLink(language, named))
    return found


def _links(value: str, relation: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The targets of links of a relation, with their parameters. What stands behind something that is no link is not
    read."""
    at = 0
    while (target := _TARGET.match(value, at)) is not None:
        at = target.end()
        parameters: dict[str, str] = {}
        while (parameter := _PARAMETER.match(value, at)) is not None:
            at = parameter.end()
            # Section 3.3: of several parameters rel the first one counts. A link with an anchor is one of another page.
            parameters.setdefault(parameter[1].lower(), (parameter[2] or "").strip('"'))
        if relation in parameters.get("rel", "").lower().split() and "anchor" not in parameters:
            yield target[1], parameters
