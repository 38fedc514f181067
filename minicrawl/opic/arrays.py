"""The arrays that both books keep per page: their types, how they grow, and how they are gone through in slices."""

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar  # Any: arrays

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Pages = npt.NDArray[np.integer]
"""Page numbers; on disk and in the link table they are int32."""
Flags = npt.NDArray[np.bool_]

BLOCK = 2**18
"""So many pages are looked at together where all are: what is worked out of them takes megabytes, however many."""


class Numbers(Protocol):
    """A float64 per page: an array, or what reads and writes like one."""

    def __len__(self) -> int: ...

    def __getitem__(self, pages: Any, /) -> Any: ...

    def __setitem__(self, pages: Any, numbers: Any, /) -> None: ...


_Column = TypeVar("_Column", bound=Numbers)


def slices(size: int, block: int | None = None) -> Iterator[slice]:
    """0..size-1, a block (BLOCK) at a time."""
    block = block or BLOCK
    return (slice(start, min(start + block, size)) for start in range(0, size, block))


def flagged(flags: Flags) -> npt.NDArray[np.int32]:
    """Pages whose flag is set, rising."""
    pages, filled = np.empty(np.count_nonzero(flags), dtype=np.int32), 0
    for rows in slices(len(flags)):
        some = np.flatnonzero(flags[rows]) + rows.start
        pages[filled : filled + len(some)] = some
        filled += len(some)
    return pages


def order_of(numbers: Pages) -> IntArray:
    """Where numbers stand that rise, equal ones in the order in which they came. numbers: 0 to 2^32 - 1.

    Half by half, the lower first: NumPy sorts 16 bits by counting them, in a fourth of the time that 32 take.
    """
    order = numbers.astype(np.uint16).argsort(kind="stable")
    return order[(numbers >> 16).astype(np.uint16)[order].argsort(kind="stable")]


def grown(column: _Column, size: int) -> _Column:
    """The column with room for `size` rows: itself, or a copy at least twice as long, filled up with zeros.

    Room that nothing was written to takes no memory, only addresses.
    """
    if size <= len(column):
        return column
    assert isinstance(column, np.ndarray)
    longer = np.zeros(max(size, 2 * len(column), 64), dtype=column.dtype)
    longer[: len(column)] = column
    return longer  # type: ignore[return-value]
