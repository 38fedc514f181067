"""The rule of a group that decides on a URL (RFC 9309 2.2.2 and 2.2.3).

octets    the path and query of a URL, or a piece of a rule, in one ASCII spelling for comparison
pattern   the path of a rule; * stands for any octets, $ at the very end for the end of the URL
value     what a rule says, a number from 0 to 3; of one for access, 1 allows and 0 forbids
rank      four times a pattern's length in octets, plus the value: of the matching patterns, the highest rank decides
piece     the octets between two stars of a pattern: first its head, with which a URL must begin, then its parts

Matching never goes back: each part is looked for once, from where the one before it ended.

Many patterns with stars are matched at once in a trie, so that a common beginning is matched once:

node    the patterns that begin with the same pieces, as far as these go; nodes with so many parts are a level
place   a position between two octets of a URL; `nowhere` is beyond its end

A node has one place, whichever patterns it stands for, and a whole level is looked up in one array. So a question costs
a few nanoseconds a node, whatever the patterns and the URL are like.
"""

import re
from collections.abc import Iterable
from itertools import product
from string import hexdigits
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_LARGEST_TABLE = 1 << 20  # keys; making a larger table takes longer than searching without one
_Ints = npt.NDArray[np.intp]
_Ranks = npt.NDArray[np.int32]


class _Level(NamedTuple):
    """The nodes of one number of parts, in the order of their last parts.

    `ranks`: the highest rank of the patterns that end there; `whole_ranks`: the same for those that must end where the
    URL does; or 0.
    """

    part: _Ints
    parent: _Ints
    ranks: _Ranks
    whole_ranks: _Ranks


class Trie:
    """Patterns matched together, for the highest rank among the matches."""

    def __init__(self, pieces: list[str], parts: list[int], ranks: list[int], is_whole: list[bool]) -> None:
        """pieces: of all patterns, one behind the other. For each pattern, `parts`: number of its parts; `ranks`: above
        0; `is_whole`: the last part must be the end of the URL."""
        counts, rank, whole = np.array(parts), np.array(ranks, dtype=np.int32), np.array(is_whole)
        heads = np.cumsum(counts + 1) - counts - 1
        order = np.lexsort((rank, -counts))  # most parts first, and the highest of equal patterns last
        counts, rank, whole = counts[order], rank[order], whole[order]
        numbers = _Numbers()
        number = np.fromiter(map(numbers.__getitem__, pieces), np.intp, len(pieces))
        spelt = list(numbers)
        self._pieces = len(spelt)

        distinct, node = np.unique(number[heads][order], return_inverse=True)
        self._heads = {
            length: {spelt[own]: at for own, at in some} for length, some in _by_length(spelt, distinct).items()
        }
        self._parts = [
            _Parts.of([spelt[own] for own, _ in some], [own for own, _ in some])
            for some in _by_length(spelt, np.unique(np.delete(number, heads))).values()
        ]
        # going[n]: number of patterns with more than n parts.
        going = np.searchsorted(-counts, -np.arange(int(counts[0]) + 1)).tolist()
        self._head_ranks = _highest(len(distinct), node[going[0] :], rank[going[0] :])
        self._levels: list[_Level] = []
        nodes = len(distinct)
        for column, some in enumerate(going[:-1]):
            last = number[heads[order[:some]] + 1 + column]
            distinct, node = np.unique(last * nodes + node[:some], return_inverse=True)
            part, parent = np.divmod(distinct, nodes)
            nodes = len(distinct)
            ending = slice(going[column + 1], some)
            ends, is_end = node[ending], whole[ending]
            open_ranks = _highest(nodes, ends[~is_end], rank[ending][~is_end])
            whole_ranks = _highest(nodes, ends[is_end], rank[ending][is_end])
            self._levels.append(_Level(part, parent, open_ranks, whole_ranks))

    def best(self, octets: str) -> int:
        """The highest rank of the patterns that match a URL's octets; 0 if none does."""
        nowhere = len(octets) + 1
        place = np.full(len(self._head_ranks), nowhere, dtype=np.intp)
        for length, heads in self._heads.items():
            number = heads.get(octets[:length])
            if number is not None:
                place[number] = length
        best = int(self._head_ranks[place < nowhere].max(initial=0))
        places = Places(octets, self._parts, self._pieces)
        for level in self._levels:
            before = place.take(level.parent)
            alive = np.flatnonzero(before < nowhere)
            if not len(alive):
                break
            part = level.part.take(alive)
            behind = places.behind(part, before.take(alive))
            is_found = behind < nowhere
            best = max(best, int(level.ranks.take(alive[is_found]).max(initial=0)))
            best = max(best, int(level.whole_ranks.take(alive[is_found & places.is_at_end.take(part)]).max(initial=0)))
            place = np.full(len(before), nowhere, dtype=np.intp)
            place[alive] = behind
        return best


def _highest(size: int, nodes: _Ints, ranks: _Ranks) -> _Ranks:
    """The highest rank of each node, given in rising order."""
    highest = np.zeros(size, dtype=np.int32)
    highest[nodes] = ranks
    return highest


class _Numbers(dict[str, int]):
    """Numbers new keys from 0 on."""

    def __missing__(self, octets: str) -> int:
        number = self[octets] = len(self)
        return number


def _by_length(spelt: list[str], numbers: _Ints) -> dict[int, list[tuple[int, int]]]:
    """Numbers of pieces, each with its index, grouped by the length of the piece."""
    found: dict[int, list[tuple[int, int]]] = {}
    for at, number in enumerate(numbers.tolist()):
        found.setdefault(len(spelt[number]), []).append((number, at))
    return found


class _Parts(NamedTuple):
    """The sorted parts of one length, and their numbers."""

    spelt: npt.NDArray[np.bytes_]
    number: _Ints

    @classmethod
    def of(cls, spelt: list[str], numbers: list[int]) -> "_Parts":
        those = np.array(spelt, dtype=np.bytes_)
        order = np.argsort(those)
        return cls(those[order], np.array(numbers)[order])


class Places:
    """The places of parts in a URL.

    key   a number for a part that occurs and a place, ordered by part; all keys of parts that do not occur are equal
    """

    def __init__(self, octets: str, parts: Iterable[_Parts], pieces: int) -> None:
        """pieces: one more than the highest number of a part."""
        text, size = octets.encode(), len(octets)
        found = [_found(text, some) for some in parts if some.spelt.itemsize <= size]
        part, start, end = (np.concatenate(arrays) for arrays in zip(_NOT_ANY, *found, strict=True))
        self.is_at_end = np.zeros(pieces, dtype=np.bool_)
        self.is_at_end[part[end == size]] = True
        there = np.zeros(pieces, dtype=np.bool_)
        there[part] = True
        own = np.flatnonzero(there)
        rows, width = len(own) + 1, size + 1
        self._base = np.zeros(pieces, dtype=np.intp)  # of the keys, by part
        self._base[own] = np.arange(1, rows) * width
        # Behind its last occurrence a part is nowhere.
        keys = np.concatenate((self._base[part] + start, np.arange(rows) * width + size))
        order = np.argsort(keys)
        self._keys = keys[order]
        self._ends = np.concatenate((end, np.full(rows, size + 1)))[order]
        self._table: _Ints | None = None
        if rows * width <= _LARGEST_TABLE:
            self._table = np.repeat(self._ends, np.diff(self._keys, prepend=-1))

    def behind(self, part: _Ints, place: _Ints) -> _Ints:
        """The end of each part, looked for from its place on."""
        key = self._base.take(part) + place
        if self._table is not None:
            return self._table.take(key)
        return self._ends.take(np.searchsorted(self._keys, key))


_NOT_ANY = (np.zeros(0, dtype=np.intp),) * 3


def _found(octets: bytes, parts: _Parts) -> tuple[_Ints, _Ints, _Ints]:
    """Number, start and end of every occurrence of these parts."""
    length = parts.spelt.itemsize
    windows = np.ndarray(len(octets) - length + 1, parts.spelt.dtype, octets, strides=1)
    which = np.searchsorted(parts.spelt, windows)
    start = np.flatnonzero(parts.spelt.take(which, mode="clip") == windows)
    return parts.number[which[start]], start, start + length


_TARGET = re.compile(r"[^/?#]*//[^/?#]*([^#]*)")
# Marks in patterns as `_spelt` writes them, which occur in no spelling of an octet.
_STAR, _END, _NEXT = "\0", "\1", "\n"

_FEW = 64  # patterns up to which trying them one by one is faster
_MOST_FILED = 1_000  # patterns up to which looking for the longest piece of each is faster
# A file of 500 kB has fewer than 8,000 patterns of a longer part, and fewer than 1,000 of more parts.
_LONGEST_PART = 64
_MOST_PARTS = 256
_VALUES = 4
_NO_RULE = 1  # the rank of no match, which allows
_RankOf = dict[str, int]
_Files = dict[str, list[tuple[int, str]]]

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
    """The path of one rule.

    `head`: the begin of a matching URL; `parts`: texts that must follow, in order; `is_whole`: the last of these must
    be the end of the URL.
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


class Rules:
    """The rules of a group, given as (path as written, value).

    Patterns without stars are looked up: by the beginning of the URL for each of their lengths, and by the whole URL
    for those that end with $. Patterns with stars are a crowd.
    """

    def __init__(self, rules: Iterable[tuple[bytes, int]]) -> None:
        rules = list(rules)
        self._plain: _RankOf = {}
        self._whole: _RankOf = {}
        starred: _RankOf = {}
        for spelt, (_, value) in zip(_spelt(text for text, _ in rules), rules, strict=True):
            kind = starred if _STAR in spelt else self._whole if spelt.endswith(_END) else self._plain
            rank = _VALUES * len(spelt) + value
            if rank > kind.get(spelt, -1):
                kind[spelt] = rank
        self._lengths = sorted({len(octets) for octets in self._plain}, reverse=True)
        self._crowd = Crowd(starred)

    def allow(self, octets: str) -> bool:
        """The longest match decides, allow wins a tie, and without a match a URL is allowed (2.2.2)."""
        return self.value(octets) == 1

    def value(self, octets: str) -> int:
        """The value of the longest match, of several the greatest; without a match 1."""
        best = self._longest_plain(octets)
        if self._whole:
            best = max(best, self._whole.get(octets + _END, 0))
        return self._crowd.best(octets, best) % _VALUES

    def _longest_plain(self, octets: str) -> int:
        """The rank of the longest plain pattern that matches."""
        for length in self._lengths:
            rank = self._plain.get(octets[:length])
            if rank is not None and length <= len(octets):
                return rank
        return _NO_RULE


class Crowd:
    """Patterns with stars.

    A URL contains the longest piece of few of them, and these are tried one by one. Where there may be many, they are
    matched all at once in a trie, except for patterns with a long piece or very many: a file has few of those.
    """

    def __init__(self, ranks: _RankOf) -> None:
        """ranks: by pattern, as `_spelt` writes it."""
        self._made = _Made()
        long = {spelt: rank for spelt, rank in ranks.items() if len(spelt) > _LONGEST_PART and _is_long(spelt)}
        short = {spelt: rank for spelt, rank in ranks.items() if spelt not in long} if long else ranks
        self._is_crowd = len(short) > _MOST_FILED
        self._long = _filed(long)
        self._short = {} if self._is_crowd else _filed(short)
        self._trie = _trie_of(short) if self._is_crowd else None

    def best(self, octets: str, least: int) -> int:
        """The highest rank of the matching patterns, or `least` if that is higher."""
        some = _with_piece_in(octets, self._short)
        if self._is_crowd or len(some) > _FEW:
            least, some = max(least, self._best_at_once(octets)), []
        if self._long:
            some += _with_piece_in(octets, self._long)
        for rank, spelt in sorted(some, reverse=True):
            if rank <= least:
                break
            if self._made[spelt].matches(octets):
                return rank
        return least

    def _best_at_once(self, octets: str) -> int:
        if self._trie is None:
            self._trie = _trie_of({spelt: rank for file in self._short.values() for rank, spelt in file})
        return self._trie.best(octets)


def _is_long(spelt: str) -> bool:
    """True if a pattern has a part too long, or too many parts, for the trie."""
    [folded] = _folded([spelt])
    _, *parts = _pieces(folded)
    return len(parts) > _MOST_PARTS or max(map(len, parts), default=0) > _LONGEST_PART


def _filed(ranks: _RankOf) -> _Files:
    """Patterns by the longest of their pieces."""
    files: _Files = {}
    for folded, (spelt, rank) in zip(_folded(ranks), ranks.items(), strict=True):
        files.setdefault(max(_pieces(folded), key=len), []).append((rank, spelt))
    return files


def _with_piece_in(octets: str, files: _Files) -> list[tuple[int, str]]:
    return [one for piece, file in files.items() if piece in octets for one in file]


def _trie_of(ranks: _RankOf) -> Trie:
    folded = _folded(ranks)
    pieces = _NEXT.join(folded).replace(_END, "").replace(_STAR, _NEXT).split(_NEXT)
    return Trie(
        pieces, [own.count(_STAR) for own in folded], list(ranks.values()), [own.endswith(_END) for own in folded]
    )


class _Made(dict[str, Pattern]):
    """Compiled patterns by spelling, made on first use."""

    def __missing__(self, spelt: str) -> Pattern:
        pattern = self[spelt] = Pattern.of(spelt)
        return pattern


def _folded(spelt: Iterable[str]) -> list[str]:
    """Patterns without needless stars: those behind another star, and at the end, also before a $."""
    text = _NEXT.join([*spelt, ""])
    while _STAR + _STAR in text:
        text = text.replace(_STAR + _STAR, _STAR)
    return text.replace(_STAR + _END + _NEXT, _NEXT).replace(_STAR + _NEXT, _NEXT).split(_NEXT)[:-1]


def _pieces(folded: str) -> list[str]:
    """The head of a pattern, and its parts."""
    return folded.removesuffix(_END).split(_STAR)
