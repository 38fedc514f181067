"""Temporary arrays on disk, read in the order written: for data that exceeds memory."""

import marshal
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any  # Any: arrays

import numpy as np
import numpy.typing as npt

from minicrawl.errors import StoreError

_BUFFER = 2**13  # bytes; by default 2**17 since Python 3.14, which is not in anybody's plan of memory


class Spill(AbstractContextManager["Spill"]):
    """A temporary folder of one-dimensional arrays by block number, deleted at the end of a with block.

    A block has groups of arrays, which are appended and read in order, and one array that is put and got. All methods
    raise StoreError when the disk fails.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        """folder: the parent; None: the one for temporary files (TMPDIR)."""
        with disk_errors(folder):
            self._folder = tempfile.TemporaryDirectory(prefix="minicrawl-", dir=folder)
        self._path = Path(self._folder.name)

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def append(self, block: int, arrays: tuple[npt.NDArray[Any], ...]) -> None:
        """Append a group of arrays to the block."""
        with disk_errors(self._path), self._groups(block).open("ab", _BUFFER) as file:
            marshal.dump([(array.dtype.str, array.tobytes()) for array in arrays], file)

    def read(self, block: int) -> Iterator[tuple[npt.NDArray[Any], ...]]:
        """The groups of the block, none when nothing was appended; the arrays are read-only."""
        path = self._groups(block)
        with disk_errors(self._path):
            if not path.exists():
                return
            with path.open("rb", _BUFFER) as file:
                while file.tell() < path.stat().st_size:
                    yield tuple(np.frombuffer(data, kind) for kind, data in marshal.load(file))

    def put(self, block: int, array: npt.NDArray[Any]) -> None:
        """Store the block's array as float64, replacing the one before."""
        with disk_errors(self._path):
            array.astype(np.float64, copy=False).tofile(self._column(block))

    def get(self, block: int) -> npt.NDArray[np.float64]:
        with disk_errors(self._path):
            return np.fromfile(self._column(block), dtype=np.float64)

    def _groups(self, block: int) -> Path:
        return self._path / f"{block}.groups"

    def _column(self, block: int) -> Path:
        return self._path / f"{block}.column"


@contextmanager
def disk_errors(folder: str | Path | None) -> Iterator[None]:
    """Turn errors of temporary files in a folder (None: the default one) into a StoreError with the way out."""
    try:
        yield
    except OSError as error:
        usual = tempfile.gettempdir()
        where = str(folder or usual)
        way_out = "make room there or set TMPDIR" if where.startswith(usual) else "make room there"
        raise StoreError(f"temporary files in {where} cannot be used: {error.strerror or error}; {way_out}") from error
