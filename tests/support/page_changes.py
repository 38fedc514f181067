"""Pages that change between fetches, with noise beside their content, and the verdicts on their changes."""

import random
from collections.abc import Callable, Sequence

from refresh import Answer, Verdicts, judged

from minicrawl.crawler.html.page_text import block_hashes
from minicrawl.crawler.recognise.changes import compared, first_seen

Noise = Callable[[], list[str]]
KINDS = (
    "none",
    "date",
    "counter",
    "ads",
    "ads or none",
    "teasers",
    "rotating list",
    "growing thread",
    "latest ten",
)
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
        "ads": lambda: [words(rng, 12) for _ in range(rng.randrange(1, 4))],
        "ads or none": lambda: [words(rng, 12) for _ in range(rng.randrange(4))],
        "teasers": lambda: [words(rng, 6) for _ in range(rng.randrange(1, 9))],
        "rotating list": lambda: rng.sample(pool, rng.randrange(3, 8)),
        "growing thread": growing,
        "latest ten": latest,
    }
    return noises[kind]


def words(rng: random.Random, count: int) -> str:
    return " ".join(f"w{rng.randrange(5000)}" for _ in range(count))


def verdicts(blocks: Sequence[str], kind: str, rate: float, fetches: int, rng: random.Random) -> Verdicts:
    """Verdicts on the changes of one page. rate: changes between two fetches."""
    content, noise = list(blocks), noise_of(kind, rng)
    memory = first_seen(block_hashes(content + noise()))
    changes: list[int] = []
    noted: list[float] = []
    for fetch in range(1, fetches):
        if _change(content, rate, rng):
            changes.append(fetch)
        found = compared(memory, block_hashes(content + noise()))
        memory = found.memory
        if found.is_change:
            noted.append(fetch)
    return judged([Answer(fetch, 200, 0, False) for fetch in range(fetches)], changes, noted)


def _change(content: list[str], rate: float, rng: random.Random) -> bool:
    """Change a page as between two fetches. True if it has changed."""
    passed, count = rng.expovariate(1.0), 0
    while passed < rate:
        count += 1
        passed += rng.expovariate(1.0)
        place = rng.randrange(len(content))
        if rng.random() < 0.6:
            content[place] += f" {words(rng, 9)}."
        else:
            content.insert(place, words(rng, 80))
    return count > 0


def summed(every: Sequence[Verdicts]) -> Verdicts:
    return Verdicts(*map(sum, zip(*every, strict=True)))
