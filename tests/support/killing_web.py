"""A web, by a server that kills who asks it: instead of its answer to a request of a given number."""

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from support.small_web import Pages, WebServer


class KillingWeb(WebServer):
    """`asked`: how many requests came since the last process was started."""

    def __init__(self, pages: type[Pages] = Pages) -> None:
        super().__init__(("127.0.0.1", 0), type("Counted", (_Counted, pages), {}))
        self._counting = threading.Lock()
        self._is_begun = threading.Event()
        self.asked = self._deadly = self._victim = 0

    def kill(self, command: Sequence[str], asked: int) -> bool:
        """Start a process, which is killed when it has asked for so many; whether it came to that."""
        self._is_begun.clear()
        self.asked, self._deadly = 0, asked
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            self._victim = process.pid
            self._is_begun.set()
        self._deadly = 0
        return process.returncode == -signal.SIGKILL

    def count(self) -> None:
        with self._counting:
            self.asked += 1
            is_deadly = self.asked == self._deadly
        if is_deadly:
            self._is_begun.wait()
            os.kill(self._victim, signal.SIGKILL)


class _Counted(Pages):
    def do_GET(self) -> None:  # noqa: N802 - the name that the base class calls
        server = self.server
        assert isinstance(server, KillingWeb)
        server.count()
        super().do_GET()


@contextmanager
def killing_web(pages: type[Pages] = Pages) -> Iterator[KillingWeb]:
    """Serve it for as long as the block runs."""
    server = KillingWeb(pages)
    with server.serving():
        yield server
