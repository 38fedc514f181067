"""A process that is killed at a given step of what it does to files."""

import os
import signal
from collections.abc import Callable, Sequence
from typing import Any


def killed_at(step: int, names: Sequence[str], act: Callable[[], object]) -> None:
    """Do something in a process of its own, which is killed instead of its call number `step` (from 0 on) of any of
    these functions of os; at the end, if there are fewer."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        calls = iter(range(step))
        for name in names:
            setattr(os, name, _dying(getattr(os, name), calls))
        act()
    finally:
        os.kill(os.getpid(), signal.SIGKILL)


def _dying(real: Callable[..., Any], calls: Any) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        if next(calls, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **named)

    return call
