"""Groups of pages that are likely to link alike: pages of an owner, of a host, of a folder.

The URL alone decides on a page's finest group, and so on its folders, host and owner. A folder is one of the first
FOLDERS of a path; pages beside a folder form a group of their own on the levels below.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from minicrawl.crawler.urls.keys import site_of

FOLDERS = 3

Levels = list[npt.NDArray[np.int64]]


class UrlGroups:
    """Groups of URLs, numbered in the order in which `of` first met them."""

    def __init__(self) -> None:
        self._of_directory: dict[str, int] = {}
        self._numbers: list[dict[str, int]] = [{} for _ in range(FOLDERS + 2)]
        self._of_finest: list[list[int]] = []

    def of(self, url: str) -> int:
        """The number of the finest group of a normalised URL."""
        directory = url.partition("?")[0].rpartition("/")[0]
        found = self._of_directory.get(directory)
        return self._add(directory) if found is None else found

    def levels(self, finest: npt.NDArray[np.integer]) -> Levels:
        """The groups of pages by level, from their finest groups: owner, host, a folder, one in it, and so on."""
        table = np.array(self._of_finest, dtype=np.int64).reshape(-1, FOLDERS + 2)
        return [level[finest] for level in table.T]

    def sites(self) -> list[str]:
        """The sites by their numbers on the coarsest level."""
        return list(self._numbers[0])

    def _add(self, directory: str) -> int:
        host, *folders = directory.split("/")[2:]
        keys = [site_of(directory), *("/".join([host, *folders[:depth]]) for depth in range(FOLDERS + 1))]
        numbers = [known.setdefault(key, len(known)) for known, key in zip(self._numbers, keys, strict=True)]
        if numbers[-1] == len(self._of_finest):
            self._of_finest.append(numbers)
        self._of_directory[directory] = numbers[-1]
        return numbers[-1]


def levels_of(urls: Iterable[str]) -> Levels:
    """The groups of pages by level, the coarsest first."""
    groups = UrlGroups()
    finest = np.fromiter(map(groups.of, urls), dtype=np.int64)
    return groups.levels(finest)
