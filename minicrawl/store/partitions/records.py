"""Messages between partitions: for each URL, the changes of its mirror since the last hand-over.

As bytes: the number of records (4 bytes), each column in turn, then all text, a line each; integers little endian. The
text has `voices` in decimals, where there are any.
"""

import re
from collections.abc import Sequence
from itertools import chain
from typing import Any, NamedTuple  # Any: arrays

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int64]
_COUNT = np.dtype("<u4")
_DIGITS = 10
_URL = re.compile(r"https?://[^\x00-\x20\x7f/]+/")
_COLUMNS = {"cash": "<i8", "received": "<i8", "inlinks": "<i4", "depth": "<i4", "chain_length": "|i1"}


class Records(NamedTuple):
    """Distinct URLs, and in every other field a value per URL.

    `found_on`: the page that made the URL known, if its home may not know it yet; else "".
    `cash`: of the mirror. `received`, `inlinks`: changes since. `depth`, `chain_length`: as of now.
    `voices`: increase of linking sites, see voices.py; empty unless random surfers jump to sites.
    """

    urls: list[str]
    found_on: list[str]
    cash: IntArray
    received: IntArray
    inlinks: npt.NDArray[np.int32]
    depth: npt.NDArray[np.int32]
    chain_length: npt.NDArray[np.int8]
    voices: IntArray = np.zeros(0, dtype=np.int64)

    @property
    def credit(self) -> int:
        """Sum of the positive numbers of `received`."""
        return int(self.received.sum(where=self.received > 0))

    @property
    def debit(self) -> int:
        """Sum of the negative numbers of `received`, without sign."""
        return -int(self.received.sum(where=self.received < 0))


def to_bytes(records: Records) -> bytes:
    text = "\n".join([*records.urls, *records.found_on, *map(str, records.voices.tolist())]).encode()
    columns = (np.asarray(getattr(records, name)).astype(kind).tobytes() for name, kind in _COLUMNS.items())
    return b"".join([np.array(len(records.urls), _COUNT).tobytes(), *columns, text])


def joined(each: Sequence[Records]) -> Records:
    """The records of several senders as those of one: changes are added up, and the least depth counts."""
    numbers: dict[str, int] = {}
    each = [one for one in each if one.urls] or each[:1]
    of = np.array([numbers.setdefault(url, len(numbers)) for one in each for url in one.urls], dtype=np.int64)
    found_on = [""] * len(numbers)
    for number, page in zip(of.tolist(), chain.from_iterable(one.found_on for one in each), strict=True):
        found_on[number] = found_on[number] or page

    def combined(name: str, by: np.ufunc, first: int) -> npt.NDArray[Any]:
        columns = [getattr(one, name) for one in each]
        result = np.full(len(numbers), first, dtype=columns[0].dtype)
        by.at(result, of, np.concatenate(columns))
        return result

    added = {name: combined(name, np.add, 0) for name in ("cash", "received", "inlinks")}
    depth = combined("depth", np.minimum, np.iinfo(np.int32).max)
    records = Records(
        list(numbers), found_on, **added, depth=depth, chain_length=combined("chain_length", np.maximum, 0)
    )
    has_voices = bool(numbers) and all(len(one.voices) for one in each)
    return records._replace(voices=combined("voices", np.add, 0)) if has_voices else records


def from_bytes(packed: bytes) -> Records:
    """Unpack records. Raises ValueError for invalid ones."""
    if len(packed) < _COUNT.itemsize:
        raise ValueError("records have no number")
    count = int(np.frombuffer(packed, _COUNT, 1)[0])
    start, columns = _COUNT.itemsize, {}
    for name, kind in _COLUMNS.items():
        columns[name] = np.frombuffer(packed, kind, count, start).astype(np.dtype(kind).newbyteorder("="))
        start += count * np.dtype(kind).itemsize
    lines = packed[start:].decode().split("\n") if count else []
    if len(lines) not in (2 * count, 3 * count):
        raise ValueError(f"{count} records have {len(lines)} lines of text")
    voices = np.array([int(number[:_DIGITS]) for number in lines[2 * count :]], dtype=np.int64)
    records = Records(lines[:count], lines[count : 2 * count], **columns, voices=voices)
    for url in (*records.urls, *filter(None, records.found_on)):
        if not _URL.match(url):
            raise ValueError(f"{url[:100]!r} is no URL")
    if len(set(records.urls)) < count or (count and min(records.depth.min(), records.chain_length.min()) < 0):
        raise ValueError("records have a URL twice, or a depth below 0")
    return records
