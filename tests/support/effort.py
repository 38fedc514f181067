"""What work costs beside other work of the same test, in CPU of this process: no figure of one machine alone; and the
modules that it loads."""

import math
import subprocess
import sys
import time
from collections.abc import Callable


def seconds(work: Callable[[], object], rounds: int = 3) -> float:
    """The least CPU of so many rounds, since whatever else happens only adds to it."""
    return min(_once(work) for _ in range(rounds))


def ratio(work: Callable[[], object], other: Callable[[], object], rounds: int = 4) -> float:
    """The CPU of some work, divided by that of other work: the least of so many rounds, in each of which both are
    measured one after the other, as what else the machine has to do changes the speed of all."""
    return min(_once(work) / _once(other) for _ in range(rounds))


LINEAR = 1.4
"""A growth below needs no further look: twice the size never took 2.6 times as long."""


def growth(work: Callable[[int], object], size: int, times: int = 10, rounds: int = 6) -> float:
    """The power of its size that work takes: log(seconds(times size) / seconds(size)) / log(times).

    About 1 where the time is linear in the size, 2 where it is quadratic. The least of so many rounds, in each of which
    both sizes are measured one after the other; the first that is `LINEAR` is the last.
    """
    found = math.inf
    for _ in range(rounds):
        small, large = _once(lambda: work(size)), _once(lambda: work(times * size))
        found = min(found, math.log(large / small, times))
        if found < LINEAR:
            break
    return found


def _once(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def loaded_by(code: str) -> set[str]:
    """The names of all modules that a new process has once it has run this code."""
    command = [sys.executable, "-c", f"{code}; import sys; print(*sys.modules)"]
    return {*subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()}
