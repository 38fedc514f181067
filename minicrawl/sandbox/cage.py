"""Enter a cage: limited memory, no network, and an end with the process that started it.

NAMESPACE   user and network namespaces without an interface: there is no route, not even to this machine
FILTER      the kernel refuses sockets (seccomp): of a browser, all but local ones
OPEN        neither

A browser enters namespaces, which its own sandbox needs of root, and is filtered where the system refuses them. Other
children are filtered at once: in a namespace, root could no longer read its other users' files, such as libraries. They
reach no other process, either: the filter refuses to trace, to signal the parent and to leave the process group, and
Landlock (Linux 5.13; 6.7 where children start others) the memory and, from 6.12 on, the signals of all others. It also
keeps those that only parse from writing files.

Memory is limited for each process, and processes are not counted: the kernel counts those of a user, whatever started
them, and root's not at all. A child that only parses may start none; those of another one are killed with it.

Runs also as a script that becomes a program (execve), so it imports nothing else of minicrawl.
"""

import contextlib
import ctypes
import errno
import os
import resource
import socket
import stat
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

NAMESPACE, FILTER, OPEN = "namespace", "filter", "open"
_CLONE_NEWUSER, _CLONE_NEWNET, _CLONE_THREAD = 0x1000_0000, 0x4000_0000, 0x1_0000
_NOT_ROOT = 1000
"""The user id of root inside its namespace, as Chromium has no sandbox for root."""
_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 22, 38
_SECCOMP_MODE_FILTER = 2
_SIGKILL = 9
_Step = tuple[int, int, int, int]


class _Calls(NamedTuple):
    """Numbers of a machine's system calls. arch: its AUDIT_ARCH; starts: calls by which a process starts a program or
    another process, beside clone; signals: kill and tgkill; others: calls that reach another process or leave the
    process group: ptrace, process_vm_readv, process_vm_writev, rt_sigqueueinfo, rt_tgsigqueueinfo, tkill, unshare,
    setns, setpgid, setsid."""

    arch: int
    socket: int
    socketpair: int
    clone: int
    ioctl: int
    prlimit: int
    starts: tuple[int, ...]
    signals: tuple[int, ...]
    others: tuple[int, ...]


_X86_STARTS, _ARM_STARTS = (57, 58, 59, 322), (221, 281)  # fork, vfork, execve, execveat; execve, execveat
_X86_OTHERS = (101, 310, 311, 129, 297, 200, 272, 308, 109, 112)
_ARM_OTHERS = (117, 270, 271, 138, 240, 130, 97, 268, 154, 157)
_CALLS = {
    "x86_64": _Calls(0xC000_003E, 41, 53, 56, 16, 302, _X86_STARTS, (62, 234), _X86_OTHERS),
    "aarch64": _Calls(0xC000_00B7, 198, 199, 220, 29, 261, _ARM_STARTS, (129, 131), _ARM_OTHERS),
}
_CLONE3, _IO_URING_SETUP = 435, 425
"""On all machines. io_uring opens sockets without calling socket; clone3 has its flags in memory, out of sight."""
_BY_DESCRIPTOR = (424, 438, 440)
"""On all machines: pidfd_send_signal, pidfd_getfd, process_madvise."""
_NEGATIVE = 0x8000_0000
_DATAGRAM_BIT = 2
"""Of SOCK_DGRAM and SOCK_RAW: ends of such a pair could be connected to others."""
_TYPING = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX, by which a process types in its terminal."""
_LANDLOCK_CREATE, _LANDLOCK_ENTER, _LANDLOCK_VERSION = 444, 446, 1
_WRITES = (0b1_1111_1111_0010, 0b11_1111_1111_0010, 0b111_1111_1111_0010)
"""Landlock's rights to write, remove and make files, of its versions 1, 2, and 3 on."""
_TCP, _OTHERS = 0b11, 0b11
"""Its rights to sockets, from version 4 on, and its scopes, abstract sockets and signals, from version 6 on."""
_OF_OTHER_ABIS = 0x4000_0000
"""The first system call number of the x32 ABI."""


def has_cages() -> bool:
    """True on systems with cages."""
    return sys.platform == "linux"


class Cage(NamedTuple):
    """memory: bytes of data of each process. network, forks: True if it may use the network, and start processes, which
    only a filter refuses. namespaces: try these first. parent: the process to end with, if that is the starter."""

    memory: int = 2 * 2**30
    network: bool = False
    forks: bool = False
    namespaces: bool = False
    parent: int | None = None


def enter(cage: Cage) -> None:
    """Put this process into a cage, as far as the system allows; `cage_of` tells how far."""
    for kind, most in ((resource.RLIMIT_DATA, cage.memory), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(ValueError, OSError):  # there is a lower limit already; none can be set
            resource.setrlimit(kind, (most, most))
    if not has_cages():
        return
    with contextlib.suppress(OSError):
        if not cage.network and not (cage.namespaces and _left_network()):
            _prctl(_PR_SET_NO_NEW_PRIVS, 1)
            if not cage.namespaces:
                with contextlib.suppress(OSError):  # no Landlock
                    _fence(cage.forks)
            _filter(cage)
    with contextlib.suppress(OSError):
        _prctl(_PR_SET_PDEATHSIG, _SIGKILL)
    if cage.parent not in (None, os.getppid()):  # it has ended already
        os._exit(1)


def cage_of(process: int) -> str:
    """The cage of a process, by the kernel's account."""
    with contextlib.suppress(OSError):
        if os.readlink(f"/proc/{process}/ns/net") != os.readlink("/proc/self/ns/net"):
            return NAMESPACE
        if _filters(process) != _filters(os.getpid()):  # this process may have some, as in containers
            return FILTER
    return OPEN


def _filters(process: int) -> list[str]:
    """The lines on seccomp in the status of a process."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return [line for line in lines if line.startswith("Seccomp")]


@contextlib.contextmanager
def caged(program: Path, most_memory: int) -> Iterator[Path]:
    """A program that starts the browser `program` in a cage; on other systems than Linux `program` itself.

    most_memory: bytes for each of its processes.
    """
    if not has_cages():
        yield program
        return
    import shlex  # noqa: PLC0415 - children need neither
    import tempfile  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="minicrawl-") as folder:
        starter = Path(folder, "chromium")
        command = [sys.executable, "-I", "-S", __file__, str(most_memory), str(program)]
        starter.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
        starter.chmod(stat.S_IRWXU)
        yield starter


def _main(most_memory: int, program: str, *arguments: str) -> None:
    enter(Cage(most_memory, forks=True, namespaces=True))
    sandbox = () if os.geteuid() else ("--no-sandbox",)
    os.execv(program, (program, *arguments, *sandbox))


def _left_network() -> bool:
    """Enter new namespaces as a user other than root, if that is allowed."""
    user, group = os.geteuid(), os.getegid()
    try:
        _called("unshare", _CLONE_NEWUSER | _CLONE_NEWNET)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user or _NOT_ROOT} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group or _NOT_ROOT} {group} 1")
    except OSError:
        return False
    return True


def _fence(forks: bool) -> None:
    """Enter a domain of Landlock, whose processes reach none outside. Raises OSError if there is none."""
    version = _called("syscall", _LANDLOCK_CREATE, None, 0, _LANDLOCK_VERSION)
    files = 0 if forks else _WRITES[min(version, len(_WRITES)) - 1]
    rules = struct.pack("QQQ", files, _TCP, _OTHERS)[: 8 * (1 + (version >= 4) + (version >= 6))]
    domain = _called("syscall", _LANDLOCK_CREATE, rules, len(rules), 0)
    try:
        _called("syscall", _LANDLOCK_ENTER, domain, 0)
    finally:
        os.close(domain)


def _filter(cage: Cage) -> None:
    """Have the kernel refuse sockets from now on, and new processes. Raises OSError if it cannot."""
    calls = _CALLS.get(os.uname().machine)
    if calls is None:
        raise OSError(errno.ENOSYS, "no filter for this machine")
    # operation, steps to leave out if it holds and if not, operand; see seccomp(2)
    load, equal, at_least, has_bits, answer = 0x20, 0x15, 0x35, 0x45, 0x06
    number, machine, first = 0, 4, 16  # where the system call is described
    killed, failed, allowed = (answer, 0, 0, 0x8000_0000), 0x5_0000, (answer, 0, 0, 0x7FFF_0000)

    def refused(test: int, value: int, code: int) -> list[_Step]:
        return [(test, 0, 1, value), (answer, 0, 0, failed | code)]

    def refused_unless(call: int, test: int, value: int, code: int) -> list[_Step]:
        return [(equal, 0, 4, call), (load, 0, 0, first), (test, 0, 1, value), allowed, (answer, 0, 0, failed | code)]

    def refused_if(call: int, argument: int, tests: Iterable[tuple[int, int]], code: int) -> list[_Step]:
        steps = [step for test, value in tests for step in refused(test, value, code)]
        return [(equal, 0, len(steps) + 2, call), (load, 0, 0, first + 8 * argument), *steps, allowed]

    program = [(load, 0, 0, machine), (equal, 1, 0, calls.arch), killed, (load, 0, 0, number)]
    for test, call in ((at_least, _OF_OTHER_ABIS), (equal, _IO_URING_SETUP)):
        program += refused(test, call, errno.EAFNOSUPPORT)
    if not cage.namespaces:  # any but a browser
        program += refused(equal, _CLONE3, errno.ENOSYS)  # the C library takes clone in its place
        for call in (*(() if cage.forks else calls.starts), *calls.others, *_BY_DESCRIPTOR):
            program += refused(equal, call, errno.EPERM)
        if cage.forks:
            program += refused_if(calls.clone, 0, [(has_bits, _CLONE_NEWUSER)], errno.EPERM)
        else:
            program += refused_unless(calls.clone, has_bits, _CLONE_THREAD, errno.EPERM)
        for call in calls.signals:
            program += refused_if(call, 0, [(equal, cage.parent or 0), (at_least, _NEGATIVE)], errno.EPERM)
        program += refused_unless(calls.prlimit, equal, 0, errno.EPERM)
        program += refused_if(calls.ioctl, 1, [(equal, typing) for typing in _TYPING], errno.EPERM)
        program += refused_if(calls.socketpair, 1, [(has_bits, _DATAGRAM_BIT)], errno.EAFNOSUPPORT)
        program += [*refused(equal, calls.socket, errno.EAFNOSUPPORT), allowed]
    else:
        program += [*refused_unless(calls.socket, equal, socket.AF_UNIX, errno.EAFNOSUPPORT), allowed]
    steps = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in program))
    _prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, struct.pack("HP", len(program), ctypes.addressof(steps)))


def _prctl(option: int, value: int, pointer: bytes | int = 0) -> None:
    _called("prctl", option, value, pointer, 0, 0)


def _called(name: str, *arguments: int | bytes | None) -> int:
    """Call a function of the C library. Raises OSError by its errno."""
    result: int = getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


if __name__ == "__main__":
    _main(int(sys.argv[1]), *sys.argv[2:])
