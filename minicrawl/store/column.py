"""A number per page on disk, for what is needed at a page's own turn only."""

import errno
import os
import tempfile
import weakref
from pathlib import Path
from typing import Any

import numpy as np

from minicrawl.store.spill import disk_errors

_BYTES = 8
_ROOM = 2**31
"""Page numbers are int32."""
_DENSE = 64
"""To read so many numbers takes as long as to ask for one."""


class FileColumn:
    """Reads and writes like an array of float64 with room for all pages there can be; 0.0 where nothing was written.

    It is a temporary file that goes with it. All methods raise StoreError when the disk fails.
    """

    def __init__(self, start: Any, folder: Path) -> None:
        """start: what the first pages have. folder: where the file is made."""
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
            return np.array([self._read(page, 1)[0] for page in pages.tolist()], dtype=np.float64)
        return self._read(pages, 1)[0]

    def __setitem__(self, pages: Any, values: Any) -> None:
        """pages: a number, or a slice with an end."""
        first, stop = (pages.start or 0, pages.stop) if isinstance(pages, slice) else (pages, pages + 1)
        written = np.broadcast_to(np.asarray(values, dtype=np.float64), stop - first).tobytes()
        with disk_errors(None):
            if os.pwrite(self._file, written, _BYTES * first) < len(written):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def _read(self, first: int, count: int) -> Any:
        with disk_errors(None):
            read = os.pread(self._file, _BYTES * count, _BYTES * first)
        return np.frombuffer(read.ljust(_BYTES * count, b"\0"))
