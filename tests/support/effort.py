"""What work costs beside other work of the same test, in CPU of this process: no figure of one machine alone."""

import math
import time
from collections.abc import Callable


def seconds(work: Callable[[], object], rounds: int = 3) -> float:
    """The least CPU of so many rounds, since whatever else happens only adds to it."""
    return min(_once(work) for _ in range(rounds))


def growth(work: Callable[[int], object], size: int, times: int = 10, rounds: int = 2) -> float:
    """The power of its size that work takes: log(seconds(times size) / seconds(size)) / log(times).

    About 1 where the time is linear in the size, 2 where it is quadratic. Both sizes are measured in turn.
    """
    spent = [(_once(lambda: work(size)), _once(lambda: work(times * size))) for _ in range(rounds)]
    small, large = (min(each) for each in zip(*spent, strict=True))
    return math.log(large / small, times)


def _once(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began
