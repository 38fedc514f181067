"""Plans of moves that balance partitions: over folders by their bytes, over processes by their work."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import TypeVar

_Place = TypeVar("_Place", bound=Hashable)
_UNEVEN = 1.15
"""Ratio of the most work of a process to the mean, above which partitions are worth moving."""


def plan(sizes: Sequence[int], places: Sequence[_Place], folders: Sequence[_Place]) -> Iterator[tuple[int, _Place]]:
    """Moves that balance the sizes of folders: partition number and folder of each.

    sizes: bytes of the partitions; places: the folder of each, one of `folders`. Greedy: each move goes from the
    fullest to the emptiest folder, and takes the partition that leaves the two closest in size; it ends when no move
    helps.
    """
    where = list(places)
    while True:
        held = held_by(sizes, where, folders)
        fullest, emptiest = max(folders, key=held.__getitem__), min(folders, key=held.__getitem__)
        gap = held[fullest] - held[emptiest]
        there = [number for number, place in enumerate(where) if place == fullest and 0 < sizes[number] < gap]
        if not there:
            return
        best = min(there, key=lambda number: abs(gap - 2 * sizes[number]))
        where[best] = emptiest
        yield best, emptiest


def held_by(sizes: Sequence[int], places: Sequence[_Place], folders: Sequence[_Place]) -> dict[_Place, int]:
    """Bytes in every folder."""
    held = dict.fromkeys(folders, 0)
    for size, place in zip(sizes, places, strict=True):
        held[place] += size
    return held


def evened(work: Mapping[int, int], places: Mapping[int, int], processes: int) -> dict[int, int]:
    """Moves that balance the work of processes: the new process of each partition that moves.

    work: of a partition, such as pages fetched lately; places: the process of each; processes: their number. All leave
    a process beyond it; others stay unless one process has more than 1.15 times the mean.
    """
    numbers = sorted(places, key=lambda number: (-work.get(number, 0), number))
    sizes = [work.get(number, 0) + 1 for number in numbers]  # 1: partitions without work are spread as well
    where = [places[number] for number in numbers]
    held = held_by(sizes, where, range(max(processes, *where, 0) + 1))
    for at, place in enumerate(where):
        if place >= processes:
            where[at] = min(range(processes), key=held.__getitem__)
            held[where[at]] += sizes[at]
    if max(held[at] for at in range(processes)) * processes > _UNEVEN * sum(sizes):
        for at, place in plan(sizes, where, range(processes)):
            where[at] = place
    return {number: place for number, place in zip(numbers, where, strict=True) if place != places[number]}
