"""Memory and CPU of a browser's processes: one that takes too much is killed, and its page with it."""

import asyncio
import os
import re
import signal
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from minicrawl import log

_RESIDENT = re.compile(r"^Rss(?:Anon|Shmem):\s+(\d+) kB$", re.MULTILINE)


class Process(NamedTuple):
    """A process of a browser. kind: as Chromium says, such as browser or renderer. seconds: of CPU so far."""

    number: int
    kind: str
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Caps:
    """Bounds of a process of the browser. Each page has one of its own, a renderer, which ends with it.

    memory   bytes that it has in memory
    cpu      seconds that a page's may take
    every    seconds between two looks
    """

    memory: int = 2**30
    cpu: float = 60.0
    every: float = 0.25


async def watch(processes: Callable[[], Awaitable[Iterable[Process]]], caps: Caps) -> None:
    """Kill those processes that exceed their bounds, as long as it runs."""
    while True:
        await asyncio.sleep(caps.every)
        for process in await processes():
            memory = resident(process.number)
            if memory > caps.memory:
                _kill(process, f"{memory / 2**20:.0f} MB of memory")
            elif process.kind == "renderer" and process.seconds > caps.cpu:
                _kill(process, f"{process.seconds:.0f} s of CPU")


def resident(process: int) -> int:
    """Bytes that a process has in memory, those of files left out; 0 if it has ended, or the system does not say."""
    try:
        return sum(map(int, _RESIDENT.findall(Path(f"/proc/{process}/status").read_text()))) * 1024
    except OSError:
        return 0


def _kill(process: Process, why: str) -> None:
    try:
        os.kill(process.number, getattr(signal, "SIGKILL", signal.SIGTERM))
    except OSError:
        return
    log.chromium_killed(kind=process.kind, why=why)
