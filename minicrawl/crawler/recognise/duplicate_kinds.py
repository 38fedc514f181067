"""Classify near-duplicates by the URLs of a page and its leader.

print        one of them is for printing, or for small screens
translation  they differ in a language name: a text that was hardly translated, if at all
version      they differ in a version name: /3.11/ and /3.12/, /stable/ and /latest/
mirror       the same path on another host
template     two pages of one folder: mostly made from one template, or from one list
"""

import re
from itertools import zip_longest

_PRINT = {"print", "printable", "printer", "printview", "amp", "mobile", "m"}
_NAMED = re.compile(r"stable|latest|current|dev|devel|develop|master|main|trunk|nightly|next|old|lts|release")
_VERSION = re.compile(r"(?:v|r|rel-?|release-?)?\d+(?:[._-]\d+)*(?:\.x|[._-]?(?:a|b|rc|alpha|beta|dev)\d*)?")
# ISO 639-1, with a country behind it or not.
_CODES = (
    "aa ab af am ar as az be bg bn bo br bs ca co cs cy da de el en eo es et eu fa fi fo fr fy ga gd gl gu  "
    "he hi hr hu hy ia id ie is it ja ka kk kl km kn ko ku ky la lb lo lt lv mg mi mk ml mn mr ms mt my nb  "
    "ne nl nn no oc or pa pl ps pt qu rm ro ru rw sa sd se si sk sl sm so sq sr ss su sv sw ta te tg th ti  "
    "tk tl tr tt ug uk ur uz vi wo xh yi yo zh zu "
)
_LANGUAGES = frozenset(_CODES.split())
_LANGUAGE = re.compile(r"[a-z]{2}(?:[-_](?:[a-z]{2}|[a-z]{4}|\d{3}))?")
_PARTS = re.compile(r"[/?&=]")


def kind_of(url: str, leader: str) -> str | None:
    """The kind, as above; None if the URLs tell nothing. Both are normalised."""
    one, other = _names(url), _names(leader)
    if _is_for_print(one) != _is_for_print(other):
        return "print"
    differing = [pair for pair in zip_longest(one, other, fillvalue="") if pair[0] != pair[1]]
    if differing and all(is_language(name) for pair in differing for name in pair if name):
        return "translation"
    if differing and all(_is_version(name) for pair in differing for name in pair if name):
        return "version"
    host, _, path = url.partition("//")[2].partition("/")
    other_host, _, other_path = leader.partition("//")[2].partition("/")
    if host != other_host:
        return "mirror" if path == other_path else None
    return "template" if path.rpartition("/")[0] == other_path.rpartition("/")[0] else None


def _names(url: str) -> list[str]:
    """Host labels, path segments, names and values of the query, without file extensions."""
    host, _, rest = url.partition("//")[2].partition("/")
    parts = _PARTS.split(rest)
    return [*host.lower().split("."), *(re.sub(r"\.[a-z]{2,5}$", "", part.lower()) for part in parts)]


def _is_for_print(names: list[str]) -> bool:
    return not _PRINT.isdisjoint(names)


def is_language(name: str) -> bool:
    """True for a lower-case language name: de, pt-br, zh_hans, es-419."""
    return _LANGUAGE.fullmatch(name) is not None and name[:2] in _LANGUAGES


def _is_version(name: str) -> bool:
    return _NAMED.fullmatch(name) is not None or _VERSION.fullmatch(name) is not None
