"""How far a crawl is toward each of its limits, and when it will be there at the speed of now."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple


class Aim(NamedTuple):
    """A limit of a run. `left`: seconds until it is reached; None where nobody can tell."""

    name: str
    done: float
    of: float
    left: float | None


def aims(limits: Mapping[str, float | None], done: Mapping[str, float], speed: Mapping[str, float]) -> Iterator[Aim]:
    """The limits that there are. done, speed: by the name of the limit, so much and so much a second."""
    for name, limit in limits.items():
        if limit:
            reached, a_second = done.get(name, 0.0), speed.get(name, 0.0)
            rest = limit - reached
            left = 0.0 if rest <= 0 else rest / a_second if a_second > 0 else None
            yield Aim(name, reached, limit, left)
