"""Detection of twins: one page in several languages or versions, by URLs, titles and links.

    https://docs.example.org/en/stable/setup.html   https://docs.example.org/fr/3.1/setup.html

Two URLs have the same form if they differ only in names of languages or versions: whole labels of the host, whole
segments of the path, endings of the file (index.de.html) or a parameter (?lang=de). A name may also be missing on one
side. But a form proves little: /it/ may be a folder, /3.1/ a chapter. So they are twins only if

- the names differ on at least 3 other pages, too: of the pages that one of the two links to, that many are known by
  the other name as well;
- a plain number counts as a version only where "stable", "latest" and the like, or a number with a dot, is known in the
  same place: so no chapter, issue or page 2 does. A year never counts;
- the titles of two versions agree but for the version. Titles in two languages are not compared.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from minicrawl.crawler.recognise.duplicate_kinds import is_language

_OTHER_PAGES = 3
_LOOKED_AT = 100
"""Most links of a page that are looked up under the other name."""
_COMPARED = 16
"""Most pages of one form that a page is compared with: a thousand issues in a folder have one form."""
VERSION_NAMES = (
    "stable", "latest", "current", "dev", "devel", "develop", "master", "main", "trunk", "nightly", "next", "lts",
)  # fmt: skip
_DOTTED = re.compile(
    r"(?:v|ver|version|rel|release)?[-_]?\d+(?:\.\d+)+(?:\.x|[-.]?(?:a|b|rc|alpha|beta|dev)\d*)?"
    r"|\d+\.x|v\d+|\d+_\d+_\d+"
)
_DATE = re.compile(r"(?:19|20)\d\d[-._](?:0\d|1[0-2])\b.*")
_PLAIN = re.compile(r"(?!(?:19|20)\d\d$)\d{1,4}")
_PARAMETER = re.compile(r"[?&](?:lang|language|locale|hl|uselang)=(.*)")
_WORDS = re.compile(r"[^\W\d_]+")
_SCHEME = re.compile(r"https?://(?:www\.)?")


class Titled(NamedTuple):
    """A page by URL and title, for comparison."""

    url: str
    title: str | None


@dataclass(frozen=True)
class Difference:
    """Difference of two URLs: common `head`, the parts of only `one` or `other`, common `tail`; see `_pieces`."""

    head: tuple[str, ...]
    one: tuple[str, ...]
    other: tuple[str, ...]
    tail: tuple[str, ...]

    def names(self) -> list[str]:
        """Names of the languages and versions that differ."""
        return [_name(piece) for piece in (*self.one, *self.other) if not _SCHEME.match(piece)]

    def swaps(self) -> tuple[tuple[str, str], tuple[str, str]]:
        """Start and end of URLs on the side of `one`, and on the side of `other`."""
        if any(piece[0] in ".?&" for piece in (*self.one, *self.other)):
            host = "".join(self.head[: _host_end(self.head)])
            return (f"{host}/", "".join(self.one + self.tail)), (f"{host}/", "".join(self.other + self.tail))
        start, rest = "".join(self.head), "".join(self.tail[: _host_end(self.tail)])
        return (f"{start}{''.join(self.one)}{rest}/", ""), (f"{start}{''.join(self.other)}{rest}/", "")


def form(url: str) -> str:
    """The form shared by twins: the URL without scheme, "www." and possible names of languages and versions."""
    return "".join(piece for piece in _pieces(url) if not _is_marker(piece))


def difference(one: str, other: str) -> Difference | None:
    """Difference of two URLs of the same form; None for different forms."""
    a, b = _pieces(one), _pieces(other)
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    found = Difference(a[:head], a[head : len(a) - tail], b[head : len(b) - tail], a[len(a) - tail :])
    return found if all(_is_marker(piece) for piece in (*found.one, *found.other)) else None


class Twins:
    """Decides if pages are twins.

    known: filters URLs to known ones. linked: URLs that the page at a URL links to.
    """

    def __init__(
        self, known: Callable[[Sequence[str]], Collection[str]], linked: Callable[[str], Sequence[str]]
    ) -> None:
        self._known = known
        self._linked = linked
        self._verdicts: dict[object, bool] = {}

    def first_of(self, page: Titled, others: Iterable[Titled]) -> Titled | None:
        """The first twin of `page` among pages of its form, of which at most `_COMPARED` are compared."""
        looked_at = zip(range(_COMPARED), others, strict=False)
        return next((other for _, other in looked_at if self.are(other, page)), None)

    def are(self, one: Titled, other: Titled) -> bool:
        """True if two pages are twins."""
        found = difference(one.url, other.url)
        if found is None:
            return False
        names = found.names()
        if not names:  # the scheme, or "www."
            return one.title == other.title
        versions = [name for name in names if is_version(name)]
        is_missing = not found.one or not found.other
        if versions and not _titles_agree(one.title, other.title, is_missing=is_missing):
            return False
        if versions and all(map(is_plain_number, versions)) and not self._is_anchored(found, one.url, other.url):
            return False
        return self._differ_elsewhere(found, one.url, other.url)

    def _is_anchored(self, found: Difference, *urls: str) -> bool:
        """True if a certain version is known in the place of plain numbers."""
        start, rest = "".join(found.head), "".join(found.tail)
        key = (start, rest)
        if key not in self._verdicts:
            named = self._known([f"{start}/{name}{rest}" for name in VERSION_NAMES])
            beside = (
                link[len(start) + 1 :].partition("/")[0] for url in urls for link in self._below(f"{start}/", url)
            )
            self._verdicts[key] = bool(named) or any(is_dotted(name) or name in VERSION_NAMES for name in beside)
        return self._verdicts[key]

    def _differ_elsewhere(self, found: Difference, *urls: str) -> bool:
        """True if enough other pages are known by both names."""
        swaps = found.swaps()
        if swaps not in self._verdicts:
            pairs = zip(urls, (swaps, swaps[::-1]), strict=True)
            self._verdicts[swaps] = any(self._shared(url, *way) >= _OTHER_PAGES for url, way in pairs)
        return self._verdicts[swaps]

    def _shared(self, url: str, here: tuple[str, str], there: tuple[str, str]) -> int:
        """Number of pages linked at `url` that are known by the other name, too, without its own twin."""
        (start, end), (other_start, other_end) = here, there
        swapped = [
            other_start + link[len(start) : len(link) - len(end)] + other_end
            for link in self._below(start, url)
            if link.endswith(end) and link != url
        ]
        return len(self._known(swapped[:_LOOKED_AT]))

    def _below(self, start: str, url: str) -> Iterator[str]:
        return (link for link in dict.fromkeys(self._linked(url)) if link.startswith(start))


def is_version(name: str) -> bool:
    """True if a name may be a version."""
    return name in VERSION_NAMES or is_dotted(name) or is_plain_number(name)


def is_dotted(name: str) -> bool:
    """True if a name is a version number such as 3.1, v2, 1_82_0; no date."""
    return _DOTTED.fullmatch(name) is not None and _DATE.fullmatch(name) is None


def is_plain_number(name: str) -> bool:
    """True if a name is a number of up to four digits, and no year."""
    return _PLAIN.fullmatch(name) is not None


@lru_cache(maxsize=10_000)
def _pieces(url: str) -> tuple[str, ...]:
    """Split a URL: the scheme, with "www."; the host's labels, each with its dot; /segments; .endings; ?parameters.

    The last two labels are one piece: they are no names of languages.
    """
    scheme = _SCHEME.match(url)
    start = scheme[0] if scheme else ""
    host, slash, rest = url[len(start) :].partition("/")
    labels = host.split(".")
    path, mark, query = rest.partition("?")
    *segments, last = path.split("/")
    name, *endings = [last] if is_version(last) else re.split(r"(?=\.[a-zA-Z])", last)
    return (
        start,
        *(f"{label}." for label in labels[:-2]),
        ".".join(labels[-2:]),
        *(f"/{segment}" for segment in segments),
        slash + name,
        *endings,
        *(f"{'&' if number else mark}{each}" for number, each in enumerate(query.split("&")) if mark),
    )


def _name(piece: str) -> str:
    """The name in a piece, without separators."""
    if piece[:1] in {"?", "&"}:
        match = _PARAMETER.fullmatch(piece)
        return match[1].lower() if match else ""
    return piece.strip("/.").lower()


def _is_marker(piece: str) -> bool:
    """True if a piece is a scheme, or may name a language or version."""
    if _SCHEME.match(piece):
        return True
    name = _name(piece)
    if piece[:1] in {".", "?", "&"}:
        return is_language(name)
    return is_language(name) or is_version(name)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the common prefix of two URLs, in pieces."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _host_end(pieces: Sequence[str]) -> int:
    """Number of leading pieces of the host."""
    return next((at for at, piece in enumerate(pieces) if piece[0] in "/.?&"), len(pieces))


def _titles_agree(one: str | None, other: str | None, *, is_missing: bool) -> bool:
    """True if two titles agree without versions; half of their words suffice if both URLs name a version."""
    a, b = (None if title is None else _words(title) for title in (one, other))
    if a is None or b is None or a == b:
        return True
    return not is_missing and 2 * len(a & b) >= len(a | b)


def _words(title: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(title.lower())) - frozenset(VERSION_NAMES) - {"v"}
