"""A crawl that is asked for something and killed: what was answered is done, what was not is done or not, never half.

The crawls run in processes of their own, each forked from one that has loaded everything, and are killed at the n-th
call of any function after the command has come, in whatever thread that is.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from support.counted_web import CountedWeb, counted_web
from support.sites import faults_in, rows

from minicrawl.control.messages import Message, connected, line_of

# Reads (steps, arguments of the crawl) line by line; forks a crawl that is killed after so many steps; says when it is.
_BREEDER = """
import json, os, signal, sys, threading
import minicrawl.control.commands as listening
import minicrawl.crawler.run, minicrawl.cli.crawl, minicrawl.cli.display, minicrawl.analysis.top
from minicrawl.cli import main

def crawl(steps, words):
    left = [steps, False]
    message_of = listening.message_of
    def step(*_):
        if left[1]:
            left[0] -= 1
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
    def heard(line):
        left[1] = True
        return message_of(line)
    listening.message_of = heard
    threading.setprofile(step)
    sys.setprofile(step)
    main(words, standalone_mode=False)

for line in sys.stdin:
    steps, words = json.loads(line)
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        crawl(steps, words)
        os._exit(0)
    print(child, flush=True)
    os.waitpid(child, 0)
    print("over", flush=True)
"""


@pytest.fixture(scope="module")
def web() -> Iterator[CountedWeb]:
    with counted_web(pages=30) as web:
        yield web


class Crawls:
    """Crawls of a store that was stopped, each to be killed."""

    def __init__(self, web: CountedWeb, folder: Path) -> None:
        self._folder = folder
        self._crawls = 0
        self._options = ["--connect-to", f"::127.0.0.1:{web.port}", "--allow-private", "--ip-delay", "0", "-q"]
        self._stopped = folder / "stopped.db"
        self.breeder = subprocess.Popen(
            [sys.executable, "-c", _BREEDER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        seeds = ["http://a.test/", "http://b.test/", "http://c.test/"]
        self._start(10**9, self._stopped, *seeds, "--pages", "3", "--delay", "0.01")
        assert self._said() == "over"

    def killed(self, message: Message, steps: int) -> tuple[Path, dict[str, Any] | None]:
        """What a crawl leaves that is asked that, and killed so many steps later; and what it has answered."""
        self._crawls += 1
        store = self._folder / f"{self._crawls}.db"
        shutil.copy(self._stopped, store)
        pid = self._start(steps, store, "--delay", "60")  # so that what was answered stands until it is killed
        answer = b""
        while (line := connected(store, 60)) is None:
            pass
        with closing(line), line.makefile("rb") as answers:
            try:
                line.sendall(line_of(message))
                answer = answers.readline()
            except OSError:
                pass
        if answer:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        assert self._said() == "over"
        return store, json.loads(answer) if answer else None

    def _start(self, steps: int, store: Path, *words: str) -> int:
        assert self.breeder.stdin is not None
        self.breeder.stdin.write(json.dumps([steps, ["crawl", *words, "--store", str(store), *self._options]]) + "\n")
        self.breeder.stdin.flush()
        return int(self._said())

    def _said(self) -> str:
        assert self.breeder.stdout is not None
        return self.breeder.stdout.readline().strip()


@pytest.fixture(scope="module")
def crawls(web: CountedWeb, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawls]:
    crawls = Crawls(web, tmp_path_factory.mktemp("kills"))
    yield crawls
    with crawls.breeder as breeder:
        assert breeder.stdin is not None
        breeder.stdin.close()


def settings_of(store: Path) -> object:
    settings = json.loads(rows(store, "SELECT value FROM meta WHERE key = 'settings'")[0][0])
    return settings["delay"], settings["concurrency"], settings["deny"]


def seeds_of(store: Path) -> object:
    return len(rows(store, "SELECT 1 FROM pages WHERE url LIKE 'http://new%'"))


def banned_in(store: Path) -> object:
    return list_of(store, "banned_hosts")


def first_in(store: Path) -> object:
    return len(list_of(store, "asked_first"))


def list_of(store: Path, key: str) -> list[Any]:
    """What a store keeps under a key, which may have no list there yet."""
    return [one for (text,) in rows(store, "SELECT value FROM meta WHERE key = ?", key) for one in json.loads(text)]


def stopped_in(store: Path) -> object:
    return rows(store, "SELECT value FROM meta WHERE key = 'stopped'")


NEW = [f"http://new{number}.test/" for number in range(5)]
COMMANDS: dict[str, Any] = {
    "set": ({"do": "set", "settings": {"delay": 9, "concurrency": 3, "deny": ["x"]}}, settings_of, (9.0, 3, ["x"])),
    "add": ({"do": "add", "urls": NEW, "guessed": []}, seeds_of, 5),
    "ban": ({"do": "ban", "host": "b.test"}, banned_in, ["b.test"]),
    "again": ({"do": "again", "url": "http://b.test/"}, first_in, 1),
    "stop": ({"do": "stop"}, stopped_in, [("interrupted",)]),
}
BEFORE = {"set": (60.0, 64, []), "add": 0, "ban": [], "again": 0, "stop": [(None,)]}


def check(crawls: Crawls, name: str, steps: int) -> bool:
    """Kill a crawl, and look at what it has left; whether it has answered."""
    message, look, after = COMMANDS[name]
    store, answer = crawls.killed(message, steps)
    assert faults_in(store) == [], (name, steps)
    if answer is not None:
        assert "done" in answer, (name, steps, answer)
        assert look(store) == after, (name, steps)
    else:
        assert look(store) in (after, BEFORE[name]), (name, steps)
    return answer is not None


@pytest.mark.parametrize("name", COMMANDS)
def test_done_means_done_and_nothing_is_half_done(crawls: Crawls, name: str) -> None:
    assert [check(crawls, name, steps) for steps in (0, 400, 10**9)][::2] == [False, True]


KILLS = 10


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_the_same_at_many_steps(crawls: Crawls, name: str) -> None:
    """From the first step to one at which the command is surely answered."""
    most = 500
    while not check(crawls, name, most):
        most *= 2
    answered = [check(crawls, name, most * number // KILLS) for number in range(KILLS)]
    assert not answered[0]
