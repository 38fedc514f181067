"""Which of a group's rules decides on a URL (RFC 9309 2.2.2 and 2.2.3).

octets    the path and query of a URL, or a piece of a rule, in the one spelling, ASCII, in which they are compared
pattern   the path of a rule; * stands for any octets, $ at the very end for the end of the URL
length    of a pattern, in octets: the longest that matches decides

Matching never goes back: every piece between two stars is looked for once, from where the one before it ended.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain

_TARGET = re.compile(r"[^/?#]*//[^/?#]*([^#]*)")
_STARS = re.compile(rb"\*+")

_GRAM = 3  # octets under which a pattern is filed
_GRAMS = 6  # of so many the rarest

# RFC 3986 2.3, and the two characters that rules must escape to mean them (RFC 9309 2.2.3).
_LITERAL = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~*$")
# Escapes, and octets that are neither unreserved nor reserved (RFC 3986 2.2); a % that escapes nothing stays.
_RESPELT = re.compile(rb"%[0-9A-Fa-f]{2}|[^A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]")
_SPELLINGS = {
    written: bytes([octet]) if octet in _LITERAL else b"%%%02X" % octet
    for octet in range(256)
    for written in (bytes([octet]), b"%%%02x" % octet)
}


def octets_of(url: str) -> str:
    """What rules are matched against: path and query of an absolute URL."""
    match = _TARGET.match(url)
    target = match[1] if match else url
    return respelt((target if target.startswith("/") else f"/{target}").encode())


def respelt(octets: bytes) -> str:
    """The same for all that RFC 9309 2.2.2 holds to be equal: %7E and ~, %c3%bc and ü.

    Reserved characters stay as they are written, so %2F is no slash. The RFC's own table would also escape "://"
    within a query, but not the "/" before it; like Google's parser, we escape neither.
    """
    return _RESPELT.sub(lambda match: _SPELLINGS[match[0].lower()], octets).decode("ascii")


@dataclass(frozen=True, slots=True)
class Pattern:
    """The path of one rule.

    `parts`: the octets before, between and behind its stars; `is_whole`: whether it ends with $.
    """

    parts: tuple[str, ...]
    is_whole: bool
    length: int

    @classmethod
    def parse(cls, text: bytes) -> "Pattern":
        is_whole = text.endswith(b"$")
        inner = text[:-1] if is_whole else text
        parts = tuple(respelt(part) for part in _STARS.split(inner))
        return cls(parts, is_whole, sum(map(len, parts)) + inner.count(b"*") + is_whole)

    @property
    def is_plain(self) -> bool:
        """Whether it matches whatever starts with its octets."""
        return len(self.parts) == 1 and not self.is_whole

    def matches(self, octets: str) -> bool:
        """Whether a URL's octets match, taking for each part the first place where it can be."""
        head, *others = self.parts
        if not octets.startswith(head):
            return False
        place = len(head)
        for part in others:
            place = octets.find(part, place)
            if place < 0:
                return False
            place += len(part)
        # The last part may come once more at the very end; that is then no earlier than where it was found.
        return not self.is_whole or place == len(octets) or (bool(others) and octets.endswith(others[-1]))


class Rules:
    """The rules of a group, given as (path as written, whether it is allowed).

    Plain patterns are looked up, a beginning of the URL for each of their lengths. Of the others, each is filed under
    octets that every URL it matches has in it, and few other patterns if possible: only those are tried that are filed
    under octets of the URL, longest first. So a question hardly costs more where there are many rules.
    """

    def __init__(self, rules: Iterable[tuple[bytes, bool]]) -> None:
        self._plain: dict[str, bool] = {}
        others: dict[Pattern, bool] = {}
        for text, is_allowed in rules:
            pattern = Pattern.parse(text)
            if pattern.is_plain:
                self._plain[pattern.parts[0]] = is_allowed or self._plain.get(pattern.parts[0], False)
            else:
                others[pattern] = is_allowed or others.get(pattern, False)
        self._lengths = sorted({len(octets) for octets in self._plain}, reverse=True)
        self._filed: dict[str, list[tuple[tuple[int, bool], Callable[[str], bool]]]] = {}
        grams = [_grams(pattern) for pattern in others]
        seen = Counter(chain.from_iterable(grams))
        for (pattern, is_allowed), own in zip(others.items(), grams, strict=True):
            rarest = min(own, key=seen.__getitem__)
            self._filed.setdefault(rarest, []).append(((pattern.length, is_allowed), pattern.matches))
        for file in self._filed.values():
            file.sort(key=lambda filed: filed[0], reverse=True)
        self._gram_lengths = {len(gram) for gram in self._filed}

    def allow(self, octets: str) -> bool:
        """The longest match decides, allow wins a tie, and what no rule matches is allowed (2.2.2)."""
        best = self._longest_plain(octets)
        for gram in self._grams_in(octets):
            for rank, matches in self._filed[gram]:
                if rank <= best:
                    break
                if matches(octets):
                    best = rank
                    break
        return best[1]

    def _grams_in(self, octets: str) -> Iterable[str]:
        """What patterns are filed under that is in the octets."""
        if len(self._filed) <= len(octets):
            return [gram for gram in self._filed if gram in octets]
        size = len(octets) + 1
        return self._filed.keys() & {octets[at : at + long] for long in self._gram_lengths for at in range(size - long)}

    def _longest_plain(self, octets: str) -> tuple[int, bool]:
        """Length and verdict of the longest plain pattern that matches."""
        for length in self._lengths:
            is_allowed = self._plain.get(octets[:length])
            if is_allowed is not None and length <= len(octets):
                return length, is_allowed
        return 0, True


def _grams(pattern: Pattern) -> list[str]:
    """Some runs of octets that a URL must have to match: those at the beginning and the end of the longest part."""
    part = max(pattern.parts, key=len)
    last = len(part) - _GRAM
    if last <= 0:
        return [part]
    places = range(last + 1) if last < _GRAMS else (*range(_GRAMS // 2), *range(last - _GRAMS // 2, last + 1))
    return [part[at : at + _GRAM] for at in places]
