"""Processes that take too much memory or CPU are killed, and no others: on real processes."""

import asyncio
import contextlib
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

from minicrawl.crawler.rendering.watch import Caps, Process, resident, watch

CAPS = Caps(memory=100 * 2**20, cpu=5.0, every=0.01)
SMALL, LARGE = 1, 200


@contextlib.contextmanager
def process(megabytes: int) -> Iterator["subprocess.Popen[bytes]"]:
    """A process that has that much in memory."""
    code = f"kept = b'x' * ({megabytes} << 20); print('ready', flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        try:
            assert started.stdout is not None
            assert started.stdout.readline() == b"ready\n"
            yield started
        finally:
            started.kill()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux says what a process has in memory")
@pytest.mark.parametrize(
    ("megabytes", "kind", "seconds", "is_killed"),
    [(SMALL, "renderer", 4.0, False), (SMALL, "browser", 99.0, False), (SMALL, "renderer", 6.0, True),
     (LARGE, "renderer", 0.0, True), (LARGE, "GPU", 0.0, True)],
)  # fmt: skip
def test_what_exceeds_its_bounds_is_killed(megabytes: int, kind: str, seconds: float, is_killed: bool) -> None:
    with process(megabytes) as one, process(LARGE) as last:
        assert resident(one.pid) >> 20 >= megabytes

        async def processes() -> list[Process]:
            return [Process(one.pid, kind, seconds), Process(last.pid, "renderer", 0.0)]

        async def run() -> None:
            watching = asyncio.create_task(watch(processes, CAPS))
            await asyncio.to_thread(last.wait)
            watching.cancel()

        asyncio.run(run())
        assert (one.wait() if is_killed else one.poll()) == (-signal.SIGKILL if is_killed else None)


def test_a_process_that_has_ended_has_nothing_in_memory() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert resident(ended.pid) == 0
