"""What a page passes along its links, in whole units, and the arrays that both books keep per page.

d     damping factor, 17/20 = .85: the share of its cash that a page passes along its links
h     cash a page has forwarded in all
o     number of counted outlinks
"""

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]
Pages = npt.NDArray[np.integer[Any]]
"""Page numbers; on disk and in the link table they are int32."""

Flags = npt.NDArray[np.bool_]

DAMPING = 0.85
BLOCK = 2**18
"""So many pages are looked at together where all are: what is worked out of them takes megabytes, however many."""


class Numbers(Protocol):
    """A float64 per page: an array, or what reads and writes like one."""

    def __len__(self) -> int: ...

    def __getitem__(self, pages: Any, /) -> Any: ...

    def __setitem__(self, pages: Any, numbers: Any, /) -> None: ...


_Column = TypeVar("_Column", bound=Numbers)


def damped(cash: int) -> int:
    """floor(.85 cash), exact for any integer."""
    return 17 * cash // 20


def sigma(h: int, o: int) -> int:
    """Units that a page with `h` forwarded in all has sent along each of its `o` links.

    sigma(h, o) = floor(floor(.85 h) / o), 0 when o = 0

    The floor is taken of the sum, not of each payment: so after any number of visits a link has carried
    exactly sigma(h, o), and Lemma 2.3 of the paper holds in integers.
    """
    return damped(h) // o if o else 0


def dampeds(cash: IntArray) -> IntArray:
    """`damped` for arrays. 17 * cash could pass 2**63, so the multiple of 20 is taken out first."""
    twentieths = cash // 20
    return 17 * twentieths + 17 * (cash - 20 * twentieths) // 20


def sigmas(h: IntArray, o: IntArray) -> IntArray:
    """`sigma` for arrays."""
    return np.where(o > 0, dampeds(h) // np.maximum(o, 1), 0)


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
