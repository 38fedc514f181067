"""Messages between partitions: for each URL, the changes of its mirror since the last hand-over.

As bytes: the number of records (4 bytes), each column in turn, then all text, a line each; integers little endian. The
text has `voices` in decimals, where there are any.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple  # Any: arrays

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
_COUNT = 4
"""Bytes of the number of records."""
_COLUMNS = {"received": "<i8", "inlinks": "<i4", "depth": "<i4", "chain_length": "|i1"}
_SIZES = [np.dtype(kind).itemsize for kind in _COLUMNS.values()]


class Records(NamedTuple):
    """Distinct URLs, and in every other field a value per URL.

    `found_on`: the page that made the URL known, if its home may not know it yet; else "".
    `received`, `inlinks`: changes since. `depth`, `chain_length`: as of now.
    `voices`: increase of the voices here for a page (opic/sites.py); empty unless random surfers jump to sites.
    """

    urls: list[str]
    found_on: list[str]
    received: IntArray
    inlinks: npt.NDArray[np.int32]
    depth: npt.NDArray[np.int32]
    chain_length: npt.NDArray[np.int8]
    voices: IntArray = np.zeros(0, dtype=np.int64)


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

    added = {name: combined(name, np.add, 0) for name in ("received", "inlinks")}
    depth = combined("depth", np.minimum, np.iinfo(np.int32).max)
    chain_length = combined("chain_length", np.maximum, 0)
    voices = combined("voices", np.add, 0) if len(records.voices) else records.voices
    return Records(list(numbers), found_on, **added, depth=depth, chain_length=chain_length, voices=voices)


def to_bytes(records: Records) -> bytes:
    return packed(records, [len(records.urls)])[0]


def packed(records: Records, ends: Sequence[int]) -> list[bytes]:
    """Consecutive rows as bytes. ends: for each, the index behind its last record."""
    columns = [np.asarray(getattr(records, name)).astype(kind) for name, kind in _COLUMNS.items()]
    texts = (records.urls, records.found_on, list(map(str, records.voices.tolist())))
    return [
        b"".join(
            [
                (end - start).to_bytes(_COUNT, "little"),
                *(column[start:end].tobytes() for column in columns),
                "\n".join([line for text in texts for line in text[start:end]]).encode(),
            ]
        )
        for start, end in pairwise([0, *ends])
    ]


def from_bytes(row: bytes) -> Records:
    """Unpack a row. Raises ValueError for an invalid one."""
    return unpacked([row])[0]


def unpacked(rows: Sequence[bytes]) -> tuple[Records, list[int]]:
    """Unpack rows. Returns the records of all, and for each row the index behind its last. Raises ValueError if one is
    invalid.

    No row has a URL twice, but two may have the same. Unless all with records have voices, none are returned.
    """
    urls: list[str] = []
    found_on: list[str] = []
    voices: list[str] = []
    columns: list[list[bytes]] = [[] for _ in _COLUMNS]
    ends = []
    for row in rows:
        if len(row) < _COUNT:
            raise ValueError("records have no number")
        count, start = int.from_bytes(row[:_COUNT], "little"), _COUNT
        for parts, size in zip(columns, _SIZES, strict=True):
            parts.append(row[start : start + count * size])
            start += count * size
        lines = row[start:].decode().split("\n") if count else []
        if len(lines) not in (2 * count, 3 * count):
            raise ValueError(f"{count} records have {len(lines)} lines of text")
        urls += lines[:count]
        found_on += lines[count : 2 * count]
        voices += lines[2 * count :]
        ends.append(len(urls))
    numbers = {
        name: np.frombuffer(b"".join(parts), kind).astype(np.dtype(kind).newbyteorder("="))
        for (name, kind), parts in zip(_COLUMNS.items(), columns, strict=True)
    }
    if len(voices) < len(urls):
        voices = []
    return Records(urls, found_on, **numbers, voices=np.array(list(map(int, voices)), dtype=np.int64)), ends
