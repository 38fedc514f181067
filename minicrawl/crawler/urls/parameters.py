"""Tracking and session parameters: they tell who follows a link, not which page it leads to.

A link with them is treated as a link to the page without them. The rest of the URL stays as it was, byte for byte. This
is a policy of the crawl (`--keep-parameters` switches it off), not a part of normalising: normalise() keeps them all.

A server may insist, and redirect to the URL with a session id: such a redirect is followed as it is.
"""

import re
from pathlib import Path

from minicrawl.crawler.urls.normalise import normalise
from minicrawl.model import Fetched, ParsedPage


def _listed() -> list[str]:
    """The names in parameters.txt."""
    lines = Path(__file__).with_name("parameters.txt").read_text("utf-8").splitlines()
    return [name for line in lines if not line.startswith("#") for name in line.split()]


_NAMES = frozenset(_listed())
_FAMILIES = re.compile("|".join(rf"{re.escape(name[:-1])}\w+" for name in sorted(_NAMES) if name[-1] == "*"), re.ASCII)
# Names that sites also use for content (article.php?sid=6993), but not with values that look like ids.
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
            # The text before the parameter may be a dot segment now.
            return normalise(plain + mark + query) or url
    return url


def is_id(value: str) -> bool:
    """True for a value that looks like an id: hexadecimal, or letters and digits that keep alternating.

    20 characters at least. Random ones change from letters to digits or back every 2.5 characters, words with numbers
    in them (iphone15promaxcase256gb) every five or more.
    """
    if _HEX.fullmatch(value):
        return True
    changes = len(_CHANGE.findall(value))
    return _LETTERS_AND_DIGITS.fullmatch(value) is not None and _CHARACTERS_PER_CHANGE * changes >= len(value)


def _is_dropped(part: str) -> bool:
    """True for a parameter, name=value, for tracking or sessions."""
    name, _, value = part.partition("=")
    name = name.lower().removeprefix("amp;")
    if name in _NAMES or _FAMILIES.fullmatch(name):
        return True
    # "s" is also a search (?s=words), whose words may be letters and digits.
    return is_id(value) if name in _SESSIONS else name == "s" and _HEX.fullmatch(value) is not None


def without_parameters(fetched: Fetched, parsed: ParsedPage) -> tuple[Fetched, ParsedPage]:
    """An answer and its page, with the URLs of their links and redirects stripped."""
    if fetched.location:
        leads_to = normalise(fetched.location, fetched.url)
        fetched = fetched._replace(location=leads_to and _target(leads_to, fetched.url))
    text = "".join(parsed.outlinks)
    outlinks = tuple(map(stripped, parsed.outlinks)) if "?" in text or ";" in text or "/(" in text else parsed.outlinks
    if outlinks != parsed.outlinks:
        parsed = with_outlinks(parsed, outlinks)
    if parsed.canonicals or parsed.alternates or parsed.refresh is not None:
        parsed = parsed._replace(
            canonicals=tuple(dict.fromkeys(map(stripped, parsed.canonicals))),
            alternates=tuple(dict.fromkeys(map(stripped, parsed.alternates))),
            refresh=parsed.refresh and _target(parsed.refresh, fetched.url),
        )
    return fetched, parsed


def with_outlinks(parsed: ParsedPage, outlinks: tuple[str, ...]) -> ParsedPage:
    """The page with its links respelt. Links that are equal now are merged: the first text and the best place stay."""
    anchors: dict[str, str] = {}
    places: dict[str, int] = {}
    for url, anchor in zip(outlinks, parsed.anchors, strict=True):
        anchors.setdefault(url, anchor)
    if parsed.places:
        for url, place in zip(outlinks, parsed.places, strict=True):
            places[url] = min(place, places.get(url, place))
    return parsed._replace(outlinks=tuple(anchors), anchors=tuple(anchors.values()), places=bytes(places.values()))


def _target(url: str, source: str) -> str:
    """The target of a redirect from `source` to `url`, both normalised."""
    plain = stripped(url)
    return url if plain == stripped(source) else plain
