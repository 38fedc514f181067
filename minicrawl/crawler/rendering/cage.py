"""Starts a browser without a way to the network, with bounded memory, and ends it with the crawl. For Linux.

NAMESPACE   user and network namespaces without an interface: there is no route, not even to this machine
FILTER      where the system refuses namespaces: the kernel refuses all sockets but local ones (seccomp)
OPEN        neither: what else keeps a browser off the network is its own switches

Runs as a script that becomes the browser (execve), without the rest of minicrawl.
"""

import contextlib
import os
import shlex
import stat
import struct
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

NAMESPACE, FILTER, OPEN = "namespace", "filter", "open"
_CLONE_NEWUSER, _CLONE_NEWNET = 0x1000_0000, 0x4000_0000
_NOT_ROOT = 1000
"""Root's own number in its namespace: Chromium refuses its sandbox to root."""
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38
_SECCOMP_MODE_FILTER = 2
_SOCKET_CALLS = {"x86_64": (0xC000_003E, 41), "aarch64": (0xC000_00B7, 198)}
"""By machine: its name in filters (AUDIT_ARCH), and its number of the system call socket."""
_IO_URING_SETUP = 425
"""The number of a system call by which sockets could be had without calling socket."""
_OF_OTHER_ABIS = 0x4000_0000
"""The first number of system calls by which a 64-bit processor could be asked another way (x32)."""


def has_cages() -> bool:
    """Whether this system is one for which there are cages."""
    return sys.platform == "linux"


@contextlib.contextmanager
def caged(program: Path, most_memory: int) -> Iterator[Path]:
    """A program that starts `program` in a cage. most_memory: bytes that each of its processes may have at all.

    Elsewhere than on Linux it is `program` itself.
    """
    if not has_cages():
        yield program
        return
    with tempfile.TemporaryDirectory(prefix="minicrawl-") as folder:
        starter = Path(folder, "chromium")
        command = [sys.executable, "-I", "-S", __file__, str(most_memory), str(program)]
        starter.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        starter.chmod(stat.S_IRWXU)
        yield starter


def cage_of(process: int) -> str:
    """The cage that a process is in, as the kernel says."""
    with contextlib.suppress(OSError):
        if os.readlink(f"/proc/{process}/ns/net") != os.readlink("/proc/self/ns/net"):
            return NAMESPACE
        if f"\nSeccomp:\t{_SECCOMP_MODE_FILTER}\n" in Path(f"/proc/{process}/status").read_text():
            return FILTER
    return OPEN


def _main(most_memory: int, program: str, *arguments: str) -> None:
    import resource  # noqa: PLC0415 - there is none on Windows

    try:
        _leave_network()
    except OSError:
        with contextlib.suppress(OSError):
            _refuse_sockets()
    _prctl(_PR_SET_PDEATHSIG, 9)
    for kind, most in ((resource.RLIMIT_DATA, most_memory), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(ValueError, OSError):  # it may have less already
            resource.setrlimit(kind, (most, most))
    sandbox = () if os.geteuid() else ("--no-sandbox",)
    os.execv(program, (program, *arguments, *sandbox))


def _leave_network() -> None:
    """Enter new namespaces, as any user but root. Raises OSError where that is not allowed."""
    user, group = os.geteuid(), os.getegid()
    _called("unshare", _CLONE_NEWUSER | _CLONE_NEWNET)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user or _NOT_ROOT} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group or _NOT_ROOT} {group} 1")


def _refuse_sockets() -> None:
    """Have the kernel refuse all sockets but local ones, for good. Raises OSError where it cannot."""
    import ctypes  # noqa: PLC0415
    import errno  # noqa: PLC0415
    import socket  # noqa: PLC0415

    if os.uname().machine not in _SOCKET_CALLS:
        raise OSError(errno.ENOSYS, "no filter for this machine")
    machine, socket_call = _SOCKET_CALLS[os.uname().machine]
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    program = [  # operation, where to go on if it holds and if not (relative), operand; see seccomp(2)
        (load, 0, 0, 4),
        (equal, 1, 0, machine),
        (answer, 0, 0, 0x8000_0000),  # ends the process
        (load, 0, 0, 0),
        (at_least, 4, 0, _OF_OTHER_ABIS),
        (equal, 3, 0, _IO_URING_SETUP),
        (equal, 0, 3, socket_call),
        (load, 0, 0, 16),
        (equal, 1, 0, socket.AF_UNIX),
        (answer, 0, 0, 0x5_0000 | errno.EAFNOSUPPORT),
        (answer, 0, 0, 0x7FFF_0000),  # allows it
    ]
    steps = ctypes.create_string_buffer(
        b"".join(struct.pack("HBBI", what, yes, no, operand) for what, yes, no, operand in program)
    )
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, struct.pack("HP", len(program), ctypes.addressof(steps)))


def _prctl(option: int, value: int, pointer: bytes | int = 0) -> None:
    _called("prctl", option, value, pointer, 0, 0)


def _called(name: str, *arguments: int | bytes) -> None:
    """Call a function of the C library. Raises OSError as it says."""
    import ctypes  # noqa: PLC0415 - only the script needs it

    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


if __name__ == "__main__":
    _main(int(sys.argv[1]), *sys.argv[2:])
