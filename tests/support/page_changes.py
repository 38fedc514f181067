"""Pages that change between fetches, with noise beside their content, and the verdicts on their changes."""

import random
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from support.changing_web import words

from minicrawl.crawler.recognise.changes import compared, first_seen, unchanged
from minicrawl.web.html.tree import block_hashes

Noise = Callable[[], list[str]]
_PATIENCE = 6
KINDS: tuple[str, ...] = ("none", "date", "counter", "ads", "ads or none", "teasers", "rotating list")
KINDS += ("growing thread", "latest ten", "ads anywhere", "resting counter")
"""ads: one to three; teasers: one to eight; rotating list: three to seven of 8 to 60; thread: comments come at every
fetch, and all but three go when there are 64; latest ten: they come at every fetch, and as many go."""


def noise_of(kind: str, rng: random.Random) -> Noise:
    """Draws, at each call, the blocks that a page has beside its content."""
    pool = [words(rng, 5) for _ in range(rng.choice([8, 15, 30, 60]))]
    thread = [words(rng, 12) for _ in range(rng.randrange(3, 40))]
    views = [1000]

    def counter() -> list[str]:
        views[0] += rng.randrange(1, 30)
        return [f"{views[0]} views"]

    def growing() -> list[str]:
        thread.extend(words(rng, 12) for _ in range(rng.randrange(1, 6)))
        if len(thread) > 64:
            del thread[:-3]
        return list(thread)

    def latest() -> list[str]:
        thread.extend(words(rng, 12) for _ in range(rng.randrange(1, 5)))
        return thread[-10:]

    noises: dict[str, Noise] = {
        "none": list,
        "date": lambda: [f"as of {rng.random()}"],
        "counter": counter,
        "resting counter": lambda: counter() if rng.random() < 0.85 else [f"{views[0]} views"],
        "ads": lambda: [words(rng, 12) for _ in range(rng.randrange(1, 4))],
        "ads or none": lambda: [words(rng, 12) for _ in range(rng.randrange(4))],
        "teasers": lambda: [words(rng, 6) for _ in range(rng.randrange(1, 9))],
        "rotating list": lambda: rng.sample(pool, rng.randrange(3, 8)),
        "growing thread": growing,
        "latest ten": latest,
        "ads anywhere": lambda: [words(rng, 12) for _ in range(rng.randrange(1, 3))],
    }
    return noises[kind]


class Verdicts(NamedTuple):
    """unchanged, changed: fetches again that brought nothing new, or something. false: changes told where nothing has
    changed since the last one told; missed: changes that were fetched, and not told within six more fetches."""

    unchanged: int
    changed: int
    false: int
    missed: int


def judged(fetches: int, changes: list[int], noted: list[int]) -> Verdicts:
    """Compare the changes that were told of a page with the true ones. Fetches are numbered from 0."""
    real = [bisect_right(changes, after) > bisect_right(changes, before) for before, after in pairwise(range(fetches))]
    notes = [at - 1 for at in noted]
    false = missed = accounted = 0
    for note in notes:
        false += not any(real[accounted : note + 1])
        accounted = note + 1
    for number, is_real in enumerate(real):
        if is_real and number + _PATIENCE < len(real):
            following = bisect_left(notes, number)
            missed += following == len(notes) or notes[following] > number + _PATIENCE
    return Verdicts(len(real) - sum(real), sum(real), false, missed)


@dataclass(frozen=True)
class Life:
    """How a page lives: the kind of its noise, changes between two fetches, share of the fetches that are answered 304
    if nothing has changed, and whether all changes are of one block."""

    kind: str
    rate: float
    not_modified: float = 0.0
    in_one_place: bool = False


def verdicts(blocks: Sequence[str], life: Life, fetches: int, rng: random.Random) -> Verdicts:
    """Verdicts on the changes of one page."""
    content, noise = list(blocks), noise_of(life.kind, rng)

    def shown() -> bytes:
        page, beside = list(content), noise()
        if life.kind != "ads anywhere":
            return block_hashes(page + beside)
        for ad in beside:
            page.insert(rng.randrange(len(page) + 1), ad)
        return block_hashes(page)

    memory = first_seen(shown())
    changes: list[int] = []
    noted: list[int] = []
    read = 0
    for fetch in range(1, fetches):
        if _change(content, life, rng):
            changes.append(fetch)
        if rng.random() < life.not_modified and not (changes and changes[-1] > read):
            found = unchanged(memory)
        else:
            found, read = compared(memory, shown()), fetch
        memory = found.memory
        if found.is_change:
            noted.append(fetch)
    return judged(fetches, changes, noted)


def _change(content: list[str], life: Life, rng: random.Random) -> bool:
    """Change a page as between two fetches. True if it has changed."""
    passed, count = rng.expovariate(1.0), 0
    while passed < life.rate:
        count += 1
        passed += rng.expovariate(1.0)
        place = len(content) // 2 if life.in_one_place else rng.randrange(len(content))
        if life.in_one_place or rng.random() < 0.6:
            content[place] = f"{words(rng, 9)}." if life.in_one_place else f"{content[place]} {words(rng, 9)}."
        else:
            content.insert(place, words(rng, 80))
    return count > 0


def summed(every: Sequence[Verdicts]) -> Verdicts:
    return Verdicts(*map(sum, zip(*every, strict=True)))
