"""Functions that tests let a sandbox call: they do what foreign bytes and foreign code may do."""

import array
import contextlib
import ctypes
import errno
import fcntl
import importlib
import itertools
import mmap
import os
import pickle
import platform
import resource
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from msgspec.msgpack import encode

from minicrawl.sandbox.child import LENGTH, framed

_calls = 0
_IS_ARM = platform.machine() == "aarch64"


def called() -> tuple[int, int]:
    """The process, and how often it was called."""
    global _calls  # noqa: PLW0603 - that a process keeps it is the point
    _calls += 1
    return os.getpid(), _calls


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise ValueError


def _burn() -> None:
    while True:
        pass


def _doze() -> None:
    """Never rest for long, and do nothing."""
    while True:
        time.sleep(0.01)


def _raise(error: BaseException) -> None:
    raise error


def _fork_and_burn(path: str) -> None:
    if not os.fork():
        Path(path).write_text(str(os.getpid()))
        _burn()


def _bomb() -> None:
    for _ in range(4):
        os.fork()
    _burn()


def _ignore() -> None:
    for kind in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(kind, signal.SIG_IGN)
    time.sleep(3600)


def _connect(port: int, family: int = socket.AF_INET, kind: int = socket.SOCK_STREAM) -> None:
    with socket.socket(family, kind) as one:
        one.connect(("127.0.0.1", port))
        one.send(b"x")


class Reduced:
    """What runs something in whoever unpickles it."""

    def __init__(self, call: Callable[..., object], *arguments: object) -> None:
        self._act = call, arguments

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self._act


def _say(*pieces: bytes) -> None:
    """Write to whatever is open, which is also where answers go; and wait to be killed for it."""
    for end in range(3, 20):
        with contextlib.suppress(OSError):
            for piece in pieces:
                os.write(end, piece)
    time.sleep(3600)


def _say_without_end(length: int) -> None:
    _say(LENGTH.pack(length), *itertools.repeat(bytes(2**16), 2**20))


def _system(number: int, *arguments: int | bytes | None) -> int:
    """A system call. Raises OSError."""
    result: int = ctypes.CDLL(None, use_errno=True).syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return result


def landlock() -> int:
    """The version of Landlock of this system; 0 where there is none."""
    try:
        return _system(444, None, 0, 1)
    except OSError:
        return 0


def refuse_landlock() -> None:
    """Have the system refuse Landlock to this process and its children, as one without it."""
    steps = ((0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x5_0000 | errno.ENOSYS), (0x06, 0, 0, 0x7FFF_0000))
    program = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    prctl = ctypes.CDLL(None).prctl
    assert prctl(38, 1, 0, 0, 0) == 0
    assert prctl(22, 2, struct.pack("HP", len(steps), ctypes.addressof(program)), 0, 0) == 0


def _pair() -> None:
    """One end of a pair of datagram sockets could be connected to another's socket."""
    socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)


def _touch_memory(call: str) -> None:
    """Read or write memory of the parent."""
    there = (ctypes.c_size_t * 2)(0x1000, 8)
    here = (ctypes.c_size_t * 2)(ctypes.addressof(ctypes.create_string_buffer(8)), 8)
    if getattr(ctypes.CDLL(None, use_errno=True), call)(os.getppid(), here, 1, there, 1, 0) < 0:
        raise OSError(ctypes.get_errno(), "refused")


def _leave_group() -> None:
    """What left the child's group would not be killed with it."""
    child = os.fork()
    if not child:
        try:
            os.setsid()
        except OSError as error:
            os._exit(error.errno or 0)
        os._exit(0)
    raise OSError(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), "refused")


def _run_from_memory() -> None:
    program = os.memfd_create("x")
    os.write(program, b"#!/bin/sh\n")
    os.execv(f"/proc/self/fd/{program}", ["x"])


def _ways(folder: str, port: int) -> dict[str, Callable[[], object]]:
    """Ways out of a cage, to a folder and a port."""
    parent, file = os.getppid(), Path(folder, "file")
    connect = pickle.dumps(Reduced(socket.create_connection, ("127.0.0.1", port)))
    run = pickle.dumps(Reduced(os.system, f"touch {folder}/run"))
    return {
        "a pickle that connects": partial(_say, framed(connect)),
        "a pickle that runs a program": partial(_say, framed(run)),
        "an answer with a pickle in it": partial(_say, framed(encode((connect, None)))),
        "an answer of another type": partial(_say, framed(encode((5, None)))),
        "an answer of nothing": partial(_say, framed(encode((None, None)))),
        "an answer and an error": partial(_say, framed(encode(("done", ("x", "y"))))),
        "an answer of a part": partial(_say, framed(encode((None,)))),
        "an answer of null": partial(_say, framed(encode(None))),
        "an answer of a number": partial(_say, framed(encode(5))),
        "an answer of a text": partial(_say, framed(encode("done"))),
        "an answer of a map": partial(_say, framed(encode({"0": "done", "1": None}))),
        "an answer of no bytes": partial(_say, framed(b"")),
        "an answer of more than one": partial(_say, framed(encode(("done", None)) * 2)),
        "an error of nothing": partial(_say, framed(encode((None, (None, None))))),
        "an answer nested deeply": partial(_say, framed(b"\x91" * 9_000)),
        "an answer with depths in it": partial(_say, framed(b"\x92" + b"\x91" * 9_000 + b"\xc0\xc0")),
        "an answer of four billion parts": partial(_say, framed(b"\x92\xdd\xff\xff\xff\xff")),
        "an answer of 10 GB": partial(_say_without_end, 10**10),
        "an answer without end": partial(_say_without_end, 9_000),
        "IPv4": partial(socket.socket, socket.AF_INET),
        "IPv6": partial(socket.socket, socket.AF_INET6, socket.SOCK_DGRAM),
        "a local socket": partial(socket.socket, socket.AF_UNIX),
        "a pair of sockets": _pair,
        "netlink": partial(socket.socket, 16, socket.SOCK_RAW),
        "packets": partial(socket.socket, 17, socket.SOCK_RAW),
        "the host of a virtual machine": partial(socket.socket, 40),
        "a socket of another ABI": partial(_system, 0x4000_0029, 2, 1, 0),
        "io_uring": partial(_system, 425, 1, bytes(120)),
        "tracing": partial(_system, 117 if _IS_ARM else 101, 16, parent, None, None),
        "writing the memory of the crawl": partial(_touch_memory, "process_vm_writev"),
        "reading it": partial(_touch_memory, "process_vm_readv"),
        "its file of memory": lambda: Path(f"/proc/{parent}/mem").open("r+b"),
        "its files": lambda: _system(438, os.pidfd_open(parent), 1, 0),
        "its limits": partial(resource.prlimit, parent, resource.RLIMIT_CORE, (0, 0)),
        "a signal to it": partial(os.kill, parent, signal.SIGURG),
        "a signal to all": partial(os.kill, -1, signal.SIGURG),
        "a signal by descriptor": lambda: signal.pidfd_send_signal(os.pidfd_open(parent), signal.SIGURG),
        "another namespace": partial(_system, 97 if _IS_ARM else 272, 0x5000_0000),
        "a child in another namespace": partial(_system, 220 if _IS_ARM else 56, 0x5000_0011, *[None] * 4),
        "typing in the terminal": partial(fcntl.ioctl, 2, 0x5412, array.array("b", b"x")),
        "much memory": partial(mmap.mmap, -1, 2**40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS),
        "leaving the group": _leave_group,
        "a program": partial(os.execv, sys.executable, ["x"]),
        "a program in memory": _run_from_memory,
        "a process": os.fork,
        "a secret file": Path(folder, "there").read_text,
        "a folder of secrets": lambda: os.listdir(folder),
        "the passwords of the system": lambda: Path("/etc/passwd").read_text(),
        "the environment of the crawl": lambda: Path(f"/proc/{parent}/environ").read_bytes(),
        "its own first environment": lambda: Path("/proc/self/environ").read_bytes(),
        "rights of a file": lambda: Path(folder, "there").chmod(0o777),
        "the owner of a file": lambda: os.chown(Path(folder, "there"), os.getuid(), os.getgid()),
        "times of a file": lambda: os.utime(Path(folder, "there"), (1, 1)),
        "attributes of a file": lambda: os.setxattr(Path(folder, "there"), "user.x", b"x"),
        "the attributes of one": lambda: os.listxattr(Path(folder, "there")),
        "the priority of the crawl": partial(os.setpriority, os.PRIO_PROCESS, parent, 5),
        "its processors": lambda: os.sched_setaffinity(parent, {0}),
        "its scheduling": lambda: os.sched_setscheduler(parent, os.SCHED_BATCH, os.sched_param(0)),
        "the clock": lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()),
        "the name of the host": lambda: socket.sethostname(socket.gethostname()),
        "signals when a pipe is ready": lambda: fcntl.fcntl(2, fcntl.F_SETOWN, parent),
        "a file": partial(file.write_text, "x"),
        "a link": partial(file.symlink_to, "/"),
        "a folder": partial(file.mkdir),
        "removing a file": Path(folder, "there").unlink,
    }


WAYS = tuple(_ways("", 0))


def tries(way: str, folder: str, port: int) -> str:
    """Try a way out of a cage; return the name of the error, or "done"."""
    try:
        _ways(folder, port)[way]()
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "no error")
    return "done"


_DEEDS: dict[str, Callable[..., object]] = {
    "burn": _burn,
    "doze": _doze,
    "sleep": lambda: time.sleep(3600),
    "stop": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "exit": lambda: sys.exit(5),
    "exit at once": lambda: os._exit(5),
    "interrupt": lambda: _raise(KeyboardInterrupt()),
    "raise": lambda: _raise(UnspeakableError()),
    "allocate": lambda: len(bytearray(4 * 2**30)),
    "close": lambda: os.closerange(3, 100),
    "fork": os.fork,
    "bomb": _bomb,
    "ignore": _ignore,
    "run": lambda: subprocess.run(["true"], check=True),
    "connect": _connect,
    "resolve": lambda: socket.getaddrinfo("localhost.test", 80),
    "fork and burn": _fork_and_burn,
    "read": lambda: os.write(2, sys.stdin.read().encode()),
    "print": lambda: (sys.stdout.write("printed\n"), os.write(1, b"written\n")),
    "import": importlib.import_module,
    "environment": lambda: _raise(ValueError(",".join(sorted(os.environ)))),
    "steer": lambda: os.write(2, "a\x1b]0;x\x07\x1b[2J\rb\x9bc\u202ed\x08\tok \ud55c\n".encode()),
    "chdir": lambda: os.chdir("/"),
    "nothing": lambda *_: None,
}


def does(what: str, *arguments: object) -> str:
    """Do something by name; return the name."""
    _DEEDS[what](*arguments)
    return what
