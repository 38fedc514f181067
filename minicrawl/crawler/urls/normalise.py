"""Parse, resolve and normalise URLs after the WHATWG URL standard (with the library ada); rules for single hosts."""

import codecs
import re
import string
from collections.abc import Iterable
from typing import TypeVar
from urllib.parse import quote_from_bytes

import ada_url

from minicrawl.crawler.urls.keys import authority, politeness_key

# ASCII that may stand in a query before ada escapes it: all but "#", which ends the query. Two-byte encodings use it.
_QUERY = bytes(range(128)).replace(b"#", b"")
_UNKNOWN = ""
"""No URL."""
_STARTS = frozenset(string.ascii_letters + string.digits + "/.")
# References whose first colon, if any, ends no scheme, or one that an authority follows.
_NO_SCHEME_ALONE = re.compile(r"https?://|[^:/?#\\]*+[/?#\\]")
# Most references, with nothing to escape, decode or look up: their start, and the rest. Hosts that end in a number are
# addresses, and those with "xn--" may be invalid.
_PLAIN = re.compile(
    r"((?:\.\./)*+|/|https?://(?![^/]*xn--)(?:[a-z\d-]++\.)+[a-z]++/)"
    r"((?![./])[\w~!$&()*+,;=@./-]*+(?:\?[\w~!$&()*+,;=@./:?%-]*+)?)#?",
    re.ASCII,
)


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
    except ValueError:
        scalar = _scalar(url), base and _scalar(base)
        return None if scalar == (url, base) else normalise(*scalar, encoding)
    if not href.startswith(("http://", "https://")):
        return None
    href = href.partition("#")[0]
    if "@" in authority(href):
        scheme, _, rest = href.partition("://")
        _, _, host_onwards = rest.partition("@")
        # The first '@' ends the user info: ada has encoded any other one in it.
        return f"{scheme}://{host_onwards}"
    return href


def resolved(references: Iterable[str], base: str, encoding: str | None = None) -> dict[str, str | None]:
    """`normalise` for the references of a page, by reference."""
    stem = base.partition("#")[0].partition("?")[0]
    folder = stem[: stem.rfind("/") + 1] if base.startswith(("http://", "https://")) else ""
    known = _known_targets.of(folder, encoding)
    before = len(known)
    found: dict[str, str | None] = {}
    for reference in references:
        target = known.get(reference, _UNKNOWN)
        if target is _UNKNOWN:
            # The base's last segment and query matter only to references that are empty or begin with "?" or "#", also
            # behind the base's own scheme ("http:?q").
            if folder and reference[:1] in _STARTS and (":" not in reference or _NO_SCHEME_ALONE.match(reference)):
                target = known[reference] = _resolved(reference, folder, encoding)
            else:
                target = normalise(reference, base, encoding)
        found[reference] = target
    _known_targets.count_new(len(known) - before + 1)  # and a folder
    return found


class _KnownTargets:
    """A cache of resolved references, by the page's folder and encoding: pages of a folder share most of their links.

    most: number of references after which the cache is cleared.
    """

    def __init__(self, most: int) -> None:
        self._most = self._left = most
        self._by_folder: dict[tuple[str, str | None], dict[str, str | None]] = {}

    def of(self, folder: str, encoding: str | None) -> dict[str, str | None]:
        if self._left < 0:
            self._by_folder.clear()
            self._left = self._most
        return self._by_folder.setdefault((folder, encoding), {})

    def count_new(self, number: int) -> None:
        """Count new entries."""
        self._left -= number


_known_targets = _KnownTargets(50_000)


def _resolved(reference: str, folder: str, encoding: str | None) -> str | None:
    plain = _PLAIN.fullmatch(reference)
    start, path = plain.groups() if plain else ("", "")
    if plain is None or "/." in path or "@" in folder:
        return normalise(reference, folder, encoding)
    if not start.startswith((".", "/")):
        return (start or folder) + path
    parts = folder.split("/")  # scheme, nothing, authority, folders, nothing
    kept = 3 if start == "/" else max(3, len(parts) - 1 - start.count(".."))
    return "/".join([*parts[:kept], path])


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


def _scalar(text: str) -> str:
    """The text without lone surrogates, which no encoding has (Web IDL, 3.2.12, USVString)."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


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


FRONT_PAGES = ("index.html", "index.htm", "index.php")


def front_page_names(url: str) -> list[str]:
    """The other names that the page at a normalised URL has if it is the front page of its folder; else none.

    http://a.test/b/index.html may be http://a.test/b/ and http://a.test/b/?, too.
    """
    folder, slash, name = url.rpartition("/")
    name = name.removesuffix("?")
    if name and name not in FRONT_PAGES:
        return []
    names = (f"{folder}{slash}", *(f"{folder}{slash}{name}" for name in FRONT_PAGES))
    return [other for plain in names for other in (plain, f"{plain}?") if other != url]
