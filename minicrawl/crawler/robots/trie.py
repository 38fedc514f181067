"""Which of many patterns with stars match a URL: all are matched at once, and what they begin with in common but once.

piece   what is between two stars of a pattern: first its head, with which a URL must begin, then its parts
node    patterns that begin with the same pieces are one node as far as these go; nodes of so many parts are a level
place   in a URL, between two octets of it; `nowhere` is a place beyond its end

Each part is looked for where the one before it ended (so a node has one place, whichever patterns it stands for), and
for a whole level in one array. So a question costs a few nanoseconds a node, whatever patterns and URL are like.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

_LARGEST_TABLE = 1 << 20  # of a number for each key; a larger one would take longer to make than to do without
_Ints = npt.NDArray[np.intp]
_Ranks = npt.NDArray[np.int32]


class _Level(NamedTuple):
    """The nodes of one number of parts, in the order of their last parts.

    `ranks`: the highest of the patterns that end there; `whole_ranks`: of those that must end where the URL does; or 0.
    """

    part: _Ints
    parent: _Ints
    ranks: _Ranks
    whole_ranks: _Ranks


class Trie:
    """Patterns; of those that match, the highest rank is asked for."""

    def __init__(self, pieces: list[str], parts: list[int], ranks: list[int], is_whole: list[bool]) -> None:
        """pieces: of all patterns, one behind the other. Of each, `parts`: how many of these are parts; `ranks`: above
        0; `is_whole`: whether the last part must be the end of the URL."""
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
        # How many patterns have more parts than so many.
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
    """Numbers whatever it is asked for, from 0 on."""

    def __missing__(self, octets: str) -> int:
        number = self[octets] = len(self)
        return number


def _by_length(spelt: list[str], numbers: _Ints) -> dict[int, list[tuple[int, int]]]:
    """Some pieces' numbers, each with its place among these, by the pieces' lengths."""
    found: dict[int, list[tuple[int, int]]] = {}
    for at, number in enumerate(numbers.tolist()):
        found.setdefault(len(spelt[number]), []).append((number, at))
    return found


class _Parts(NamedTuple):
    """Parts of one length, in their order, and the number of each."""

    spelt: npt.NDArray[np.bytes_]
    number: _Ints

    @classmethod
    def of(cls, spelt: list[str], numbers: list[int]) -> "_Parts":
        those = np.array(spelt, dtype=np.bytes_)
        order = np.argsort(those)
        return cls(those[order], np.array(numbers)[order])


class Places:
    """Where in a URL parts are.

    key   a number for a part that is there and a place, by the part first; all keys of parts that are not are alike
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
        self._base = np.zeros(pieces, dtype=np.intp)  # of the keys of each part
        self._base[own] = np.arange(1, rows) * width
        # Behind the last place where a part is, it is nowhere.
        keys = np.concatenate((self._base[part] + start, np.arange(rows) * width + size))
        order = np.argsort(keys)
        self._keys = keys[order]
        self._ends = np.concatenate((end, np.full(rows, size + 1)))[order]
        self._table: _Ints | None = None
        if rows * width <= _LARGEST_TABLE:
            self._table = np.repeat(self._ends, np.diff(self._keys, prepend=-1))

    def behind(self, part: _Ints, place: _Ints) -> _Ints:
        """Where each of some parts ends that is looked for from a place of its own on."""
        key = self._base.take(part) + place
        if self._table is not None:
            return self._table.take(key)
        return self._ends.take(np.searchsorted(self._keys, key))


_NOT_ANY = (np.zeros(0, dtype=np.intp),) * 3


def _found(octets: bytes, parts: _Parts) -> tuple[_Ints, _Ints, _Ints]:
    """Number, start and end of each of some parts, as often as it is there."""
    length = parts.spelt.itemsize
    windows = np.ndarray(len(octets) - length + 1, parts.spelt.dtype, octets, strides=1)
    which = np.searchsorted(parts.spelt, windows)
    start = np.flatnonzero(parts.spelt.take(which, mode="clip") == windows)
    return parts.number[which[start]], start, start + length
