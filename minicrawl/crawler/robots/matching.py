"""The rule of a group that decides on a URL (RFC 9309 2.2.2 and 2.2.3).

octets    the path and query of a URL, or a piece of a rule, in one ASCII spelling for comparison
pattern   the path of a rule; * stands for any octets, $ at the very end for the end of the URL
rank      twice a pattern's length in octets, plus 1 if its rule allows: of the matching patterns, the highest decides
piece     the octets between two stars of a pattern: first its head, with which a URL must begin, then its parts

Matching never goes back: each part is looked for once, from where the one before it ended. So half a megabyte of
patterns with stars costs a URL a few hundredths of a second at most, about as much as a large page.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from string import hexdigits
from typing import NamedTuple

_TARGET = re.compile(r"[^/?#]*//[^/?#]*([^#]*)")
# Marks in patterns as `_spelt` writes them, which occur in no spelling of an octet.
_STAR, _END, _NEXT = "\0", "\1", "\n"

_NO_RULE = 1  # the rank of no match, which allows

# RFC 3986 2.3, and the two characters that rules must escape to mean them (RFC 9309 2.2.3).
_LITERAL = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~*$")
# Escapes, and octets that are neither unreserved nor reserved (RFC 3986 2.2); a % that escapes nothing stays.
_RESPELT = re.compile(rb"(%[0-9A-Fa-f]{2}|[^A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-])")
_RESPELT_BETWEEN = re.compile(_RESPELT.pattern.replace(rb"[^", rb"[^\0\1\n"))
_ONE_SPELLING = [bytes([octet]) if octet in _LITERAL else b"%%%02X" % octet for octet in range(256)]
_SPELLINGS = {bytes([octet]): spelling for octet, spelling in enumerate(_ONE_SPELLING)}
_SPELLINGS |= {b"%%%c%c" % two: _ONE_SPELLING[int(bytes(two), 16)] for two in product(hexdigits.encode(), repeat=2)}


def octets_of(url: str) -> str:
    """Path and query of an absolute URL, which rules are matched against."""
    match = _TARGET.match(url)
    target = match[1] if match else url
    return respelt((target if target.startswith("/") else f"/{target}").encode())


def respelt(octets: bytes) -> str:
    """One spelling for octets that RFC 9309 2.2.2 holds to be equal: %7E and ~, %c3%bc and ü.

    Reserved characters stay as they are written, so %2F is no slash. The RFC's own table would also escape "://"
    within a query, but not the "/" before it; like Google's parser, we escape neither.
    """
    return _RESPELT.sub(lambda match: _SPELLINGS[match[0]], octets).decode("ascii")


def _spelt(patterns: Iterable[bytes]) -> list[str]:
    """Patterns, each a line, as `respelt` spells them; `_STAR` stands for a star, `_END` for a $ at the very end."""
    lines = b"\n".join([*patterns, b""]).replace(b"\0", b"%00").replace(b"\1", b"%01")
    marked = lines.replace(b"$\n", b"\1\n").replace(b"*", b"\0")
    pieces = _RESPELT_BETWEEN.split(marked)  # for a large file faster than a call for each match
    pieces[1::2] = map(_SPELLINGS.__getitem__, pieces[1::2])
    return b"".join(pieces).decode("ascii").split(_NEXT)[:-1]


class Pattern(NamedTuple):
    """The path of one rule. `head`: the begin of a matching URL; `parts`: texts that must follow, in order; `is_whole`:
    the last of these must be the end of the URL."""

    head: str
    parts: tuple[str, ...]
    is_whole: bool
    length: int

    @classmethod
    def parse(cls, text: bytes) -> "Pattern":
        return cls.of(_spelt([text])[0])

    @classmethod
    def of(cls, spelt: str) -> "Pattern":
        """The pattern that `_spelt` writes so."""
        [folded] = _folded([spelt])
        head, *parts = _pieces(folded)
        return cls(head, tuple(parts), folded.endswith(_END), len(spelt))

    def matches(self, octets: str) -> bool:
        """True if a URL's octets match; each part is taken at its first possible place."""
        if not octets.startswith(self.head):
            return False
        place = len(self.head)
        for part in self.parts:
            place = octets.find(part, place)
            if place < 0:
                return False
            place += len(part)
        # The last part may occur again at the very end, which is no earlier than where it was found.
        return not self.is_whole or place == len(octets) or (bool(self.parts) and octets.endswith(self.parts[-1]))


_pattern = lru_cache(maxsize=10_000)(Pattern.of)


class Rules:
    """The rules of a group, given as (path as written, is allowed).

    Patterns without stars are looked up: by the beginning of the URL for each of their lengths, and by the whole URL
    for those that end with $. Patterns with stars are tried if the URL has the longest piece of theirs, as it has of
    few.
    """

    def __init__(self, rules: Iterable[tuple[bytes, bool]]) -> None:
        rules = list(rules)
        self._plain: dict[str, int] = {}
        self._whole: dict[str, int] = {}
        starred: dict[str, int] = {}
        for spelt, (_, is_allowed) in zip(_spelt(text for text, _ in rules), rules, strict=True):
            kind = starred if _STAR in spelt else self._whole if spelt.endswith(_END) else self._plain
            rank = 2 * len(spelt) + is_allowed
            if rank > kind.get(spelt, -1):
                kind[spelt] = rank
        self._lengths = sorted({len(octets) for octets in self._plain}, reverse=True)
        self._starred: dict[str, list[tuple[int, str]]] = {}
        for folded, (spelt, rank) in zip(_folded(starred), starred.items(), strict=True):
            self._starred.setdefault(max(_pieces(folded), key=len), []).append((rank, spelt))

    def allow(self, octets: str) -> bool:
        """The longest match decides, allow wins a tie, and without a match a URL is allowed (2.2.2)."""
        best = self._longest_plain(octets)
        if self._whole:
            best = max(best, self._whole.get(octets + _END, 0))
        for piece, some in self._starred.items():
            if piece in octets:
                for rank, spelt in some:
                    if rank > best and _pattern(spelt).matches(octets):
                        best = rank
        return best % 2 == 1

    def _longest_plain(self, octets: str) -> int:
        for length in self._lengths:
            rank = self._plain.get(octets[:length])
            if rank is not None and length <= len(octets):
                return rank
        return _NO_RULE


def _folded(spelt: Iterable[str]) -> list[str]:
    """Patterns without needless stars: those behind another star, and at the end, also before a $."""
    text = _NEXT.join([*spelt, ""])
    while _STAR + _STAR in text:
        text = text.replace(_STAR + _STAR, _STAR)
    return text.replace(_STAR + _END + _NEXT, _NEXT).replace(_STAR + _NEXT, _NEXT).split(_NEXT)[:-1]


def _pieces(folded: str) -> list[str]:
    return folded.removesuffix(_END).split(_STAR)
