"""Messages between partitions: for each URL, the changes of its mirror since the last hand-over.

As bytes: the columns of `Records` in JSON.
"""

import json
from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from typing import Any, NamedTuple  # Any: arrays

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
_KINDS = (np.int64, np.int32, np.int32, np.int8, np.int64)


class Records(NamedTuple):
    """Distinct URLs, and in every other field a value per URL.

    `found_on`: the page that made the URL known, if its home may not know it yet; else "".
    `received`, `inlinks`: changes since. `depth`, `chain_length`: as of now.
    `voices`: increase of the voices here for a page (opic/sites.py); 0 unless random surfers jump to sites.
    """

    urls: list[str]
    found_on: list[str]
    received: IntArray
    inlinks: npt.NDArray[np.int32]
    depth: npt.NDArray[np.int32]
    chain_length: npt.NDArray[np.int8]
    voices: IntArray


class Sums(NamedTuple):
    """Sums over the records of a row. credit, debit: of the positive and negative numbers of `received`, both without
    sign."""

    received: int
    credit: int
    debit: int


def sums(records: Records, ends: Sequence[int]) -> list[Sums]:
    """The sums of consecutive rows. ends: for each, the index behind its last record."""
    columns = (records.received, np.maximum(records.received, 0))
    bounds = np.array([0, *ends])
    each = (np.diff(np.concatenate([[0], np.cumsum(column)])[bounds]).tolist() for column in columns)
    return [Sums(received, credit, credit - received) for received, credit in zip(*each, strict=True)]


def joined(records: Records) -> Records:
    """Records of several senders as those of one: changes for a URL are added up, and the least depth counts."""
    numbers: dict[str, int] = {}
    of = np.array([numbers.setdefault(url, len(numbers)) for url in records.urls], dtype=np.int64)
    if len(numbers) == len(of):
        return records
    found_on = [""] * len(numbers)
    for number, page in zip(of.tolist(), records.found_on, strict=True):
        found_on[number] = found_on[number] or page

    def combined(name: str, by: np.ufunc, first: int) -> npt.NDArray[Any]:
        column = getattr(records, name)
        result = np.full(len(numbers), first, dtype=column.dtype)
        by.at(result, of, column)
        return result

    added = {name: combined(name, np.add, 0) for name in ("received", "inlinks", "voices")}
    depth = combined("depth", np.minimum, np.iinfo(np.int32).max)
    chain_length = combined("chain_length", np.maximum, 0)
    return Records(list(numbers), found_on, **added, depth=depth, chain_length=chain_length)


def packed(records: Records, ends: Sequence[int]) -> list[bytes]:
    """Consecutive rows as bytes. ends: for each, the index behind its last record."""
    columns = [np.asarray(column).tolist() for column in records]
    return [json.dumps([column[start:end] for column in columns]).encode() for start, end in pairwise([0, *ends])]


def unpacked(rows: Sequence[bytes]) -> tuple[Records, list[int]]:
    """Unpack rows. Returns the records of all, and for each row the index behind its last. Raises ValueError if one is
    invalid.

    No row has a URL twice, but two may have the same.
    """
    each = list(map(_columns_of, rows))
    columns = [list(chain(*column)) for column in zip(*each, strict=True)]
    urls, found_on, *numbers = columns
    return Records(urls, found_on, *map(np.array, numbers, _KINDS)), list(accumulate(len(one[0]) for one in each))


def _columns_of(row: bytes) -> list[list[Any]]:
    columns: list[list[Any]] = json.loads(row)
    sizes = list(map(len, columns))
    if len(sizes) != len(Records._fields) or len({*sizes}) > 1:
        raise ValueError(f"records have columns of {sizes}")
    return columns
