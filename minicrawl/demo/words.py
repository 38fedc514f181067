"""Words of the demo web: names of hosts and pages, text of paragraphs."""

import re
from collections.abc import Iterator
from random import Random

# Words made to be put together; titles become slugs.
# fmt: off
_PLACES = [
    "harbor", "maple", "river", "alpine", "north", "copper", "cedar", "summit", "willow", "granite",
    "meadow", "coast", "amber", "lantern",
]
_KINDS = [
    "news", "shop", "wiki", "blog", "times", "lab", "garden", "museum", "review", "archive", "guide",
    "forum", "radio", "press", "school", "sport",
]
SECTIONS = [
    "world", "science", "culture", "travel", "food", "health", "money", "people", "nature", "music",
    "books", "history",
]
_QUALITIES = [
    "quiet", "golden", "early", "hidden", "modern", "local", "bright", "ancient", "simple", "open", "late",
    "rare", "green", "busy", "small",
]
_THINGS = [
    "bridge", "market", "orchard", "library", "festival", "railway", "island", "kitchen", "theatre",
    "workshop", "lake", "museum", "tower",
]
_EVENTS = [
    "opens again", "wins a prize", "needs volunteers", "turns fifty", "explained", "in pictures",
    "for beginners",
]
_FILLER = [
    "the", "of", "and", "a", "visitors", "season", "every", "town", "with", "old", "new", "after", "many",
    "years", "plans", "first", "from", "says",
]
# fmt: on


def host_names(rng: Random, count: int) -> list[str]:
    """Distinct host names under .test, which RFC 2606 keeps out of the real name system."""
    names = [f"{place}-{kind}" for place in _PLACES for kind in _KINDS]
    rng.shuffle(names)
    for number in range(len(names), count):
        names.append(f"{names[number % len(names)]}-{number}")
    return [f"{name}.test" for name in names[:count]]


def slug(title: str) -> str:
    return "-".join(re.findall("[a-z]+", title.lower()))


def drawn_title(rng: Random) -> str:
    return f"{rng.choice(_QUALITIES)} {rng.choice(_THINGS)} {rng.choice(_EVENTS)}".capitalize()


def paragraphs(seed: str) -> Iterator[str]:
    """Three sentences, always the same for the same `seed`."""
    rng = Random(seed)
    for _ in range(3):
        words = rng.choices(_FILLER, k=12) + rng.sample(_THINGS, 4)
        rng.shuffle(words)
        yield f"{' '.join(words).capitalize()}."
