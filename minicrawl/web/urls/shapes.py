"""The shape of a URL: what it has in common with others that one program of a server answers.

number   decimal digits, or the hexadecimal name of a commit, a file or a record: seven digits and more, with a letter
         and a decimal one; a sign may stand before it
word     a segment of a path with its digits made 0; a number is 0
pattern  up to two folders, the form of the last segment, and the names of the parameters
form     {n} for a number, *.php for a name with an ending, {} for any other; with the slash behind it, if it has one
"""

import re
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

_NUMBER = re.compile(r"\d+")
_HEXADECIMAL = re.compile(r"\W?([0-9a-fA-F]{7,}(?:-[0-9a-fA-F]{4,}){0,4})")
_ENDING = re.compile(r"[^.].*\.([A-Za-z][A-Za-z0-9]{0,4})$")
_FOLDERS, _HASH = 2, 7
# 16 digits of one hexadecimal case, the start of a UUID, 8 hexadecimal digits with a letter and a decimal one, or 20
# letters and digits of both cases. Conditions stand behind the text they check: before it they take four times as long.
_RANDOM = re.compile(
    r"[0-9A-Fa-f]{8}(?:(?<![0-9]{8})(?<![A-Fa-f]{8})|-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-"
    r"|(?<=[0-9a-f]{8})[0-9a-f]{8}|(?<=[0-9A-F]{8})[0-9A-F]{8})"
    r"|(?<![A-Za-z0-9])(?=[A-Za-z0-9]{20})(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])"
)

Parameters = tuple[tuple[str, str], ...]


class Shape(NamedTuple):
    """segments: of the path, without empty ones. form: of the last one. parameters: name and value of each, in order;
    names: of the parameters, sorted, each once."""

    path: str
    segments: tuple[str, ...]
    form: str
    parameters: Parameters
    names: tuple[str, ...]

    @property
    def folder(self) -> str:
        """Up to two folders; one that is a number is {n}."""
        folders = self.segments[:-1][:_FOLDERS]
        return "".join(f"/{'{n}' if is_number(folder) else folder}" for folder in folders)

    @property
    def place(self) -> str:
        """The pattern without the names of parameters."""
        return f"{self.folder}/{self.form}"

    @property
    def pattern(self) -> str:
        return f"{self.place}?{'&'.join(self.names)}" if self.names else self.place


@lru_cache(maxsize=4_096)
def shape_of(url: str) -> Shape:
    """The shape of a normalised URL."""
    path, _, query = url[url.index("/", 8) :].partition("?")
    segments = tuple(filter(None, path.split("/")))
    form = _form(segments[-1]) if segments else ""
    parameters = parameters_of(query)
    names = tuple(sorted({name for name, _ in parameters}))
    return Shape(path, segments, f"{form}/" if path.endswith("/") else form, parameters, names)


def parameters_of(query: str) -> Parameters:
    """Name and value of each parameter of a query, in order."""
    parts = (part.partition("=") for part in query.split("&")) if query else ()
    return tuple((name, value) for name, _, value in parts)


def without(url: str, name: str) -> str:
    """A URL without the parameters of a name."""
    stem, _, query = url.partition("?")
    kept = [part for part in query.split("&") if part.partition("=")[0] != name]
    return f"{stem}?{'&'.join(kept)}" if any(kept) else stem


def is_number(segment: str) -> bool:
    """True for a segment of a path that is a number."""
    if segment.isdecimal():
        return True
    found = _HEXADECIMAL.fullmatch(segment) if len(segment) >= _HASH else None
    return found is not None and not found[1].isalpha() and not found[1].replace("-", "").isdecimal()


@lru_cache(maxsize=4_096)
def word_of(segment: str) -> str:
    """A segment of a path with its digits made 0; a number is 0."""
    return "0" if is_number(segment) else _NUMBER.sub("0", segment)


def looks_random(value: str) -> bool:
    """True if a value looks like one that was made up, long and at random."""
    return _RANDOM.search(value) is not None


def differs_by_a_number(url: str, source: str) -> bool:
    """True if a URL is its source's but for one number, which may be missing in the source's: /news?page=3 and
    /news?page=2, /a/page/2/ and /a/."""
    ours, theirs = _NUMBER.split(url), _NUMBER.split(source)
    if ours == theirs:
        pairs = zip(_NUMBER.findall(url), _NUMBER.findall(source), strict=True)
        differing: int = sum(one != other for one, other in pairs)
        return differing == 1
    shape, other = shape_of(url), shape_of(source)
    if shape.path == other.path:
        more = [value for name, value in shape.parameters if (name, value) not in other.parameters]
        is_one_more = len(shape.parameters) == len(other.parameters) + 1 and len(more) == 1
        return is_one_more and bool(_NUMBER.fullmatch(more[0]))
    longer = shape.segments[len(other.segments) :]
    is_below = shape.segments[: len(other.segments)] == other.segments and shape.parameters == other.parameters
    return is_below and bool(longer) and longer[-1].isdecimal() and len(longer) <= _FOLDERS


def leads_back(url: str, source: str) -> bool:
    """True if a parameter of a URL is its source, whole or from its path on: /login?next=/basket for /basket."""
    if "?" not in url:
        return False
    path = source[source.index("/", 8) :]
    return any(unquote(value) in (source, path, path.partition("?")[0]) for _, value in shape_of(url).parameters)


def without_way_back(url: str, source: str) -> str:
    """A URL without the parameters by which it leads back to its source."""
    place, _, query = url.partition("?")
    others = "&".join(each for each in query.split("&") if not leads_back(f"{place}?{each}", source))
    return f"{place}?{others}" if others else place


def _form(segment: str) -> str:
    if is_number(segment):
        return "{n}"
    ending = _ENDING.match(segment)
    return f"*.{ending[1].lower()}" if ending else "{}"
