"""A partition as its keeper reaches it, wherever it runs: two ways there are, processes.py and machines/actors.py.

Whoever has it is a worker.Worker, so what may be asked stands there.
"""

from collections.abc import Awaitable, Callable
from typing import Protocol

from minicrawl.cluster.running.worker import Brief
from minicrawl.control.messages import Message


class DeadError(Exception):
    """Who had the partition has died, as the words say, such as "by signal 9". Its store has all that it committed."""


class Kept(Protocol):
    """A partition that runs in a process of its own."""

    @property
    def pid(self) -> int:
        """Of its process, on the machine where that runs."""
        ...

    async def ask(self, message: Message) -> Message | None:
        """What it answers; None while it is being started where nobody answers yet.

        Raises DeadError, and MinicrawlError where the partition has failed.
        """
        ...

    def kill(self) -> None:
        """End it at once: every commit is whole."""
        ...

    async def end(self) -> None:
        """Nobody asks it any more: wait until it has stopped, committed and ended."""
        ...


Start = Callable[[Brief], Awaitable[Kept]]
"""Lets a partition run, or run again where it has died."""
