"""The arrays that the book keeps per page: their types, growth, and iteration in slices."""

from collections.abc import Iterator
from typing import TypeVar

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Pages = npt.NDArray[np.integer]
"""Page numbers; on disk and in the link table they are int32."""
Flags = npt.NDArray[np.bool_]

BLOCK = 2**18
"""Pages processed together in a pass over all: intermediate results take megabytes, however many pages there are."""


_Kind = TypeVar("_Kind", bound=np.generic)


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


def grown(column: npt.NDArray[_Kind], size: int) -> npt.NDArray[_Kind]:
    """The column with room for `size` rows: itself, or a copy at least twice as long, padded with zeros.

    Room never written to takes no memory, only addresses.
    """
    if size <= len(column):
        return column
    longer = np.zeros(max(size, 2 * len(column), 64), dtype=column.dtype)
    longer[: len(column)] = column
    return longer
