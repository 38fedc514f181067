"""Calls that only POSIX systems have, and their replacements elsewhere; docs/installing.md says what users notice.

Each is looked up when it is used, so that a test can take it away.
"""

import contextlib
import ctypes
import errno
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from asyncio import AbstractEventLoop

BINARY: int = getattr(os, "O_BINARY", 0)
"""A flag for os.open: Windows would change ends of lines."""
STOPPING = ("SIGINT", "SIGTERM", "SIGHUP")
"""The signals that ask a program to end. Windows has no SIGHUP."""


OUT_OF_FILES = frozenset({errno.EMFILE, errno.ENFILE})
"""Errors that say that too many files are open."""


def is_out_of_files(count: int) -> bool:
    """Whether fewer files than so many more can be opened just now."""
    with contextlib.ExitStack() as opened:
        try:
            for _ in range(count):
                opened.callback(os.close, os.open(os.devnull, os.O_RDONLY))
        except OSError as error:
            return error.errno in OUT_OF_FILES
    return False


def sync(handle: int) -> None:
    """Let what was written to a file reach the disk. macOS and Windows have no fdatasync."""
    getattr(os, "fdatasync", os.fsync)(handle)


def give_memory_back() -> None:
    """Let the system have the memory that was freed: glibc keeps what lies below anything in use. Others do not."""
    with contextlib.suppress(AttributeError, OSError, TypeError):  # no such function; no C library to look in
        ctypes.CDLL(None).malloc_trim(0)


def sync_folder(folder: Path) -> None:
    """Let what was renamed in a folder be so after a power cut. Windows opens no folders, and needs none opened."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except PermissionError:
        if os.name == "nt":
            return
        raise
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def read_at(handle: int, size: int, start: int) -> bytes:
    """Up to so many bytes of a file, from there on."""
    if hasattr(os, "pread"):
        return os.pread(handle, size, start)
    os.lseek(handle, start, os.SEEK_SET)
    return os.read(handle, size)


def write_at(handle: int, data: bytes | memoryview, start: int) -> int:
    """Write to a file, from there on; how many bytes of it were written."""
    if hasattr(os, "pwrite"):
        return os.pwrite(handle, data, start)
    os.lseek(handle, start, os.SEEK_SET)
    return os.write(handle, data)


def user() -> int:
    """Who runs this program, as files name their owners: 0 where they do not."""
    return os.geteuid() if hasattr(os, "geteuid") else 0


def is_running(number: int) -> bool:
    """Whether there is a process of a number; where that cannot be asked, as on Windows, there may be."""
    if os.name != "posix":
        return True
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


def is_root() -> bool:
    """Whether this program may do everything, where systems have such a user."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def be_less_urgent(by: int) -> None:
    """Let other processes come first, where the system can be asked for that."""
    if hasattr(os, "nice"):
        os.nice(by)


def cpu_seconds(process: int) -> float:
    """CPU time that another process has used by now. Only Linux tells: elsewhere, and of one that has ended, 0."""
    try:
        return time.clock_gettime(~process << 3 | 2)  # as clock_getcpuclockid(3) makes the number of its clock
    except (AttributeError, OSError):
        return 0.0


def limit_memory(size: int) -> None:
    """Let this process have no more bytes of data. macOS and Windows know no such limit."""
    try:
        import resource  # noqa: PLC0415 - there is none on Windows
    except ImportError:
        return
    with contextlib.suppress(ValueError, OSError):  # there is a lower limit already; none can be set
        resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def die_with_parent(parent: int) -> None:
    """Let this process be killed when the one that started it ends. Only Linux does."""
    kill_me_then = 1  # PR_SET_PDEATHSIG
    with contextlib.suppress(AttributeError, OSError, TypeError):  # no such function; no C library to look in
        ctypes.CDLL(None).prctl(kill_me_then, signal.SIGKILL)
        if os.getppid() != parent:  # it has ended already
            os._exit(1)


def kill_group(leader: int) -> None:
    """Kill a process that leads a group, and all that is in it; on Windows that process alone."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended; macOS: as a zombie
        if hasattr(os, "killpg"):
            os.killpg(leader, signal.SIGKILL)
        else:
            os.kill(leader, signal.SIGTERM)


def is_shared_locked(handle: int) -> bool:
    """Whether somebody holds a lock on a file; False where only its holder can tell."""
    try:
        import fcntl  # noqa: PLC0415 - there is none on Windows
    except ImportError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    return False


def has_local_sockets() -> bool:
    """Whether a socket can be a file."""
    return hasattr(socket, "AF_UNIX")


def passes_sockets() -> bool:
    """Whether a process that is started can be given an open socket."""
    return hasattr(os, "fork")


def memory(process: int) -> int | None:
    """Bytes of memory that a process has; None where the system does not tell, or it has ended."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, AttributeError):
        return None


def started_over_socket(module: str) -> "tuple[subprocess.Popen[bytes], socket.socket]":
    """A process that runs a module, given the file descriptor of a socket as its argument, and our end of that.

    It is in a process group of its own, so that Ctrl-C reaches this one alone, which decides what it means.
    """
    import subprocess  # noqa: PLC0415 - most commands start no process

    ours, theirs = socket.socketpair()
    with theirs:
        command = [sys.executable, "-m", module, str(theirs.fileno())]
        process = subprocess.Popen(command, pass_fds=[theirs.fileno()], process_group=0)
    return process, ours


@contextlib.contextmanager
def on_signals(loop: "AbstractEventLoop", names: Iterable[str], call: Callable[[], None]) -> Iterator[None]:
    """Let these signals call a function in the loop, as long as the block runs."""
    kinds = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {kind: signal.getsignal(kind) for kind in kinds}
    if before.get(getattr(signal, "SIGHUP", None)) == signal.SIG_IGN:
        del before[signal.SIGHUP]  # by nohup, which is there for that
    for kind in before:
        try:
            loop.add_signal_handler(kind, call)
        except NotImplementedError:
            signal.signal(kind, lambda *_: loop.call_soon_threadsafe(call))
    try:
        yield
    finally:
        for kind, handler in before.items():
            with contextlib.suppress(NotImplementedError):
                loop.remove_signal_handler(kind)
            signal.signal(kind, handler)
