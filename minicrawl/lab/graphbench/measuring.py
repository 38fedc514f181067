"""When a growing graph is looked at, and what that takes."""

import time
from collections.abc import Callable

_CHECKS = 8
_GROWTH = 1.5


def growing_steps(count: int, first: int, growth: float = _GROWTH) -> list[int]:
    """first, first * growth and so on, and `count` last."""
    steps: list[int] = []
    while first < count:
        steps.append(first)
        first = int(first * growth) + 1
    return [*steps, count]


def checks_of(count: int, most: int = _CHECKS) -> list[int]:
    """Numbers of insertions, evenly apart, the last being all."""
    return sorted({count * check // most for check in range(1, most + 1)} - {0})


def cpu_seconds(call: Callable[[], object]) -> float:
    """CPU seconds of a call."""
    started = time.process_time()
    call()
    return time.process_time() - started
