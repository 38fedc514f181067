"""Parse, resolve and normalise URLs after the WHATWG URL standard (with the library ada); rules for single hosts.

Tracking and session parameters tell who follows a link, not which page it leads to. A link with them is treated as a
link to the page without them; the rest of the URL stays as it was, byte for byte. This is a policy of the crawl
(`--keep-parameters` switches it off): normalise() keeps them all. A redirect to a URL with a session id is followed.
"""

import codecs
import re
import string
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote, quote_from_bytes

import ada_url

from minicrawl.model import Fetched, ParsedPage
from minicrawl.web.urls.keys import authority, politeness_key

MAX_URL_LENGTH = 8_000
"""Bytes that servers should take (RFC 9110, 4.1)."""

# ASCII that may stand in a query before ada escapes it: all but "#", which ends the query. Two-byte encodings use it.
_QUERY = bytes(range(128)).replace(b"#", b"")
_UNKNOWN = ""
"""No URL."""
_STARTS = frozenset(string.ascii_letters + string.digits + "/.")
_LONGEST_KNOWN = 300  # characters of a reference that is remembered
_ROOTS = ("/", "http://", "https://")
"""Starts of references that mean the same on all pages of an origin."""
_OTHER_STARTS = (*_ROOTS, "\\")
"""Starts that mean something else behind "../"."""
# References whose first colon, if any, ends no scheme, or one that an authority follows.
_NO_SCHEME_ALONE = re.compile(r"https?://|[^:/?#\\]*+[/?#\\]")
# Most references, with nothing to escape, decode or look up: their origin, if any, and the rest. Hosts that end in a
# number are addresses, and those with "xn--" may be invalid.
_PLAIN = re.compile(
    r"(?:(https?://(?![^/]*xn--)(?:[a-z\d-]++\.)+[a-z]++/)|/?)"
    r"((?![./])[\w~!$&()*+,;=@./-]*+(?:\?[\w~!$&()*+,;=@./:?%-]*+)?)#?",
    re.ASCII,
)
_ESCAPE = re.compile("%[0-9A-Fa-f]{2}")
_ROUTE = re.compile(r"[^#]*+#!?/[^/#\0- ]")
_ANY = "http://any.invalid/"
_URI = re.compile(r"((?:[a-z][a-z\d+.-]*:)?//[^/?#]*|)([^#]*)#?(.*)", re.IGNORECASE | re.DOTALL)
"""Scheme and authority, path and query, fragment."""


def normalise(url: str, base: str | None = None, encoding: str | None = None) -> str | None:
    """The one spelling under which minicrawl knows a page, or None for a URL that is not http(s).

    Resolves `url` against `base` as a browser does, and drops the fragment and credentials. Idempotent. `encoding`: the
    codec of the page that has the URL, if that is not Unicode; queries are sent in it.

    Escapes stay as they are written, as in browsers: %7E is not made ~ (RFC 3986 6.2.2.2 calls them equal, the WHATWG's
    test data keep them apart, and servers that sign URLs see a difference). Host names, too: h.test. is not h.test.
    """
    if encoding is not None and not url.isascii():
        url = _with_query_in(encoding, url)
    try:
        href = ada_url.join_url(base, url) if base else ada_url.normalize_url(url)
    except ValueError:  # of half a surrogate pair, too, which no encoding has
        return None
    if not href.startswith(("http://", "https://")):
        return None
    href = href.partition("#")[0]
    if "@" in authority(href):
        scheme, _, rest = href.partition("://")
        _, _, host_onwards = rest.partition("@")
        # The first '@' ends the user info: ada has encoded any other one in it.
        return f"{scheme}://{host_onwards}"
    return href


def normalise_route(url: str, base: str | None = None, encoding: str | None = None) -> str | None:
    """`normalise`, with the fragment of a route: #/x or #!/x, at which scripts show a page of its own. Idempotent."""
    page = normalise(url, base, encoding)
    if page is None or not is_route(url):
        return page
    return page + ada_url.join_url(_ANY, url[url.index("#") :]).removeprefix(_ANY)


def is_route(url: str) -> bool:
    """True if the fragment of a URL or reference, if any, may name a page that scripts show."""
    return "#" in url and _ROUTE.match(url) is not None


def unescaped(url: str) -> str:
    """A URL without needless escapes, and others in capitals (RFC 3986, 6.2.2): two with the same are one URL to most
    programs. Those of reserved characters stay, because they mean something else, but for "[" and "]", which stand for
    nothing in a path or a query."""
    return _ESCAPE.sub(lambda found: _without_need(found[0]), url)


def _without_need(escape: str) -> str:
    character = chr(int(escape[1:], 16))
    return character if "!" <= character <= "~" and character not in "%:/?#@!$&'()*+,;=" else escape.upper()


def percent_encoded(url: str) -> str:
    """A URL, or a path, in the grammar of RFC 3986: what that does not allow is escaped. Idempotent. Browsers, and so
    `normalise`, leave some of it, such as "|" and "[", and in fragments nearly all."""
    parts = _URI.fullmatch(re.sub("%(?![0-9A-Fa-f]{2})", "%25", url))
    assert parts is not None  # matches any text
    start, path, fragment = (quote(part, "%/:?@!$&'()*+,;=", errors="replace") for part in parts.groups())
    return start.replace("%5B", "[").replace("%5D", "]") + path + "#" * ("#" in url) + fragment


def resolved(references: Iterable[str], base: str, encoding: str | None = None) -> dict[str, str | None]:
    """`normalise` for the references of a page, by reference. base: as `base_url` returns it."""
    stem = base.partition("#")[0].partition("?")[0]
    folder = stem[: stem.rfind("/") + 1] if base.startswith(("http://", "https://")) else ""
    root = folder[: folder.find("/", 8) + 1]
    found: dict[str, str | None] = {}
    for reference in references:
        rest, place = reference, root if reference.startswith(_ROOTS) else folder
        while rest.startswith("../") and not rest.startswith(_OTHER_STARTS, 3):
            rest, place = rest[3:], place if place == root else place[: place.rfind("/", 0, -1) + 1]
        target = _known(rest, place, encoding) if len(reference) <= _LONGEST_KNOWN else _UNKNOWN
        found[reference] = normalise(reference, base, encoding) if target is _UNKNOWN else target
    return found


@lru_cache(maxsize=20_000)  # about 6 MB
def _known(reference: str, place: str, encoding: str | None) -> str | None:
    """The URL of a reference that means the same on all pages of a place; _UNKNOWN for others. Pages of a folder share
    most of their links, and pages of an origin those that begin at its root or name their host. The same URL is the
    same object each time, so that its hash is computed once."""
    # A page's last segment and query matter only to references that are empty or begin with "?" or "#", also behind its
    # own scheme ("http:?q").
    if not place or reference[:1] not in _STARTS:
        return _UNKNOWN
    plain = _PLAIN.fullmatch(reference)
    if plain and "/." not in plain[2] and "@" not in place:
        return (plain[1] or place) + plain[2]
    is_same = ":" not in reference or _NO_SCHEME_ALONE.match(reference)
    return normalise(reference, place, encoding) if is_same else _UNKNOWN


def forget_references() -> None:
    """Forget what references of pages read so far mean, for a crawl that does not follow links."""
    _known.cache_clear()


def base_url(href: str | None, url: str, encoding: str | None = None) -> str:
    """The base against which a page at `url` with this `href` of a base element resolves links (WHATWG HTML, 4.2.3)."""
    if href is None:
        return url
    if encoding is not None and not href.isascii():
        href = _with_query_in(encoding, href)
    try:
        base = ada_url.join_url(url, href)
    except ValueError:
        return url
    return url if base.startswith(("data:", "javascript:")) else base


def _with_query_in(encoding: str, url: str) -> str:
    """The URL, its query escaped as bytes of the encoding (WHATWG URL, 4.4, query state)."""
    head, _, rest = url.partition("?")
    query, mark, fragment = rest.partition("#")
    if query.isascii() or "#" in head:
        return url
    escaped = quote_from_bytes(query.encode(encoding, "minicrawl.query"), safe=_QUERY)
    return f"{head}?{escaped}{mark}{fragment}"


def _reference(error: UnicodeError) -> tuple[str | bytes, int]:
    """Send a character that the encoding lacks as "&#8364;", escaped (WHATWG URL, 1.3, percent-encode after
    encoding)."""
    assert isinstance(error, UnicodeEncodeError)
    codes = [ord(character) for character in error.object[error.start : error.end]]
    if error.encoding == "charmap" and 0x80 <= codes[0] < 0xA0:
        return bytes(codes[:1]), error.start + 1  # the bytes that windows-125x leave open are C1 controls
    return "".join(f"%26%23{code}%3B" for code in codes), error.end


codecs.register_error("minicrawl.query", _reference)


_Value = TypeVar("_Value")


def by_host(rules: Iterable[tuple[str, _Value]]) -> dict[str, _Value]:
    """Values by politeness key, from rules for hosts as users write them; the first rule for a host counts."""
    values: dict[str, _Value] = {}
    for host, value in rules:
        url = normalise(f"http://{host.removesuffix(':443')}/")
        values.setdefault(politeness_key(url) if url else host, value)
    return values


def _listed() -> list[str]:
    lines = Path(__file__).with_name("parameters.txt").read_text("utf-8").splitlines()
    return [name for line in lines if not line.startswith("#") for name in line.split()]


_NAMES = frozenset(_listed())
_FAMILIES = re.compile("|".join(rf"{re.escape(name[:-1])}\w+" for name in sorted(_NAMES) if name[-1] == "*"), re.ASCII)
_IN_PATH = re.compile(
    r";(?:jsessionid|phpsessid)=[^/;]*"  # Java, PHP
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
        plain = _IN_PATH.sub("", stem)
        if plain != stem:
            # The text before the parameter may be a dot segment now.
            return normalise(plain + mark + query) or url
    return url


def _is_dropped(part: str) -> bool:
    """True for a parameter, name=value, for tracking or sessions."""
    name = part.partition("=")[0].lower().removeprefix("amp;")
    return name in _NAMES or _FAMILIES.fullmatch(name) is not None


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
