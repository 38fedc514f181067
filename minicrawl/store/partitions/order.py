"""Pages of all partitions in one order, best first, read lazily.

Each partition sorts its pages by itself, and the sorted numbers of all are kept on disk. The rows of a partition are
read some at a time, whenever the merge has used up those before.
"""

from collections.abc import Callable, Iterator
from heapq import merge
from tempfile import TemporaryFile
from typing import IO

import numpy as np

from minicrawl.store.partitions.numbers import Numbers
from minicrawl.store.ranks import RankedPage, Worth
from minicrawl.store.reader import Store
from minicrawl.store.spill import disk_errors

_FIRST, _LEAST = 16, 32
"""Rows of a partition read at first, doubled each time; and the least number that this may grow to."""
_ROWS = 2**13
"""Rows of all partitions in memory at once, unless there are so many that each has the least."""
_SORTED = np.dtype([("page", "<i8"), ("value", "<f8"), ("tie", "<f8")])


def best_first(numbers: Numbers, worth_of: Callable[[int, Store], Worth]) -> Iterator[tuple[int, RankedPage, float]]:
    """Pages by falling value, then falling tie, then number: the number, row without rank, and value of each.

    worth_of: of a partition's pages, by local numbers.
    """
    with disk_errors(None), TemporaryFile(prefix="minicrawl-") as file:
        counts = []
        for number, part in enumerate(numbers.parts):
            worth = worth_of(number, part)
            some = np.empty(len(worth.page), dtype=_SORTED)
            some["page"], some["value"], some["tie"] = worth
            file.write(some[np.lexsort((worth.page, -worth.tie, -worth.value))].tobytes())
            counts.append(len(some))
        most = max(_ROWS // len(counts), _LEAST)
        starts = np.cumsum([0, *counts[:-1]]).tolist()
        each = (
            _rows(numbers, number, file, range(start, start + count), most)
            for number, (start, count) in enumerate(zip(starts, counts, strict=True))
        )
        for _, found in merge(*each):
            yield found


def _rows(
    numbers: Numbers, number: int, file: IO[bytes], places: range, most: int
) -> Iterator[tuple[tuple[float, float, int], tuple[int, RankedPage, float]]]:
    """The sorted pages of a partition, each after its sort key. places: of them in the file; most: read at once."""
    size, part = min(_FIRST, most), numbers.parts[number]
    while places:
        file.seek(places.start * _SORTED.itemsize)
        some = np.frombuffer(file.read(len(places[:size]) * _SORTED.itemsize), _SORTED)
        places, size = places[size:], min(2 * size, most)
        own, in_all = some["page"].tolist(), numbers.to_all(number, some["page"]).tolist()
        rows = part.ranks.rows(own)
        for here, page, value, tie in zip(own, in_all, some["value"].tolist(), some["tie"].tolist(), strict=True):
            yield (-value, -tie, page), (page, rows[here], value)
