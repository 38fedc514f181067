"""Parameters that say who follows a link, not where it leads: tracking and session ids.

A link with them is one to the page without them. What is left of the URL stays as it was, byte for byte. This is a
policy of the crawl (`--keep-parameters` switches it off), not what a URL is: normalise() keeps all.

A server may insist, and redirect to the URL with a session id: such a redirect is followed as it is.
"""

import re
from dataclasses import replace
from importlib.resources import files

from minicrawl.crawler.urls.normalise import normalise
from minicrawl.model import Fetched, ParsedPage


def _listed() -> list[str]:
    """The names in parameters.txt."""
    lines = files("minicrawl.crawler.urls").joinpath("parameters.txt").read_text("utf-8").splitlines()
    return [name for line in lines if not line.startswith("#") for name in line.split()]


_NAMES = frozenset(_listed())
_FAMILIES = re.compile("|".join(rf"{re.escape(name[:-1])}\w+" for name in sorted(_NAMES) if name[-1] == "*"), re.ASCII)
# Names that sites use for content, too (article.php?sid=6993), but not with a value like these.
_SESSIONS = frozenset({"sid", "sess", "sessid", "session", "sessionid", "session_id", "session-id", "zenid"})
_UUID = r"[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}"
_HEX = re.compile(rf"(?=\d*[a-f])(?=[a-f]*\d)[\da-f]{{20,}}|{_UUID}", re.IGNORECASE)
_LETTERS_AND_DIGITS = re.compile(r"[\da-z]{20,}", re.IGNORECASE | re.ASCII)
_CHANGE = re.compile(r"(?<=\d)(?=[a-z])|(?<=[a-z])(?=\d)", re.IGNORECASE)
_CHARACTERS_PER_CHANGE = 4

_IN_PATH = re.compile(
    r";(?:jsessionid|phpsessid)=[^/;]*"  # Java, PHP
    rf"|;({'|'.join(sorted(_SESSIONS))})=([^/;]*)"
    r"|/\((?:[a-z]\([\w-]{10,}\))+\)(?=/|$)",  # ASP.NET: (S(...)), with (A(...)) and (F(...))
    re.IGNORECASE | re.ASCII,
)


def stripped(url: str) -> str:
    """The normalised URL without parameters for tracking and sessions. Idempotent."""
    stem, mark, query = url.partition("?")
    if mark:
        parts = query.split("&")
        kept = [part for part in parts if not _is_dropped(part)]
        if len(kept) < len(parts):
            query = "&".join(kept)
            mark = "?" if kept else ""
            url = stem + mark + query
    if (";" in stem or "/(" in stem) and _IN_PATH.search(stem):
        plain = _IN_PATH.sub(lambda found: found[0] if found[2] is not None and not is_id(found[2]) else "", stem)
        if plain != stem:
            # What is before the parameter may be a dot segment now.
            return normalise(plain + mark + query) or url
    return url


def is_id(value: str) -> bool:
    """Whether a value is too odd to mean anything: in hexadecimal, or of letters and digits that keep changing.

    20 characters at least. Random ones change from letters to digits or back every 2.5 characters, words with numbers
    in them (iphone15promaxcase256gb) every five or more.
    """
    if _HEX.fullmatch(value):
        return True
    changes = len(_CHANGE.findall(value))
    return _LETTERS_AND_DIGITS.fullmatch(value) is not None and _CHARACTERS_PER_CHANGE * changes >= len(value)


def _is_dropped(part: str) -> bool:
    """Whether a parameter, name=value, is one for tracking or sessions."""
    name, _, value = part.partition("=")
    name = name.lower().removeprefix("amp;")
    if name in _NAMES or _FAMILIES.fullmatch(name):
        return True
    # Of a search, too (?s=words), whose words may well be letters and digits.
    return is_id(value) if name in _SESSIONS else name == "s" and _HEX.fullmatch(value) is not None


def without_parameters(fetched: Fetched, parsed: ParsedPage) -> tuple[Fetched, ParsedPage]:
    """An answer and its page with all URLs stripped that they lead to."""
    if fetched.location:
        leads_to = normalise(fetched.location, fetched.url)
        fetched = replace(fetched, location=leads_to and _target(leads_to, fetched.url))
    text = "".join(parsed.outlinks)
    outlinks = tuple(map(stripped, parsed.outlinks)) if "?" in text or ";" in text else parsed.outlinks
    if outlinks != parsed.outlinks:
        parsed = with_outlinks(parsed, outlinks)
    if parsed.canonicals or parsed.alternates or parsed.refresh is not None:
        parsed = replace(
            parsed,
            canonicals=tuple(dict.fromkeys(map(stripped, parsed.canonicals))),
            alternates=tuple(dict.fromkeys(map(stripped, parsed.alternates))),
            refresh=parsed.refresh and _target(parsed.refresh, fetched.url),
        )
    return fetched, parsed


def with_outlinks(parsed: ParsedPage, outlinks: tuple[str, ...]) -> ParsedPage:
    """The page with its links spelt like these. Of links that are the same now, the first text and best place stay."""
    anchors: dict[str, str] = {}
    places: dict[str, int] = {}
    for url, anchor in zip(outlinks, parsed.anchors, strict=True):
        anchors.setdefault(url, anchor)
    if parsed.places:
        for url, place in zip(outlinks, parsed.places, strict=True):
            places[url] = min(place, places.get(url, place))
    return replace(parsed, outlinks=tuple(anchors), anchors=tuple(anchors.values()), places=bytes(places.values()))


def _target(url: str, source: str) -> str:
    """Where a redirect from `source` to `url`, both normalised, leads to."""
    plain = stripped(url)
    return url if plain == stripped(source) else plain
