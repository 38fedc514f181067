"""Start a browser without network and with bounded memory, and end it with the crawl. For Linux.

NAMESPACE   user and network namespaces without an interface: there is no route, not even to this machine
FILTER      if the system refuses namespaces: the kernel refuses all but local sockets (seccomp)
OPEN        neither: only the browser's own switches keep it off the network

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
"""The user id of root inside its namespace, as Chromium has no sandbox for root."""
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38
_SECCOMP_MODE_FILTER = 2
_SOCKET_CALLS = {"x86_64": (0xC000_003E, 41), "aarch64": (0xC000_00B7, 198)}
"""By machine: AUDIT_ARCH, and the number of the system call socket."""
_IO_URING_SETUP = 425
"""A system call that can open sockets without calling socket."""
_OF_OTHER_ABIS = 0x4000_0000
"""The first system call number of the x32 ABI."""


def has_cages() -> bool:
    """True on systems with cages."""
    return sys.platform == "linux"


@contextlib.contextmanager
def caged(program: Path, most_memory: int) -> Iterator[Path]:
    """A program that starts `program` in a cage; on other systems than Linux `program` itself.

    most_memory: bytes for each of its processes.
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
    """The cage of a process, by the kernel's account."""
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
        with contextlib.suppress(ValueError, OSError):  # the limit may be lower already
            resource.setrlimit(kind, (most, most))
    sandbox = () if os.geteuid() else ("--no-sandbox",)
    os.execv(program, (program, *arguments, *sandbox))


def _leave_network() -> None:
    """Enter new namespaces as a user other than root. Raises OSError if that is not allowed."""
    user, group = os.geteuid(), os.getegid()
    _called("unshare", _CLONE_NEWUSER | _CLONE_NEWNET)
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user or _NOT_ROOT} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group or _NOT_ROOT} {group} 1")


def _refuse_sockets() -> None:
    """Have the kernel refuse all but local sockets from now on. Raises OSError if it cannot."""
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
    """Call a function of the C library. Raises OSError by its errno."""
    import ctypes  # noqa: PLC0415 - only the script needs it

    if getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


if __name__ == "__main__":
    _main(int(sys.argv[1]), *sys.argv[2:])
