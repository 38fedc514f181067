"""Functions that tests let a sandbox call: they do what foreign bytes and foreign code may do."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

_calls = 0


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
    "chdir": lambda: os.chdir("/"),
    "nothing": lambda *_: None,
}


def does(what: str, *arguments: object) -> str:
    """Do something by name; return the name."""
    _DEEDS[what](*arguments)
    return what
