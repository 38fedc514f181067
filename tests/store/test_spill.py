"""Arrays on disk come back as they were, and go with the spill."""

from pathlib import Path

import numpy as np
import pytest

from minicrawl.errors import StoreError
from minicrawl.store.spill import Spill


def test_groups_come_back_in_order_and_with_their_types(tmp_path: Path) -> None:
    with Spill(tmp_path) as spill:
        spill.append(1, (np.array([1, 2], dtype=np.int32), np.array([], dtype=np.float64)))
        spill.append(2, ())
        spill.append(1, (np.array([True]),))
        first, second = spill.read(1)
        assert [array.tolist() for array in first + second] == [[1, 2], [], [True]]
        assert [array.dtype for array in first + second] == [np.int32, np.float64, np.bool_]
        assert list(spill.read(2)) == [()]
        assert list(spill.read(3)) == []


def test_put_replaces(tmp_path: Path) -> None:
    with Spill(tmp_path) as spill:
        spill.put(0, np.arange(9.0))
        spill.put(0, np.array([0.5]))
        assert spill.get(0).tolist() == [0.5]
    assert list(tmp_path.iterdir()) == []


def test_disk_that_fails_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"temporary files in .*nowhere cannot be used"):
        Spill(tmp_path / "nowhere")
    with Spill(tmp_path) as spill, pytest.raises(StoreError, match="make room there"):
        spill.get(7)
