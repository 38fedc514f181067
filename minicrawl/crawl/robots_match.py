"""Which of a group's rules decides on a URL (RFC 9309 2.2.2 and 2.2.3).

octets    the path and query of a URL, or a piece of a rule, in the one spelling, ASCII, in which they are compared
pattern   the path of a rule; * stands for any octets, $ at the very end for the end of the URL
length    of a pattern, in octets: the longest that matches decides

Matching never goes back: every piece between two stars is looked for once, from where the one before it ended.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

_TARGET = re.compile(r"[^/?#]*//[^/?#]*([^#]*)")
# In patterns as `_spelt` writes them: what no spelling of an octet has in it.
_STAR, _END, _NEXT = "\0", "\1", "\n"

_FEW = 64  # patterns that are sooner tried one by one
_MOST_FILED = 1_000  # octets to look for, under which patterns are filed, that cost less than all at once
_MOST_COLUMNS = 2_048  # no URL is longer (scope.py); of patterns with more parts there cannot be many
_LARGEST_TABLE = 1 << 20
_Ints = npt.NDArray[np.intp]

# RFC 3986 2.3, and the two characters that rules must escape to mean them (RFC 9309 2.2.3).
_LITERAL = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~*$")
# Escapes, and octets that are neither unreserved nor reserved (RFC 3986 2.2); a % that escapes nothing stays.
_RESPELT = re.compile(rb"%[0-9A-Fa-f]{2}|[^A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]")
_RESPELT_BETWEEN = re.compile(_RESPELT.pattern.replace(rb"[^", rb"[^\0\1\n"))
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


def _spelt(patterns: Iterable[bytes]) -> list[str]:
    """Patterns, each a line, as `respelt` spells them; `_STAR` stands for a star, `_END` for a $ at the very end."""
    lines = b"".join(pattern + b"\n" for pattern in patterns).replace(b"\0", b"%00").replace(b"\1", b"%01")
    marked = lines.replace(b"$\n", b"\1\n").replace(b"*", b"\0")
    spelt = _RESPELT_BETWEEN.sub(lambda match: _SPELLINGS[match[0].lower()], marked).decode("ascii")
    return spelt.split(_NEXT)[:-1]


class Pattern(NamedTuple):
    """The path of one rule.

    `head`: what a URL must begin with; `parts`: what must follow, somewhere behind one another; `is_whole`: whether the
    last of these must be the end of it.
    """

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
        [[head, *parts]] = _pieces_of_all([spelt])
        # A star before the $ leaves open again how a URL ends.
        is_whole = spelt.endswith(_END) and not spelt.endswith(_STAR + _END)
        return cls(head, tuple(parts), is_whole, len(spelt))

    def matches(self, octets: str) -> bool:
        """Whether a URL's octets match, taking for each part the first place where it can be."""
        if not octets.startswith(self.head):
            return False
        place = len(self.head)
        for part in self.parts:
            place = octets.find(part, place)
            if place < 0:
                return False
            place += len(part)
        # The last part may come once more at the very end; that is then no earlier than where it was found.
        return not self.is_whole or place == len(octets) or (bool(self.parts) and octets.endswith(self.parts[-1]))


class Rules:
    """The rules of a group, given as (path as written, whether it is allowed).

    Patterns without stars are looked up: a beginning of the URL for each of their lengths, and all of it for those that
    end with $. Those with stars are a crowd.
    """

    def __init__(self, rules: Iterable[tuple[bytes, bool]]) -> None:
        rules = list(rules)
        self._plain: dict[str, bool] = {}
        self._whole: dict[str, bool] = {}
        starred: dict[str, bool] = {}
        for spelt, (_, is_allowed) in zip(_spelt(text for text, _ in rules), rules, strict=True):
            kind = starred if _STAR in spelt else self._whole if spelt.endswith(_END) else self._plain
            kind[spelt] = is_allowed or kind.get(spelt, False)
        self._lengths = sorted({len(octets) for octets in self._plain}, reverse=True)
        self._crowd = Crowd(starred)

    def allow(self, octets: str) -> bool:
        """The longest match decides, allow wins a tie, and what no rule matches is allowed (2.2.2)."""
        best = self._longest_plain(octets)
        whole = octets + _END
        if self._whole and whole in self._whole:
            best = max(best, _rank(len(whole), self._whole[whole]))
        return bool(self._crowd.best(octets, best) & 1)

    def _longest_plain(self, octets: str) -> int:
        """The rank of the longest plain pattern that matches."""
        for length in self._lengths:
            is_allowed = self._plain.get(octets[:length])
            if is_allowed is not None and length <= len(octets):
                return _rank(length, is_allowed)
        return _rank(0, True)


def _rank(length: int, is_allowed: bool) -> int:
    """Of two patterns that match, the one of the higher rank decides."""
    return 2 * length + is_allowed


class Crowd:
    """Patterns with stars.

    Many are matched all at once: first their heads, then what comes first behind a star, and so on, each time in an
    array. So a question costs some nanoseconds for each part, whatever patterns and URL are like. Few are tried one by
    one: such as those of many that begin like the URL, or of which it has the longest part.

    part    by its number
    column  of the parts that come first in their patterns, or second, ...; the patterns with most parts come first
    """

    def __init__(self, patterns: Mapping[str, bool]) -> None:
        """patterns: as `_spelt` writes them, and whether they allow."""
        ranked = [(_rank(len(spelt), is_allowed), spelt) for spelt, is_allowed in patterns.items()]
        pieces = _pieces_of_all(patterns)
        self._made = _Made()
        self._filed: dict[str, list[tuple[int, str]]] = {}
        for one, own in zip(ranked, pieces, strict=True):
            self._filed.setdefault(max(own, key=len), []).append(one)
        if len(ranked) > _FEW:
            self._line_up(ranked, pieces)

    def _line_up(self, ranked: list[tuple[int, str]], pieces: list[list[str]]) -> None:
        counts = np.fromiter(map(len, pieces), np.intp, len(pieces)) - 1
        order = np.argsort(-counts)
        self._counts = counts[order]
        self._patterns = [ranked[number] for number in order.tolist()]
        pieces = [pieces[number] for number in order.tolist()]
        self._ranks = np.array([rank for rank, _ in self._patterns], dtype=np.intp)
        self._is_whole = np.array([spelt[-1] == _END and spelt[-2] != _STAR for _, spelt in self._patterns])
        heads, parts = _Numbers(), _Numbers()
        self._heads = np.array([heads[head] for head, *_ in pieces], dtype=np.intp)
        self._heads_by_length = _by_length(heads)
        flat = np.array([*(parts[part] for _, *own in pieces for part in own), 0], dtype=np.intp)
        self._parts_by_length = _by_length(parts)
        starts = np.cumsum(self._counts) - self._counts
        self._last = flat[np.maximum(starts + self._counts - 1, 0)]
        columns = np.arange(min(int(self._counts[0]), _MOST_COLUMNS))
        longer = np.searchsorted(-self._counts, -columns)  # how many patterns have more parts than so many
        self._columns = [flat[starts[:some] + column] for column, some in enumerate(longer.tolist())]

    def best(self, octets: str, least: int) -> int:
        """The highest rank of those that match, if it is more than `least`; else that."""
        if len(self._filed) <= _MOST_FILED:
            some = [one for octets_in, file in self._filed.items() if octets_in in octets for one in file]
            if len(some) <= _FEW:
                return self._best_of(some, octets, least)
        place = self._ends_of_heads(octets).take(self._heads)
        alive = np.flatnonzero(place >= 0)
        if len(alive) > _FEW:
            places = Places(octets, self._parts_by_length)
            if places.is_small:
                return max(least, self._best_at_once(alive, place[alive], places, octets))
        return self._best_one_by_one(alive, octets, least)

    def _best_at_once(self, alive: _Ints, ends: _Ints, places: "Places", octets: str) -> int:
        """The highest rank of those that match, of some whose heads end there; 0 if none does."""
        best = 0
        place: npt.NDArray[Any] = places.at(ends)
        for column in self._columns:
            going = int(np.searchsorted(alive, len(column)))
            best = max(best, self._best_found(alive[going:], place[going:], places))
            alive, place = alive[:going], place[:going]
            if len(alive) <= _FEW:
                return self._best_one_by_one(alive, octets, best)
            place = places.behind(column.take(alive), place)
            is_alive = place < places.nowhere
            if 2 * np.count_nonzero(is_alive) < len(alive):
                alive, place = alive[is_alive], place[is_alive]
        going = int(np.searchsorted(-self._counts[alive], -len(self._columns)))
        best = max(best, self._best_found(alive[going:], place[going:], places))
        return self._best_one_by_one(alive[:going], octets, best)

    def _best_found(self, some: _Ints, place: npt.NDArray[Any], places: "Places") -> int:
        """The highest rank of some whose parts have been looked for; 0 if none has all."""
        is_end = places.is_at_end.take(self._last.take(some)) | ~self._is_whole.take(some)
        is_found = is_end & (place < places.nowhere)
        return int(self._ranks[some[is_found]].max(initial=0))

    def _best_one_by_one(self, some: _Ints, octets: str, least: int) -> int:
        return self._best_of([self._patterns[number] for number in some.tolist()], octets, least)

    def _best_of(self, some: list[tuple[int, str]], octets: str, least: int) -> int:
        """The highest rank of some, given with their ranks, that match, if it is more than `least`; else that."""
        for rank, spelt in sorted(some, reverse=True):
            if rank <= least:
                break
            if self._made[spelt].matches(octets):
                return rank
        return least

    def _ends_of_heads(self, octets: str) -> _Ints:
        """Where each head ends; -1 where the URL does not begin with it."""
        ends = np.full(sum(map(len, self._heads_by_length.values())), -1, dtype=np.intp)
        for length, heads in self._heads_by_length.items():
            number = heads.get(octets[:length])
            if number is not None:
                ends[number] = length
        return ends


class _Numbers(dict[str, int]):
    """Numbers whatever it is asked for, from 0 on."""

    def __missing__(self, octets: str) -> int:
        number = self[octets] = len(self)
        return number


class _Made(dict[str, Pattern]):
    """Patterns by how they are spelt, made when first asked for."""

    def __missing__(self, spelt: str) -> Pattern:
        pattern = self[spelt] = Pattern.of(spelt)
        return pattern


class Places:
    """Where in a URL parts are.

    place   a number for each place between its octets, the later the higher; `nowhere` is beyond all
    """

    def __init__(self, octets: str, parts_by_length: Mapping[int, Mapping[str, int]]) -> None:
        """`is_small`: whether there is room for that; else nothing else may be asked."""
        size, number_of_parts = len(octets), sum(map(len, parts_by_length.values()))
        found = [_found(octets, length, parts) for length, parts in parts_by_length.items() if length <= size]
        part, start, end = np.fromiter(chain.from_iterable(chain.from_iterable(found)), np.intp).reshape(-1, 3).T
        there = np.zeros(number_of_parts, dtype=np.bool_)
        there[part] = True
        own = np.flatnonzero(there)
        self._rows = rows = len(own) + 1
        self.nowhere = (size + 1) * rows
        self.is_small = self.nowhere <= _LARGEST_TABLE
        if not self.is_small:
            return
        self.is_at_end = np.zeros(number_of_parts, dtype=np.bool_)
        self.is_at_end[part[end == size]] = True
        self._row = np.zeros(number_of_parts, dtype=np.intp)  # 0: of those that are not there
        self._row[own] = np.arange(1, rows)
        table = np.full((size + 2, rows), self.nowhere, dtype=np.int32)
        table[start, self._row[part]] = end * rows
        for at in reversed(range(size)):  # faster than np.minimum.accumulate
            np.minimum(table[at], table[at + 1], out=table[at])
        self._next = table.ravel()

    def at(self, octet: _Ints) -> _Ints:
        return octet * self._rows

    def behind(self, parts: _Ints, place: npt.NDArray[Any]) -> npt.NDArray[np.int32]:
        """Where each of some parts ends that is looked for from a place of its own on."""
        at = self._row.take(parts)
        at += place
        return self._next[at]


def _found(octets: str, length: int, parts: Mapping[str, int]) -> list[tuple[int, int, int]]:
    """Number, start and end of each of some parts of one length, as often as it is there."""
    if 2 * len(parts) < len(octets) - length:
        return [
            (number, at, at + length)
            for part, number in parts.items()
            if part in octets
            for at in _starts(part, octets)
        ]
    return [
        (number, at, at + length)
        for at in range(len(octets) - length + 1)
        if (number := parts.get(octets[at : at + length])) is not None
    ]


def _starts(part: str, octets: str) -> Iterator[int]:
    start = octets.find(part)
    while start >= 0:
        yield start
        start = octets.find(part, start + 1)


def _pieces_of_all(spelt: Iterable[str]) -> list[list[str]]:
    """The heads of patterns, and their parts: of stars in a row, and behind the last one, there are none."""
    text = "".join(pattern + _NEXT for pattern in spelt)
    text = text.replace(_END + _NEXT, _NEXT)
    while _STAR + _STAR in text:
        text = text.replace(_STAR + _STAR, _STAR)
    return [pattern.split(_STAR) for pattern in text.replace(_STAR + _NEXT, _NEXT).split(_NEXT)[:-1]]


def _by_length(numbers: Mapping[str, int]) -> dict[int, dict[str, int]]:
    found: dict[int, dict[str, int]] = {}
    for octets, number in numbers.items():
        found.setdefault(len(octets), {})[octets] = number
    return found
