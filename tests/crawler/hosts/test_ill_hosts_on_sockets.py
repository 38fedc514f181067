"""Hosts that fall ill, over real connections: no page is lost after the next run, and no request leaves too early."""

import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.command_line import run
from support.killing_web import killing_web
from support.loopback import quiet_port
from support.patience import PATIENCE
from support.sites import faults_in, rows
from support.small_web import Pages, WebServer

HOST = "http://a.test/"
WELL_ANSWERS = 12
PATHS = ["/", *(f"/folder{number % 4}/page{number}" for number in range(40))]
WORDS = [f"{first}{last}" for first in ("am", "ce", "fjo", "gro", "in") for last in ("ber", "dar", "rd", "ve", "let")]


class Ill(Pages):
    """Hosts of pages that all differ; a.test is ill while `is_ill`, but for its first answers."""

    kind: Callable[["Ill"], None]
    is_ill = True
    lock = threading.Lock()
    fell_ill = threading.Event()
    log: list[tuple[float, str, bool]]
    """When each page was asked for, on which host, and whether that was ill."""

    def do_GET(self) -> None:  # noqa: N802 - as http.server calls it
        if self.path == "/robots.txt":
            self.answer(404, b"")
            return
        with self.lock:
            host = self.headers["Host"]
            is_ill = self.is_ill and host == "a.test" and sum(asked == host for _, asked, _ in self.log) >= WELL_ANSWERS
            self.log.append((time.monotonic(), host, is_ill))
            asked = len(self.log)
        if is_ill:
            type(self).kind(self)
            self.fell_ill.set()
            return
        if self.is_ill and host != "a.test" and asked > WELL_ANSWERS:
            assert self.fell_ill.wait(PATIENCE)
        number = PATHS.index(self.path)
        words = " ".join(WORDS[(number * place + place) % len(WORDS)] for place in range(1, 40))
        links = "".join(f'<a href="{path}">{path}</a>' for path in PATHS)
        self.answer(200, f"<title>{self.path}</title><p>{words} {number}</p>{links}".encode())


def reset(handler: Ill) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RD)


RESTING = "busy for two seconds"
REST = 1.5
"""Seconds of these that are over for sure before a later run asks again: each goes by the machine's clock, which may be
set in between."""
KINDS: dict[str, Callable[[Ill], None]] = {
    "busy": lambda handler: handler.answer(429, b"slow down"),
    RESTING: lambda handler: handler.answer(429, b"slow down", ("Retry-After", "2")),
    "refusing": lambda handler: handler.answer(403, b"<title>Forbidden</title>no"),
    "walled": lambda handler: handler.answer(200, b"<title>Just a moment</title><p>Checking your browser"),
    "resetting": reset,
    "failing": lambda handler: handler.answer(503, b""),
}


@contextmanager
def serving(kind: str) -> Iterator[tuple[type[Ill], list[str]]]:
    """The pages of a host that falls ill so, and the options by which a crawl asks it."""
    pages = type("Kind", (Ill,), {"kind": staticmethod(KINDS[kind]), "log": []})
    with WebServer(("127.0.0.1", 0), pages).serving() as port:
        yield pages, ["--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--no-traps", "--delay", "0"]


def is_read(store: Path) -> bool:
    states = Counter(rows(store, "SELECT state, reason FROM pages"))
    return states == {("fetched", "ok"): len(PATHS)}


@pytest.mark.parametrize("workers", ["0", "2"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_next_run_reads_what_an_ill_host_left(tmp_path: Path, kind: str, workers: str) -> None:
    store = tmp_path / "crawl.db"
    crawl: list[str | Path] = ["crawl", HOST, "--store", store, "--workers", workers]
    with serving(kind) as (pages, options):
        run(*crawl, *options, "--patience", "0")
        assert WELL_ANSWERS < len(pages.log) <= WELL_ANSWERS + 10  # at most ten requests of an ill host
        assert not is_read(store)
        pages.is_ill = False
        if kind == RESTING:
            asked_at = max(at for at, _, is_ill in pages.log if is_ill)
        else:  # hours later
            rows(store, "UPDATE hosts SET rests_until = 0")
        run(*crawl, *options)
        assert is_read(store)
        if kind == RESTING:
            assert min(at for at, *_ in pages.log if at > asked_at) >= asked_at + REST
    assert faults_in(store) == []


def test_a_host_that_closes_its_port_is_read_by_the_next_run(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl: list[Any] = ["crawl", HOST, "--store", store, "--allow-private", "--no-traps", "--delay", "0"]
    pages = type("Kind", (Ill,), {"log": [], "is_ill": False})
    with WebServer(("127.0.0.1", quiet_port()), pages).serving() as port:
        to = ["--connect-to", f"::127.0.0.1:{port}"]
        run(*crawl, *to, "--pages", str(WELL_ANSWERS))
    run(*crawl, *to, "--patience", "0")
    assert not is_read(store)
    rows(store, "UPDATE hosts SET rests_until = 0")
    with WebServer(("127.0.0.1", port), pages).serving():
        run(*crawl, *to)
    assert is_read(store)
    assert faults_in(store) == []


def test_a_rest_that_a_host_asked_for_outlives_a_kill(tmp_path: Path) -> None:
    """The crawl is killed while one host rests, at a later request of another one."""
    store, kind = tmp_path / "crawl.db", KINDS[RESTING]
    own = {"kind": staticmethod(kind), "log": [], "fell_ill": threading.Event()}
    with killing_web(type("Kind", (Ill,), own)) as server:
        pages: Any = server.RequestHandlerClass
        command = server.crawl_command(store, [HOST, "http://b.test/"], "--no-traps")
        assert server.kill(command, 2 + WELL_ANSWERS + 1 + len(PATHS) - 3)  # files robots.txt, and nearly all of b.test
        (asked_at,) = (at for at, _, is_ill in pages.log if is_ill)
        pages.is_ill = False
        assert not server.kill(command, 0)
    assert min(at for at, host, _ in pages.log if host == "a.test" and at > asked_at) >= asked_at + REST
    assert rows(store, "SELECT DISTINCT state, reason FROM pages") == [("fetched", "ok")]
    assert len(pages.log) >= 2 * len(PATHS)
    assert faults_in(store) == []
