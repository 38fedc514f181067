"""What POSIX has and others lack: each part alone without it, and whole crawls with all of it taken away."""

import ast
import asyncio
import os
import platform
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from support.patience import PATIENCE
from support.small_web import small_web

from minicrawl import system
from minicrawl.store.reader import open_store

TAKEN_AWAY = textwrap.dedent("""
    import asyncio, os, signal, socket, subprocess, sys
    import filelock  # which has locks of its own on every system

    pair, unix = socket.socketpair, socket.AF_UNIX
    socket.socketpair = lambda *_: pair(unix)  # as it has on every system, too
    sys.modules["fcntl"] = sys.modules["resource"] = sys.modules["uvloop"] = None  # importing them fails
    for module, names in {
        os: ("pread", "pwrite", "preadv", "fdatasync", "geteuid", "getuid", "nice", "fork", "fchmod", "chown"),
        signal: ("SIGHUP", "SIGKILL", "SIGUSR1"),
        socket: ("AF_UNIX",),
        asyncio: ("start_unix_server", "open_unix_connection"),
    }.items():
        for name in names:
            if hasattr(module, name):
                delattr(module, name)


    def refused(*_, **__):
        raise NotImplementedError


    asyncio.SelectorEventLoop.add_signal_handler = asyncio.SelectorEventLoop.remove_signal_handler = refused
    begin = subprocess.Popen.__init__


    def __init__(self, *words, pass_fds=(), preexec_fn=None, process_group=None, **options):
        if pass_fds or preexec_fn:
            raise ValueError("there is no such thing on this system")
        begin(self, *words, **options)


    subprocess.Popen.__init__ = __init__
    from minicrawl.cli import main

    main(prog_name="minicrawl")
""")


def without_posix(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """A command on such a system."""
    begun = [sys.executable, "-c", TAKEN_AWAY, *map(str, words)]
    return subprocess.run(begun, capture_output=True, text=True, cwd=folder, check=False, timeout=PATIENCE)


def test_a_crawl_and_what_reads_it_work_without_posix(tmp_path: Path) -> None:
    """With texts and an archive, which sync their files; and a second run, that goes on and truncates them."""
    with small_web() as port:
        words = ["--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--delay", "0", "--text"]
        for pages in ("3", "6"):
            limits = ["--pages", pages, "--archive", "kept"]
            done = without_posix(tmp_path, "crawl", "http://example.org/", *limits, *words)
            assert (done.returncode, "Traceback" in done.stderr) == (0, False), done.stderr
            assert "cannot be controlled from another shell" in done.stderr
    for command in ("check", "export ranks.csv", "archive check"):
        done = without_posix(tmp_path, *command.split())
        assert (done.returncode, done.stderr) == (0, ""), command
    with open_store(tmp_path / "data/crawl.db") as store:
        assert store.text("http://example.org/") is not None


def test_what_cannot_be_is_a_sentence_without_posix(tmp_path: Path) -> None:
    done = without_posix(tmp_path, "crawl", "http://example.org/", "--workers", "2")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "--workers needs Linux or macOS" in done.stderr
    done = without_posix(tmp_path, "control", "pause")
    assert (done.returncode, done.stderr.startswith("Error: ")) == (1, True)


MODULES = {"fcntl", "resource"}
CALLS = {"pread", "pwrite", "fdatasync", "geteuid", "getuid", "nice", "fork", "fchmod", "killpg", "sysconf"}
CALLS |= {"add_signal_handler", "remove_signal_handler", "SIGHUP", "SIGKILL", "O_DIRECTORY"}


def test_what_only_posix_has_is_used_in_one_place() -> None:
    root = Path(system.__file__).parent
    found = set()
    for path in root.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        names = CALLS & {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        names |= MODULES & {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        found |= {(path.relative_to(root).as_posix(), name) for name in names if path.name != "system.py"}
    cage = "sandbox/cage.py"  # for Linux alone
    assert found == {(cage, "resource"), (cage, "geteuid")}  # guarded there


@pytest.mark.parametrize("has_posix", [True, False])
def test_numbers_of_a_file_are_read_and_written_where_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_posix: bool
) -> None:
    if not has_posix:
        for name in ("pread", "pwrite", "fdatasync"):
            monkeypatch.delattr(os, name)
    handle = os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT | system.BINARY)
    try:
        assert system.write_at(handle, b"\r\nabc\n", 4) == 6
        assert system.write_at(handle, memoryview(b"1234"), 0) == 4
        system.sync(handle)
        assert system.read_at(handle, 100, 2) == b"34\r\nabc\n"
        assert system.read_at(handle, 2, 6) == b"ab"
    finally:
        os.close(handle)
    system.sync_folder(tmp_path)


def test_who_runs_this_is_known_where_files_have_owners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine").touch()
    assert system.user() == (tmp_path / "mine").stat().st_uid
    assert system.is_root() == (system.user() == 0)
    monkeypatch.delattr(os, "geteuid")
    assert system.user() == 0
    assert not system.is_root()
    monkeypatch.delattr(os, "nice")
    system.be_less_urgent(1)  # nothing to ask for


@pytest.mark.parametrize("has_posix", [True, False])
def test_signals_call_in_the_loop_and_are_as_before_then(monkeypatch: pytest.MonkeyPatch, has_posix: bool) -> None:
    before = {kind: signal.getsignal(kind) for kind in (signal.SIGINT, signal.SIGTERM)}

    def refused(*_: object) -> None:
        raise NotImplementedError

    async def run() -> None:
        loop = asyncio.get_running_loop()
        if not has_posix:
            monkeypatch.setattr(type(loop), "add_signal_handler", refused, raising=False)
            monkeypatch.setattr(type(loop), "remove_signal_handler", refused, raising=False)
        came = asyncio.Event()
        with system.on_signals(loop, ("SIGTERM", "SIGNOT"), came.set):
            signal.raise_signal(signal.SIGTERM)
            await asyncio.wait_for(came.wait(), PATIENCE)

    asyncio.run(run())
    assert {kind: signal.getsignal(kind) for kind in before} == before


def test_a_crawl_runs_on_uvloop_whose_clock_goes_on_while_something_runs() -> None:
    """Else the next request would come too soon after one that was sent late in a round."""

    async def run() -> tuple[str, bool]:
        loop, end = asyncio.get_running_loop(), time.monotonic() + 0.01
        while time.monotonic() < end:
            pass
        return type(loop).__module__, loop.time() >= end

    assert system.run_loop(run()) == ("uvloop", True)


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
