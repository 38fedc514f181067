"""A number per page on disk, for values needed only at a page's own turn."""

import errno
import os
import struct
import tempfile
import weakref
from pathlib import Path
from typing import Any  # Any: arrays

import numpy as np

from minicrawl.store.spill import disk_error, disk_errors
from minicrawl.system import read_at, write_at

_NUMBER = struct.Struct("=d")
_ROOM = 2**31
"""Page numbers are int32."""
_DENSE = 64
"""Numbers whose sequential read takes as long as one random read."""


class FileColumn:
    """An array of float64 in a temporary file, with room for all possible pages; unwritten elements are 0.0.

    The file is deleted with the array. All methods raise StoreError when the disk fails.
    """

    def __init__(self, start: Any, folder: Path) -> None:
        """start: values of the first pages. folder: for the file."""
        self._folder = folder
        with disk_errors(folder), tempfile.TemporaryFile(dir=folder) as file:
            self._file = os.dup(file.fileno())
        weakref.finalize(self, os.close, self._file)
        self[: len(start)] = start

    def __len__(self) -> int:
        return _ROOM

    def __getitem__(self, pages: Any) -> Any:
        """pages: a number, a slice with an end, or an array of numbers."""
        if isinstance(pages, slice):
            first = pages.start or 0
            return self._read(first, pages.stop - first)
        if isinstance(pages, np.ndarray):
            first, last = (int(pages.min()), int(pages.max())) if len(pages) else (0, 0)
            if last - first < _DENSE * len(pages):
                return self._read(first, last - first + 1)[pages - first]
            return np.fromiter(map(self._number, pages.tolist()), dtype=np.float64, count=len(pages))
        return self._number(pages)

    def __setitem__(self, pages: Any, values: Any) -> None:
        """pages: a number, or a slice with an end."""
        if isinstance(pages, slice):
            first = pages.start or 0
            written = np.broadcast_to(np.asarray(values, dtype=np.float64), pages.stop - first).tobytes()
        else:
            first, written = int(pages), _NUMBER.pack(values)
        try:
            if write_at(self._file, written, _NUMBER.size * first) < len(written):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            raise disk_error(self._folder, error) from error

    def _read(self, first: int, count: int) -> Any:
        size = _NUMBER.size * count
        return np.frombuffer(self._octets(first, size).ljust(size, b"\0"))

    def _number(self, page: int) -> float:
        octets = self._octets(page, _NUMBER.size)
        number: float = _NUMBER.unpack(octets)[0] if octets else 0.0
        return number

    def _octets(self, first: int, size: int) -> bytes:
        """Bytes of the file, which ends with the last number written."""
        try:
            return read_at(self._file, size, _NUMBER.size * int(first))
        except OSError as error:
            raise disk_error(self._folder, error) from error
