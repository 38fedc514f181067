"""Enter a cage: limited memory, no network, and an end with the process that started it.

NAMESPACE   user and network namespaces without an interface: there is no route, not even to this machine
FILTER      the kernel refuses sockets (seccomp): of a browser, all but local ones
OPEN        neither

A browser enters namespaces, which its own sandbox needs of root, and is filtered where the system refuses them. Other
children are filtered at once: in a namespace, root could no longer read its other users' files, such as libraries. They
reach no other process, either: the filter refuses to trace, to signal the parent and to leave the process group, and
Landlock (Linux 5.13; 6.7 where children start others) the memory and, from 6.12 on, the signals of all others.

The crawl follows the links that a child that only parses answers, so whatever it reads could get out. Its filter is a
list of the calls that it may make: to read files, to use its own memory, threads, clocks and signals, and to end. Of
all files Landlock lets it read those of the interpreter, its packages and the system's libraries. It may still ask
whether a file is there and what its size and dates are. Its environment has what Python needs to start. Without
Landlock it reads what its user can.

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
_LONGEST_FOLDER = 60
"""Characters of a folder in which a browser has a socket: Linux has room for 107 in the name of one."""
_Step = tuple[int, int, int, int]


class _Calls(NamedTuple):
    """Numbers of a machine's system calls. arch: its AUDIT_ARCH; opens: calls that open a file, each with the place of
    its flags; signals: kill and tgkill; others: calls that reach another process or leave the process group: ptrace,
    process_vm_readv, process_vm_writev, rt_sigqueueinfo, rt_tgsigqueueinfo, tkill, unshare, setns, setpgid, setsid."""

    arch: int
    socket: int
    socketpair: int
    clone: int
    ioctl: int
    prlimit: int
    fcntl: int
    opens: dict[int, int]
    signals: tuple[int, ...]
    others: tuple[int, ...]


_X86_OTHERS = (101, 310, 311, 129, 297, 200, 272, 308, 109, 112)
_ARM_OTHERS = (117, 270, 271, 138, 240, 130, 97, 268, 154, 157)
_CALLS = {
    "x86_64": _Calls(0xC000_003E, 41, 53, 56, 16, 302, 72, {2: 1, 257: 2}, (62, 234), _X86_OTHERS),
    "aarch64": _Calls(0xC000_00B7, 198, 199, 220, 29, 261, 25, {56: 2}, (129, 131), _ARM_OTHERS),
}
_OF_PARSERS = (
    "read 0 63, write 1 64, close 3 57, stat 4 -, fstat 5 80, lstat 6 -, newfstatat 262 79, statx 332 291, poll 7 -, "
    "ppoll 271 73, select 23 -, pselect6 270 72, lseek 8 62, mmap 9 222, mprotect 10 226, munmap 11 215, "
    "mremap 25 216, madvise 28 233, brk 12 214, rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139, "
    "rt_sigpending 127 136, "
    "sigaltstack 131 132, pread64 17 67, readv 19 65, writev 20 66, access 21 -, faccessat 269 48, faccessat2 439 439, "
    "readlink 89 -, readlinkat 267 78, getcwd 79 17, getdents64 217 61, dup 32 23, dup2 33 -, dup3 292 24, "
    "close_range 436 436, nanosleep 35 101, clock_nanosleep 230 115, clock_gettime 228 113, clock_getres 229 114, "
    "gettimeofday 96 169, time 201 -, times 100 153, getitimer 36 102, setitimer 38 103, getrusage 98 165, "
    "getrlimit 97 163, getpid 39 172, getppid 110 173, getpgrp 111 -, gettid 186 178, getuid 102 174, geteuid 107 175, "
    "getgid 104 176, getegid 108 177, uname 63 160, sysinfo 99 179, getcpu 309 168, sched_yield 24 124, "
    "sched_getaffinity 204 123, futex 202 98, set_robust_list 273 99, set_tid_address 218 96, restart_syscall 219 128, "
    "membarrier 324 283, rseq 334 293, getrandom 318 278, exit 60 93, exit_group 231 94"
)
"""The calls of a process that only parses, whatever their arguments: names, and numbers on x86_64 and aarch64."""
_ABOUT_DESCRIPTORS = (0, 1, 2, 3, 1030)
"""Of fcntl: F_DUPFD, F_GETFD, F_SETFD, F_GETFL and F_DUPFD_CLOEXEC."""
_ABOUT_FILES = (0x5401, 0x5450, 0x5451)
"""Of ioctl: TCGETS, which tells whether it is a terminal, FIONCLEX and FIOCLEX."""
_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_CLONE3, _IO_URING_SETUP = 435, 425
"""On all machines. io_uring opens sockets without calling socket; clone3 has its flags in memory, out of sight."""
_BY_DESCRIPTOR = (424, 438, 440)
"""On all machines: pidfd_send_signal, pidfd_getfd, process_madvise."""
_NEGATIVE = 0x8000_0000
_DATAGRAM_BIT = 2
"""Of SOCK_DGRAM and SOCK_RAW: ends of such a pair could be connected to others."""
_TYPING = (0x5412, 0x541C)
"""TIOCSTI and TIOCLINUX, by which a process types in its terminal."""
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_ENTER, _LANDLOCK_VERSION, _BENEATH = 444, 445, 446, 1, 1
_READS, _RUNS = 0b1100, 0b1
"""Landlock's rights to read files and folders, and to run programs."""
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache")
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
    """memory: bytes of data of each process. network, forks: True if it may use the network, or start processes; only a
    filter refuses the latter. namespaces: try these first. parent: the process to end with, if that is the starter."""

    memory: int = 2 * 2**30
    network: bool = False
    forks: bool = False
    namespaces: bool = False
    parent: int | None = None


def environment() -> dict[str, str]:
    """What a child that only parses needs of the environment: Python finds its modules by it."""
    names = ("PYTHONHOME", "PYTHONPATH", "PYTHONUSERBASE", "LD_LIBRARY_PATH")
    return {"OPENBLAS_NUM_THREADS": "1", **{name: os.environ[name] for name in names if name in os.environ}}


def enter(cage: Cage) -> bool:
    """Put this process into a cage, as far as the system allows; `cage_of` tells how far. Returns True unless it can
    read files that it should not."""
    reads_all = not (cage.forks or cage.network or cage.namespaces)
    for kind, most in ((resource.RLIMIT_DATA, cage.memory), (resource.RLIMIT_CORE, 0)):
        with contextlib.suppress(ValueError, OSError):  # there is a lower limit already; none can be set
            resource.setrlimit(kind, (most, most))
    if not has_cages():
        return not reads_all
    with contextlib.suppress(OSError):
        _prctl(_PR_SET_PDEATHSIG, _SIGKILL)
    with contextlib.suppress(OSError):
        if not cage.network and not (cage.namespaces and _left_network()):
            _prctl(_PR_SET_NO_NEW_PRIVS, 1)
            if not cage.namespaces:
                with contextlib.suppress(OSError):  # no Landlock
                    _fence(cage.forks)
                    reads_all = False
            _filter(cage)
    if cage.parent not in (None, os.getppid()):  # it has ended already
        os._exit(1)
    return not reads_all


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
        # It takes itself away, because this process may be killed before it does.
        gone = f"rm -f {shlex.quote(str(starter))}; rmdir {shlex.quote(folder)}"
        starter.write_text(f'#!/bin/sh\n{gone}\nexec {shlex.join(command)} "$@"\n')
        starter.chmod(stat.S_IRWXU)
        yield starter


def _main(most_memory: int, program: str, *arguments: str) -> None:
    enter(Cage(most_memory, forks=True, namespaces=True))
    sandbox = () if os.geteuid() else ("--no-sandbox",)
    for argument in arguments:  # what the browser writes elsewhere nobody would remove
        name, _, folder = argument.partition("=")
        if name == "--user-data-dir" and len(folder) <= _LONGEST_FOLDER:
            os.environ["TMPDIR"] = folder
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
    files = 0 if forks else _WRITES[min(version, len(_WRITES)) - 1] | _READS | _RUNS
    rules = struct.pack("QQQ", files, _TCP, _OTHERS)[: 8 * (1 + (version >= 4) + (version >= 6))]
    domain = _called("syscall", _LANDLOCK_CREATE, rules, len(rules), 0)
    try:
        for place in () if forks else _readable():
            with contextlib.suppress(OSError):  # it is not there
                place_of_it = os.open(place, os.O_PATH | os.O_CLOEXEC)
                try:
                    rights = _READS if os.path.isdir(place) else _READS & ~0b1000
                    _called("syscall", _LANDLOCK_ADD, domain, _BENEATH, struct.pack("=Qi", rights, place_of_it), 0)
                finally:
                    os.close(place_of_it)
        _called("syscall", _LANDLOCK_ENTER, domain, 0)
    finally:
        os.close(domain)


def _readable() -> Iterator[str]:
    """The folders of the interpreter, of this package and of all installed ones, and of the system's libraries."""
    yield from (os.path.dirname(os.__file__), str(Path(__file__).parents[1]), *_LIBRARIES)
    for place in filter(os.path.isdir, sys.path):
        if any(name.endswith(".dist-info") for name in os.listdir(place)):  # not a folder of the user's programs
            yield place


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

    def allowed_by(call: int, argument: int, tests: Iterable[tuple[int, int]]) -> list[_Step]:
        steps = [step for test, value in tests for step in ((test, 0, 1, value), allowed)]
        refusal: _Step = (answer, 0, 0, failed | errno.EPERM)
        return [(equal, 0, len(steps) + 2, call), (load, 0, 0, first + 8 * argument), *steps, refusal]

    program = [(load, 0, 0, machine), (equal, 1, 0, calls.arch), killed, (load, 0, 0, number)]
    for test, call in ((at_least, _OF_OTHER_ABIS), (equal, _IO_URING_SETUP)):
        program += refused(test, call, errno.EAFNOSUPPORT)
    if not cage.namespaces and not cage.forks:
        program += refused(equal, _CLONE3, errno.ENOSYS)  # as below
        for call in (calls.socket, calls.socketpair):
            program += refused(equal, call, errno.EAFNOSUPPORT)
        program += allowed_by(calls.clone, 0, [(has_bits, _CLONE_THREAD)])
        for call in calls.signals:
            program += allowed_by(call, 0, [(equal, os.getpid())])
        program += allowed_by(calls.prlimit, 0, [(equal, 0)])
        program += allowed_by(calls.fcntl, 1, [(equal, command) for command in _ABOUT_DESCRIPTORS])
        program += allowed_by(calls.ioctl, 1, [(equal, command) for command in _ABOUT_FILES])
        for call, flags in calls.opens.items():
            program += refused_if(call, flags, [(has_bits, _TO_WRITE)], errno.EACCES)
        column = 1 if os.uname().machine == "x86_64" else 2
        for number_of_it in (words[column] for words in map(str.split, _OF_PARSERS.split(","))):
            program += [] if number_of_it == "-" else [(equal, 0, 1, int(number_of_it)), allowed]
        program.append((answer, 0, 0, failed | errno.EPERM))
    elif not cage.namespaces:  # a process with others
        program += refused(equal, _CLONE3, errno.ENOSYS)  # the C library takes clone in its place
        for call in (*calls.others, *_BY_DESCRIPTOR):
            program += refused(equal, call, errno.EPERM)
        program += refused_if(calls.clone, 0, [(has_bits, _CLONE_NEWUSER)], errno.EPERM)
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
