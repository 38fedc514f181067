"""`minicrawl watch` as a user calls it, on a server that changes; its messages, which arrive once."""

import json
import os
import pty
import shlex
import signal
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar
from xml.etree import ElementTree as ET

import pytest
from click.testing import Result
from support.command_line import run
from support.effort import loaded_by
from support.patience import PATIENCE
from support.rendered import slow_with_chromium
from support.small_web import Pages, WebServer

import minicrawl

PROSE = "".join(f"<p>Paragraph {number} tells of the harbour and its {number} boats.</p>" for number in range(6))
KEEP = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read())"


class Shop(WebServer):
    """Thirty pages with a price each and a counter of visits; `posted`: what was sent to it."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.prices = dict.fromkeys(range(30), 10)
        self.gone: set[int] = set()
        self.visits = 0
        self.needs_browser = False
        self.menu = "Start"
        self.posted: list[Any] = []
        self.asked = threading.Semaphore(0)

    @property
    def home(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"


class _Handler(Pages):
    server: Shop

    def do_GET(self) -> None:  # noqa: N802 - as http.server calls it
        name = self.path.strip("/")
        if not name.isdigit() or int(name) in self.server.gone:
            self.answer(404, b"")
            return
        self.server.visits += 1
        self.server.asked.release()
        price = f"<p>{self.server.prices[int(name)]} EUR</p><p>Visitors: {self.server.visits}</p>"
        if self.server.needs_browser:
            price = f"<script>document.write({json.dumps(price)})</script>"
        menu = f"<nav>{self.server.menu}</nav>"
        self.answer(200, f"<title>Item {name}</title>{menu}<h1>Item {name}</h1>{price}{PROSE}".encode())

    def do_POST(self) -> None:  # noqa: N802
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.posted.append(json.loads(body))
        self.answer(200, b"")


@contextmanager
def shop(folder: Path, pages: int = 30) -> Iterator[tuple[Shop, Path]]:
    """The server and a list of its pages."""
    server = Shop()
    with server.serving():
        file = folder / "pages.txt"
        file.write_text("".join(f"{server.home}{number}\n" for number in range(pages)))
        yield server, file


OPTIONS = ("--allow-private", "--delay", "0", "--confirm", "1s")


def watch(*words: str | Path) -> Result:
    return run("watch", *words, *OPTIONS)


def test_a_list_is_remembered_beside_its_file_and_told_when_it_changes(tmp_path: Path) -> None:
    with shop(tmp_path) as (server, pages):
        first = watch(pages)
        assert (first.exit_code, first.output) == (0, "30 pages are watched from now on.\n")
        assert (tmp_path / "pages.watch.db").exists()
        assert watch(pages).output == ""
        server.prices |= {3: 12, 7: 9}
        server.gone.add(20)
        before = server.visits
        told = watch(pages, "--exit-code")
        assert server.visits - before == 29 + 2
        assert watch(pages, "--exit-code").output == ""
    head, *lines = told.output.splitlines()
    assert head.startswith("3 of 30 pages changed (")
    assert lines == [
        f"{server.home}3  price", "  - 10 EUR", "  + 12 EUR",
        f"{server.home}7  price", "  - 10 EUR", "  + 9 EUR",
        f"{server.home}20  lost: the answer was 404 Not Found",
    ]  # fmt: skip
    assert told.exit_code == 1
    later = run("watch", "--last", "1d", "--store", tmp_path / "pages.watch.db")
    assert [line.strip() for line in later.output.splitlines()[1:]] == [line.strip() for line in lines]
    store = tmp_path / "pages.watch.db"
    assert run("changes", "--store", store).output == later.output
    assert "Nothing was reported since 2100-01-01" in run("changes", "--since", "2100-01-01", "--store", store).output
    assert "is the store of watched pages" in run("changes", "--rising", "--store", store).output
    assert "watched   30 pages, checked 4 times" in run("status", "--store", store).output


@slow_with_chromium
@pytest.mark.parametrize("options", [["--render", "."], []], ids=["rendered", "as sent"])
def test_what_scripts_write_is_watched_in_a_browser(tmp_path: Path, options: list[str]) -> None:
    """Without one the page says nothing but its script."""
    with shop(tmp_path, 2) as (server, file):
        server.needs_browser = True
        assert watch(file, *options).output == "2 pages are watched from now on.\n"
        assert watch(file, *options).output == ""
        server.prices[1] = 12
        said = [line.strip() for line in watch(file, *options).output.splitlines()]
    assert said[1:] == ([f"{server.home}1  price", "- 10 EUR", "+ 12 EUR"] if options else [])


@pytest.mark.parametrize("options", [["--all"], []])
def test_what_changes_beside_the_content_is_printed_once(tmp_path: Path, options: list[str]) -> None:
    with shop(tmp_path, 1) as (server, pages):
        watch(pages)
        server.menu = "Another menu"
        said = [watch(pages, *options).output for _ in range(2)]
        server.prices[0] = 12
        said.append(watch(pages, *options).output)
    assert [each.count("+ Another menu") for each in said] == ([1, 0, 0] if options else [0, 0, 1])


def test_json_has_what_changed(tmp_path: Path) -> None:
    with shop(tmp_path, 3) as (server, pages):
        watch(pages)
        server.prices[1] = 20
        server.gone.add(2)
        said = json.loads(watch(pages, "--json").output)
    (changed,) = said["changed"]
    assert {name: changed[name] for name in ("url", "title", "kinds", "removed", "added")} == {
        "url": f"{server.home}1", "title": "Item 1", "kinds": ["price"], "removed": ["10 EUR"], "added": ["20 EUR"],
    }  # fmt: skip
    assert [(lost["url"], lost["why"]) for lost in said["lost"]] == [(f"{server.home}2", "http-404")]
    assert said["round"] == 2


def test_a_feed_has_each_change_once(tmp_path: Path) -> None:
    feed = tmp_path / "feed.xml"
    with shop(tmp_path, 2) as (server, pages):
        for price in (10, 11, 12, 12):
            server.prices[0] = price
            watch(pages, "--atom", feed)
    entries = ET.fromstring(feed.read_text()).findall("{*}entry")
    assert ["12 EUR" in ET.tostring(entry, "unicode") for entry in entries] == [True, False]
    assert len({entry.findtext("{*}id") for entry in entries}) == 2


def test_a_command_is_called_once_a_round_and_again_with_the_next_if_it_fails(tmp_path: Path) -> None:
    told = tmp_path / "told"
    call = shlex.join([sys.executable, "-c", KEEP, str(told)])
    fails = shlex.join([sys.executable, "-c", "raise SystemExit(3)"])
    with shop(tmp_path, 3) as (server, pages):
        watch(pages, "--run", call)
        server.prices |= {0: 11, 1: 12}
        failed = watch(pages, "--run", fails)
        assert "The message was not sent, and will be sent with the next" in failed.output
        assert "ended with 3" in failed.output
        server.prices[2] = 13
        again = watch(pages, "--run", call)
        watch(pages, "--run", call)
    (line,) = told.read_text().splitlines()
    assert [change["added"] for change in json.loads(line)["changed"]] == [["11 EUR"], ["12 EUR"], ["13 EUR"]]
    assert ["EUR" in line and line.split()[1] for line in again.output.splitlines() if "+" in line] == ["13"]


def test_a_message_reaches_a_webhook_and_a_mail_server(tmp_path: Path) -> None:
    """Once, also if the command is not called; services are remembered, and no message shows the password."""
    pytest.importorskip("apprise")
    mails, fails = Mails(), shlex.join([sys.executable, "-c", "raise SystemExit(3)"])
    with shop(tmp_path, 2) as (server, pages), mails.serving() as port:
        hook = f"json://127.0.0.1:{server.server_port}/hook"
        mail = f"mailto://me:secret@127.0.0.1:{port}?from=me@a.test&to=you@a.test&mode=insecure"
        tried = run("watch", "--test-notify", "--notify", hook, "--store", tmp_path / "pages.watch.db")
        assert tried.output == "The message was sent.\n"
        assert not (tmp_path / "pages.watch.db").stat().st_mode & 0o77
        first = watch(pages, "--notify", hook, "--notify", mail)
        server.prices[1] = 15
        told = watch(pages, "--run", fails)
        watch(pages, "--run", fails)
        watch(pages)
    assert "15 EUR" in server.posted[1]["message"]
    assert len(server.posted) == 2
    assert [("15 EUR" in mail, "pages changed" in mail) for mail in mails.taken] == [(True, True)]
    assert "secret" not in first.output + told.output


class Mails(WebServer):
    """A mail server (RFC 5321) that takes every mail."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Mail)
        self.taken: list[str] = []


class _Mail(socketserver.StreamRequestHandler):
    server: Mails
    says: ClassVar = {"EHLO": b"250-me\r\n250 AUTH PLAIN", "AUTH": b"235 in", "DATA": b"354 go", "QUIT": b"221 bye"}

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        while line := self.rfile.readline().decode().strip():
            verb = line.split()[0].upper()
            self.wfile.write(self.says.get(verb, b"250 well") + b"\r\n")
            if verb == "DATA":
                lines = iter(lambda: self.rfile.readline().decode().rstrip("\r\n"), ".")
                self.server.taken.append("\n".join(lines))
                self.wfile.write(b"250 taken\r\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name the pages to watch"),
        (["http://a.test/", "--selector", "p["], "is not a CSS selector"),
        (["http://a.test/", "--selector", "/none=p"], "matches the URL of no page of the list"),
        (["http://a.test/", "--only", "prices"], "--only takes kinds of changes, added, address"),
        (["http://a.test/", "--confirm", "1s,2s,3s"], "--confirm takes one time or two"),
        (["http://a.test/", "--every", "often"], "often"),
        (["http://a.test/", "--notify", "what://a.test"], "is not a URL that Apprise knows"),
        (["--test-notify"], "--test-notify tests --notify and --run"),
        (["--last", "1d"], "no page is watched in "),
    ],
)
def test_a_mistake_is_told_in_one_sentence(tmp_path: Path, words: list[str], said: str) -> None:
    result = run("watch", *words, "--store", tmp_path / "w.db")
    assert result.exit_code == 2
    assert said in result.output
    assert result.output.count("\n") == 1


def test_a_list_of_which_nothing_can_be_read_ends_with_an_exit_code_of_its_own(tmp_path: Path) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        result = watch(f"http://127.0.0.1:{closed.getsockname()[1]}/", "--store", tmp_path / "w.db")
    assert result.exit_code == 3
    assert "could not be checked" in result.output
    says_why = result.stderr.partition("'minicrawl ")[2].partition("'")[0]
    assert "nothing listens on that port" in run(*shlex.split(says_why)).output


def kill_a_round(server: Shop, pages: Path) -> None:
    """Kill it while pages wait to be asked again."""
    while server.asked.acquire(blocking=False):
        pass
    words = [sys.executable, "-m", "minicrawl", "watch", str(pages), *OPTIONS[:3], "--confirm", "1h"]
    with subprocess.Popen(words, start_new_session=True) as process:
        for _ in range(5):
            assert server.asked.acquire(timeout=PATIENCE)
        os.kill(process.pid, signal.SIGKILL)


def test_a_kill_in_a_round_loses_no_change_and_tells_none_twice(tmp_path: Path) -> None:
    with shop(tmp_path, 5) as (server, pages):
        watch(pages)
        server.prices[2] = 99
        kill_a_round(server, pages)
        told = [watch(pages).output for _ in range(2)]
    assert ["99 EUR" in each for each in told] == [True, False]


def test_after_a_kill_in_the_first_round_the_next_one_says_that_pages_are_watched(tmp_path: Path) -> None:
    with shop(tmp_path, 5) as (server, pages):
        kill_a_round(server, pages)
        assert [watch(pages).output for _ in range(2)] == ["5 pages are watched from now on.\n", ""]


def test_at_a_terminal_a_check_says_what_takes_so_long(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with shop(tmp_path, 2) as (_, pages):
        words = [sys.executable, "-m", "minicrawl", "watch", str(pages), *OPTIONS]
        said = subprocess.run(words, stdout=subprocess.PIPE, stderr=theirs, check=True).stdout
    assert said == b"2 pages are watched from now on.\n"
    assert os.read(ours, 1_000) == b"Checking 2 pages; new and changed ones are fetched again after 1s.\r\n"
    for end in (ours, theirs):
        os.close(end)


def test_python_yields_rounds(tmp_path: Path) -> None:
    with shop(tmp_path, 2) as (server, pages):
        store = tmp_path / "w.db"
        (first,) = minicrawl.watch(str(pages), store, confirm=(), allow_private=True, delay=0)
        server.prices[0] = 11
        (second,) = minicrawl.watch(str(pages), store, confirm=(), allow_private=True, delay=0)
    assert (len(first.fresh), first.events) == (2, ())
    assert [event.added for event in second.events] == [("11 EUR",)]


@pytest.mark.slow
def test_with_all_defaults_a_second_check_says_nothing(tmp_path: Path) -> None:
    """But for loopback. The first check takes the half minute after which each page is requested twice more."""
    with shop(tmp_path, 1) as (server, pages):
        words = [sys.executable, "-m", "minicrawl", "watch", str(pages), "--allow-private"]
        said = [subprocess.run(words, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert said == ["1 page is watched from now on.\n", ""]
    assert server.visits == 4


def test_a_watch_loads_what_it_uses() -> None:
    """No tables for people, other command, difference of texts, fast loop, or XML before a page of it comes."""
    modules = "asyncio, minicrawl.cli.watch as watch, minicrawl.crawler.run, minicrawl.parts.watch.rounds"
    names = loaded_by(f"import {modules}; watch.run_loop(asyncio.sleep(0), is_small=True)")
    assert names.isdisjoint({"rich", "difflib", "xml", "uvloop", "minicrawl.cli.crawl", "minicrawl.cli.changes"})
