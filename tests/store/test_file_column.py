"""A column on disk against an array."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.errors import StoreError
from minicrawl.store.file_column import FileColumn

ROOM = 40
PLACES = st.integers(0, ROOM - 1)
NUMBERS = st.floats(allow_nan=False)


@given(st.lists(NUMBERS, max_size=9), st.lists(st.tuples(PLACES, PLACES, NUMBERS), max_size=9))
def test_column_on_disk_reads_like_an_array(start: list[float], deeds: list[tuple[int, int, float]]) -> None:
    column, array = FileColumn(np.array(start), Path(tempfile.gettempdir())), np.zeros(ROOM)
    array[: len(start)] = start
    for first, stop, number in deeds:
        for each in (column, array):
            each[first] = number
            if first < stop:
                each[first:stop] = np.arange(stop - first) + number
            each[stop : stop + 2] = number
        assert column[stop] == array[stop]
    assert column[:ROOM].tolist() == array.tolist()
    assert column[3:ROOM].tolist() == array[3:].tolist()
    for some in ([7, 0, 30], [], [5], [0, ROOM + 999], range(ROOM)):
        assert column[np.array(some, dtype=np.int32)].tolist() == [array[page] if page < ROOM else 0.0 for page in some]


def test_disk_that_fails_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"temporary files in .*missing cannot be used"):
        FileColumn(np.zeros(3), tmp_path / "missing")
