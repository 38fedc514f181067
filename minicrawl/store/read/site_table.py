"""Sites, their doors, and the voices that other sites have for pages: empty where walkers jump to all pages alike."""

from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.store.read.tables import Tables, columns

IntArray = npt.NDArray[np.int64]


class SiteRow(NamedTuple):
    """A row of `sites`."""

    id: int
    name: str
    trust: float
    page_level: int
    door_level: int


class DoorRow(NamedTuple):
    """A row of `doors`."""

    page: int
    is_front: int
    weight: int


class VoiceRow(NamedTuple):
    """A row of `voices`."""

    page: int
    site: int
    links: int


class SiteTable:
    """Reads the tables `sites`, `doors` and `voices`, and which site a host belongs to."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def all(self) -> list[SiteRow]:
        """All sites by number."""
        return self._tables.records(SiteRow, "sites ORDER BY id")

    def of_hosts(self) -> IntArray:
        """The number of the site of every host, by hosts.id; 0 where none is kept."""
        return self._array("SELECT coalesce(site, 0) FROM hosts ORDER BY id", 1).reshape(-1)

    def doors(self) -> IntArray:
        """Rows of `doors`, shape (doors, 3)."""
        return self._array(f"SELECT {columns(DoorRow)} FROM doors", 3)

    def voices(self) -> IntArray:
        """Rows of `voices`, shape (voices, 3)."""
        return self._array(f"SELECT {columns(VoiceRow)} FROM voices", 3)

    def _array(self, query: str, width: int) -> IntArray:
        blocks = self._tables.blocks(query, self._tables.sizes.rows)
        packed = [np.fromiter(chain.from_iterable(rows), np.int64, width * len(rows)) for rows in blocks]
        return np.concatenate([np.zeros(0, dtype=np.int64), *packed]).reshape(-1, width)
