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
from itertools import product
from operator import itemgetter
from string import hexdigits
from typing import NamedTuple

_TARGET = re.compile(r"[^/?#]*//[^/?#]*([^#]*)")
_NO_RULE = 1  # the rank of no match, which allows

# RFC 3986 2.3, and the two characters that rules must escape to mean them (RFC 9309 2.2.3).
_LITERAL = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~*$")
# Escapes, and octets that are neither unreserved nor reserved (RFC 3986 2.2); a % that escapes nothing stays.
_RESPELT = re.compile(rb"(%[0-9A-Fa-f]{2}|[^A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-])")
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

    Reserved characters stay as they are written, so %2F is not a slash. The RFC's own table would also escape "://"
    within a query, but not the "/" before it; like Google's parser, we escape neither.
    """
    return _RESPELT.sub(lambda match: _SPELLINGS[match[0]], octets).decode("ascii")


class Pattern(NamedTuple):
    """The path of one rule. `head`: the begin of a matching URL; `parts`: texts that must follow, in order; `is_whole`:
    the last of these must be the end of the URL."""

    head: str
    parts: tuple[str, ...]
    is_whole: bool
    length: int

    @classmethod
    def parse(cls, text: bytes) -> "Pattern":
        """Stars behind another star, and at the end, also before a $, change nothing but the length."""
        is_whole = text.endswith(b"$")
        text = text.removesuffix(b"$")
        is_plain = _RESPELT.search(text) is None  # as mostly
        pieces = text.decode("ascii").split("*") if is_plain else list(map(respelt, text.split(b"*")))
        length = sum(map(len, pieces)) + len(pieces) - 1 + is_whole
        is_whole = is_whole and (len(pieces) == 1 or pieces[-1] != "")
        return cls(pieces[0], tuple(filter(None, pieces[1:])), is_whole, length)

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


class Rules:
    """The rules of a group, given as (path as written, is allowed).

    Patterns without stars are looked up: by the beginning of the URL for each of their lengths, and by the whole URL
    for those that end with $. Patterns with stars are tried, those of the highest rank first.
    """

    def __init__(self, rules: Iterable[tuple[bytes, bool]]) -> None:
        self._plain: dict[str, int] = {}
        self._whole: dict[str, int] = {}
        starred: list[tuple[int, Pattern]] = []
        for text, is_allowed in rules:
            pattern = Pattern.parse(text)
            rank = 2 * pattern.length + is_allowed
            if pattern.parts:
                starred.append((rank, pattern))
            else:
                kind = self._whole if pattern.is_whole else self._plain
                kind[pattern.head] = max(rank, kind.get(pattern.head, 0))
        self._lengths = sorted({len(octets) for octets in self._plain})
        self._starred = sorted(starred, key=itemgetter(0), reverse=True)

    def allow(self, octets: str) -> bool:
        """The longest match decides, allow wins a tie, and without a match a URL is allowed (2.2.2)."""
        best = max(_NO_RULE, self._whole.get(octets, 0))
        for length in self._lengths:
            if length > len(octets):
                break
            best = max(best, self._plain.get(octets[:length]) or 0)
        for rank, pattern in self._starred:
            if rank <= best:
                break
            if pattern.matches(octets):
                best = rank
        return best % 2 == 1
