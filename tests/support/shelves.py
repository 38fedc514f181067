"""A shelf for blocks of ranks that is in memory after all."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from minicrawl.rank.blocks import Arrays


class MemoryShelf:
    """As `minicrawl.store.spill.Spill`, without a file."""

    def __init__(self) -> None:
        self.groups: dict[int, list[Arrays]] = defaultdict(list)
        self.columns: dict[int, Any] = {}

    def append(self, block: int, arrays: Arrays) -> None:
        self.groups[block].append(arrays)

    def read(self, block: int) -> Iterator[Arrays]:
        return iter(self.groups[block])

    def put(self, block: int, array: Any) -> None:
        self.columns[block] = array

    def get(self, block: int) -> Any:
        return self.columns[block]
