"""Calls whose answers depend on the system: docs/installing.md says what users notice.

And the memory of a process of our own: its cyclic garbage collector, and the allocator. A crawl makes few cycles, and
many lasting objects.
"""

import atexit
import contextlib
import ctypes
import errno
import fcntl
import gc
import os
import resource
import shutil
import signal
import socket
import stat
import sys
import termios
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar  # Any: JSON

if TYPE_CHECKING:
    import subprocess
    from asyncio import AbstractEventLoop
    from collections.abc import Coroutine

Result = TypeVar("Result")

STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask a program to end."""


OUT_OF_FILES = frozenset({errno.EMFILE, errno.ENFILE})
"""Error numbers of too many open files."""


def raise_open_files(wanted: int) -> int | None:
    """Raise the limit of open files to as many, where the system allows it. Returns the limit; None: none."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if wanted <= soft:
        return soft
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    except (ValueError, OSError):  # macOS has a limit below the hard one
        return soft
    return wanted


def is_out_of_files(count: int) -> bool:
    """True if fewer than `count` further files can be opened now."""
    with contextlib.ExitStack() as opened:
        try:
            for _ in range(count):
                opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            return error.errno in OUT_OF_FILES
    return False


def sync(handle: int) -> None:
    """Flush a file's data to disk. macOS has no fdatasync."""
    getattr(os, "fdatasync", os.fsync)(handle)


_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8
"""Parameters of mallopt(3)."""


def keep_little_free_memory() -> None:
    """Have glibc keep less freed memory, from now on: one heap for all threads, of which 16 MB may be free at its end,
    and blocks of a megabyte outside of it. By itself it raises that size, and with it the free memory, to 32 MB."""
    with contextlib.suppress(AttributeError, OSError, TypeError):  # as below
        mallopt = ctypes.CDLL(None).mallopt
        for parameter, value in ((_ARENA_MAX, 1), (_MMAP_THRESHOLD, 2**20), (_TRIM_THRESHOLD, 2**24)):
            mallopt(parameter, value)


def give_memory_back() -> None:
    """Return freed memory to the system: glibc, unlike others, keeps free blocks below any in use."""
    with contextlib.suppress(AttributeError, OSError, TypeError):  # no such function; no C library to look in
        ctypes.CDLL(None).malloc_trim(0)


def sync_folder(folder: Path) -> None:
    """Make renames in a folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


_LEAST_FREE, _LEAST_PART = 10**9, 0.05


def is_short_of_room(folder: Path, times: float = 1.0) -> int | None:
    """The free bytes of a folder's disk, if they are fewer than a gigabyte, and fewer than a twentieth of it: `times`
    that."""
    total, _, free = shutil.disk_usage(folder)
    return free if free < times * min(_LEAST_FREE, _LEAST_PART * total) else None


def check_replaceable(path: Path) -> None:
    """Raise OSError for a pipe, a device or a socket: a file in its place would take it from every program."""
    with contextlib.suppress(FileNotFoundError):
        kind = path.stat().st_mode
        if not (stat.S_ISREG(kind) or stat.S_ISDIR(kind)):
            raise OSError(errno.EINVAL, "it is a pipe, a device or a socket, not a regular file")


@contextlib.contextmanager
def put_in_place(new: Path, path: Path) -> Iterator[None]:
    """Have the block write `new`, which then takes the place of the file at `path`; of one that fails nothing is left.

    Raises OSError, also if something is in that place that must not go, see `check_replaceable`.
    """
    check_replaceable(path)
    try:
        yield
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def has_terminal() -> bool:
    """True if the process has a terminal, whose end SIGHUP reports."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def cores() -> int:
    """CPU cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def cpu_seconds(process: int) -> float:
    """CPU seconds that another process has used. 0 if it has ended, and on systems other than Linux."""
    try:
        return time.clock_gettime(~process << 3 | 2)  # as clock_getcpuclockid(3) makes the number of its clock
    except (AttributeError, OSError):
        return 0.0


def busy_seconds() -> float:
    """Seconds for which this thread has run; on Linux, those for which it was ready to run count, too."""
    with contextlib.suppress(OSError):
        return sum(map(int, Path("/proc/thread-self/schedstat").read_text("ascii").split()[:2])) / 1e9
    return time.thread_time()


def kill_group(leader: int) -> None:
    """Kill a process group by its leader."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended; macOS: as a zombie
        os.killpg(leader, signal.SIGKILL)


def is_shared_locked(handle: int) -> bool:
    """True if a lock on a file is held."""
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


def memory(process: int) -> int | None:
    """Resident memory of a process in bytes; None if the system does not tell, or it has ended."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None


def descendants(process: int) -> "list[dict[str, Any]]":
    """The processes that a process has started, and those of theirs: pid, name, CPU seconds and bytes of memory.

    `name`: of the module or the program. Empty where the system does not tell: only Linux does.
    """
    found = []
    for tasks in Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):  # it has just ended
            for child in map(int, tasks.read_text("ascii").split()):
                words = Path(f"/proc/{child}/cmdline").read_bytes().decode("utf-8", "replace").split("\0")
                name = words[words.index("-m") + 1].removeprefix("minicrawl.") if "-m" in words else Path(words[0]).name
                found.append({"pid": child, "name": name, "cpu": cpu_seconds(child), "memory": memory(child)})
                found += descendants(child)
    return found


def running(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of this package in a process of its own.

    The working folder is not searched for modules, unless this process itself has the package from there: it may have
    another version of it, or files with the names of other modules.
    """
    is_beside = sys.path[0] in ("", str(Path(__file__).parents[1]))
    return [sys.executable, *(() if is_beside else ("-P",)), "-m", module, *arguments]


def started_over_socket(module: str) -> "tuple[subprocess.Popen[bytes], socket.socket]":
    """Start a process that runs a module with the file descriptor of a socket as its argument; return our end, too.

    It has its own process group, so that Ctrl-C reaches only this process, which handles it.
    """
    import subprocess  # noqa: PLC0415 - most commands start no process

    ours, theirs = socket.socketpair()
    with theirs:
        command = running(module, str(theirs.fileno()))
        process = subprocess.Popen(command, pass_fds=[theirs.fileno()], process_group=0)
    return process, ours


def is_unread(end: socket.socket) -> bool:
    """True if bytes sent over a socket of a pair were not read yet; False if that cannot be asked."""
    try:
        unread = fcntl.ioctl(end, termios.TIOCOUTQ, bytes(4))
    except OSError:
        return False
    return any(unread)


@contextlib.contextmanager
def on_signals(loop: "AbstractEventLoop", kinds: Iterable[signal.Signals], call: Callable[[], None]) -> Iterator[None]:
    """Have these signals call a function in the loop during the block."""
    before = {kind: signal.getsignal(kind) for kind in kinds}
    if before.get(signal.SIGHUP) != signal.SIG_DFL:
        before.pop(signal.SIGHUP, None)  # ignored by nohup, or the log opens its files again
    for kind in before:
        loop.add_signal_handler(kind, call)
    try:
        yield
    finally:
        for kind, handler in before.items():
            loop.remove_signal_handler(kind)
            signal.signal(kind, handler)


def keep_time(loop: "AbstractEventLoop") -> None:
    """Let the clock of a loop go on during a callback, as asyncio's does. uvloop's stands still until the next round:
    a request would count as sent earlier than it was, and the next one would come too soon."""
    loop.time = time.monotonic  # type: ignore[method-assign]


def run_loop(main: "Coroutine[Any, Any, Result]", *, is_small: bool = False) -> "Result":
    """asyncio.run() for a crawl: on uvloop, which takes less CPU time, where it is installed. is_small: rather without
    it, which takes 3 MB less memory."""
    import asyncio  # noqa: PLC0415 - a child that parses has no loop

    new_loop: Callable[[], AbstractEventLoop] = asyncio.new_event_loop
    if not is_small:
        with contextlib.suppress(ImportError):
            from uvloop import new_event_loop as new_loop  # noqa: PLC0415
    with asyncio.Runner(loop_factory=new_loop) as runner:
        keep_time(runner.get_loop())
        return runner.run(main)


_NEW, _YOUNG, _OLD = 100_000, 20, 50


def collect_seldom() -> None:
    """Collect cycles once in many new objects, and none at the end of the process, which frees all memory anyway.

    The standard thresholds would cost a tenth of a crawl's time, and the last collections of a large heap seconds.
    """
    gc.set_threshold(_NEW, _YOUNG, _OLD)
    atexit.register(gc.freeze)


def manage_memory() -> None:
    """Set up the collector and the allocator of a process that works for a crawl."""
    collect_seldom()
    keep_little_free_memory()
