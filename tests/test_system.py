"""Calls whose answers depend on the system."""

import asyncio
import os
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.patience import PATIENCE

from minicrawl import system


def test_signals_call_in_the_loop_and_are_as_before_then() -> None:
    before = {kind: signal.getsignal(kind) for kind in (signal.SIGINT, signal.SIGTERM)}

    async def run() -> None:
        came = asyncio.Event()
        with system.on_signals(asyncio.get_running_loop(), (signal.SIGTERM,), came.set):
            signal.raise_signal(signal.SIGTERM)
            await asyncio.wait_for(came.wait(), PATIENCE)

    asyncio.run(run())
    assert {kind: signal.getsignal(kind) for kind in before} == before


@pytest.mark.parametrize("has_uvloop", [True, False])
def test_a_crawl_runs_on_uvloop_whose_clock_goes_on_while_something_runs(
    monkeypatch: pytest.MonkeyPatch, *, has_uvloop: bool
) -> None:
    """Else the next request would come too soon after one that was sent late in a round."""

    async def run() -> tuple[str, bool]:
        loop, end = asyncio.get_running_loop(), time.monotonic() + 0.01
        while time.monotonic() < end:
            pass
        return type(loop).__module__, loop.time() >= end

    if not has_uvloop:
        monkeypatch.setitem(sys.modules, "uvloop", None)
    assert system.run_loop(run()) == ("uvloop" if has_uvloop else "asyncio.unix_events", True)


def test_hangup_that_is_ignored_stays_so() -> None:
    """As nohup wants it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:

        async def run() -> None:
            with system.on_signals(asyncio.get_running_loop(), system.STOPPING, lambda: pytest.fail("was called")):
                signal.raise_signal(signal.SIGHUP)
                await asyncio.sleep(0)
            assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN

        asyncio.run(run())
    finally:
        signal.signal(signal.SIGHUP, before)


def test_memory_of_a_process_is_told_while_it_runs() -> None:
    assert system.memory(os.getpid()) == pytest.approx(resident(), rel=0.1)
    with subprocess.Popen(["true"]) as ended:
        pass
    assert system.memory(ended.pid) is None


def resident() -> int:
    """Bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="others have no malloc_trim")
def test_memory_between_what_is_in_use_is_given_back() -> None:
    blocks = [b"x" * 100_000 for _ in range(1_000)]
    kept = blocks[::10]
    before = resident()
    del blocks
    system.give_memory_back()
    assert before - resident() > 50_000_000
    assert all(block == b"x" * 100_000 for block in kept)


_GROWS = """
import sys
from minicrawl.system import keep_little_free_memory
if sys.argv[1:]:
    keep_little_free_memory()
resident = lambda: int(open("/proc/self/statm").read().split()[1])
bytes(30_000_000)  # from now on glibc takes smaller blocks from the heap
before = resident()
blocks = [[b"x" * 2_000_000, b"x" * 100_000] for _ in range(30)]
for pair in blocks:
    pair[0] = None
print((resident() - before) * 4096)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="others have no mallopt")
def test_little_freed_memory_is_kept_below_what_is_in_use() -> None:
    """A process of its own, as the setting cannot be taken back."""
    kept, given_back = (
        int(subprocess.run([sys.executable, "-c", _GROWS, *words], check=True, capture_output=True).stdout)
        for words in ([], ["little"])
    )
    assert given_back < 5_000_000
    assert kept > 40_000_000


@pytest.mark.parametrize("has_affinity", [True, False])
def test_cores_are_those_that_this_process_may_use(monkeypatch: pytest.MonkeyPatch, *, has_affinity: bool) -> None:
    if not has_affinity:
        monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert 1 <= system.cores() <= (os.cpu_count() or 1)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells")
def test_processes_below_this_one_are_told_with_their_names() -> None:
    command = [sys.executable, "-c", "import sys; print(flush=True); sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        child.stdout.readline()
        found = [one for one in system.descendants(os.getpid()) if one["pid"] == child.pid]
        child.communicate(b"")
    assert [Path(sys.executable).name] == [one["name"] for one in found]
    assert found[0]["cpu"] >= 0
    assert not [one for one in system.descendants(os.getpid()) if one["pid"] == child.pid]


PROGRAM = """
import atexit, gc
from minicrawl.system import manage_memory
atexit.register(lambda: print(gc.get_freeze_count() > 1000))
before = gc.get_threshold()
manage_memory()
print(gc.get_threshold() > before, gc.isenabled())
"""


def test_collections_are_seldom_and_have_nothing_to_do_at_the_end() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout == "True True\nTrue\n"
