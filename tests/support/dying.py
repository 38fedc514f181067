"""A process that is killed at a given step of what it does to files, and a disk that is full."""

import os
import resource
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any


@contextmanager
def largest_file(limit: int) -> Iterator[None]:
    """A disk that is full: no file can be made longer than `limit` bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def killed_at(step: int, names: Sequence[str], act: Callable[[], object]) -> None:
    """Do something in a process of its own, which is killed instead of its call number `step` (from 0 on) of any of
    these functions of os; at the end, if there are fewer."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        dies_at(step, os, names)
        act()
    finally:
        os.kill(os.getpid(), signal.SIGKILL)


def dies_at(step: int, owner: Any, names: Sequence[str]) -> None:
    """The same of functions of any module or object, for the rest of this process."""
    calls = iter(range(step))
    for name in names:
        setattr(owner, name, _dying(getattr(owner, name), calls))


def _dying(real: Callable[..., Any], calls: Any) -> Callable[..., Any]:
    def call(*arguments: Any, **named: Any) -> Any:
        if next(calls, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **named)

    return call
