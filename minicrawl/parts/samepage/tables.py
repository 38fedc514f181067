"""The tables of what the judge of URLs has learned, by host; `stored` reads and writes them."""

from typing import Annotated, NamedTuple

from minicrawl.store.declaration import PageId, holds_json, table


class PatternRow(NamedTuple):
    """A key of URLs, see minicrawl/parts/samepage/judge.py."""

    host: Annotated[str, "with its port, if it has one"]
    key: Annotated[str, "F and a pattern; V, C, W, P: finer and coarser ones; *: all of the host"]
    n: Annotated[float, "pages that were read, halved now and then"]
    gains: Annotated[float, "of these, those that said something"]
    read: Annotated[int, "pages that were read"]
    kinds: Annotated[str, "JSON: the pages by what they said"]
    example: Annotated[str, "the URL of the first"]
    dry: Annotated[int, "pages since the last that said something; *: pages that did not, since samples began anew"]
    called: Annotated[int, "samples"]
    waiting: Annotated[int, "URLs of the pattern that wait behind all others, or are left out"] = 0


class PairRow(NamedTuple):
    """A parameter or a spelling that may change nothing, see minicrawl/parts/samepage/pairs.py."""

    host: Annotated[str, "with its port, if it has one"]
    name: Annotated[str, "?NAME of a parameter, or that of a spelling"]
    agree: Annotated[int, "URLs that are the page without it"]
    differ: Annotated[int, "URLs that are another page"]
    linked: Annotated[int, "of those that agree, those whose plainer URL has links"]
    asked: Annotated[int, "plainer URLs that were asked for in order to learn it"]
    is_void: Annotated[bool, "it changes nothing"]
    hashes: Annotated[bytes, "of values that agree, 4 bytes each"]
    pages: Annotated[bytes, "hashes of URLs of the pages that some are, 4 bytes each"]
    example: Annotated[str, "the URL of the first that agrees"]


class SeenRow(NamedTuple):
    """A parameter with its values, or a word of paths with the folders above it."""

    host: str
    word: Annotated[str, "?NAME of a parameter, a word, or P and a parameter whose patterns are counted"]
    hashes: Annotated[bytes, "of values, folders or patterns, 4 bytes each, until there are enough"]


class LinesRow(NamedTuple):
    """Lines of text that pages of a host have, and their titles."""

    host: str
    number: Annotated[int, "of the piece, in order"]
    hashes: Annotated[bytes, "4 bytes a line"]


class ListingRow(NamedTuple):
    """A page and its lines as a set."""

    listing: Annotated[int, "64 bits of its host, its title and its lines in any order"]
    page: Annotated[PageId, "that had it first"]


table("patterns", "what pages of a host have said, by what their URLs share", PatternRow, keys="host key")
holds_json("patterns", "kinds", dict[str, int])
table("pairs", "parameters and spellings that may change nothing on a host", PairRow, keys="host name")
table("seen", "values of parameters, and folders above words, of a host", SeenRow, keys="host word")
table("lines", "lines of text that pages of a host have", LinesRow, keys="host number")
table("listings", "pages by their lines in any order", ListingRow, keys="listing")
