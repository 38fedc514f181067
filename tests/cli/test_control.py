"""`minicrawl control`, as a user types it, on a crawl in a process of its own."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.command_line import answer, run
from support.counted_web import CountedWeb, counted_web
from support.sites import crawl, rows

from minicrawl.control.socket_files import connected
from minicrawl.crawler.books.invariants import violations
from minicrawl.store.reader import open_store

HOSTS = ("a.test", "b.test")


@pytest.fixture(scope="module")
def web() -> Iterator[CountedWeb]:
    with counted_web(pages=40) as web:
        yield web


@contextmanager
def started(web: CountedWeb, store: Path, *options: str) -> Iterator["subprocess.Popen[str]"]:
    """A crawl that listens, which is killed if it has not ended by the end of the block."""
    words = ["crawl", *(f"http://{host}/" for host in HOSTS), "--store", str(store), "--allow-private", "-q"]
    words += ["--connect-to", f"::127.0.0.1:{web.port}", "--ip-delay", "0", *options]
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-m", "minicrawl", *words], stdout=pipe, stderr=pipe, text=True) as process:
        try:
            while (line := connected(store, 60)) is None and process.poll() is None:
                time.sleep(0.01)
            if line is not None:
                line.close()
            yield process
        finally:
            process.kill()


def until(store: Path, fetched: int) -> dict[str, Any]:
    """What a crawl says of itself once it has fetched so many pages."""
    while (status := answer("control", "status", "--store", store))["fetched"] < fetched:
        time.sleep(0.1)  # a look takes CPU, too
    return dict(status)


def told(store: Path, *words: str) -> str:
    result = run("control", *words, "--store", store)
    assert result.exit_code == 0, result.output
    return result.output


def test_a_crawl_is_steered_from_another_shell(web: CountedWeb, tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    with started(web, store, "--delay", "5") as process:  # so that 20 pages are far away until it is changed
        until(store, 2)
        assert told(store, "pause").startswith("paused")
        status = answer("control", "status", "--store", store)
        assert (status["running"], status["state"], status["limits"]["pages"]) == (True, "paused", None)
        assert "state      paused; process " in told(store, "status")
        assert told(store, "set", "delay=0.05", "pages=20").splitlines() == ["pages: none -> 20", "delay: 5.0 -> 0.05"]
        assert told(store, "set", "delay=0.05") == "nothing is changed: all of that was so before\n"
        assert told(store, "add", "http://c.test/", "http://a.test/") == "1 new seed, 1 known before\n"
        assert told(store, "ban", "c.test").startswith("c.test is banned: nothing is asked of it until")
        assert told(store, "unban", "c.test") == "c.test is no longer banned\n"
        assert told(store, "again", "b.test") == "http://b.test/ is next on its host\n"
        assert "fetches and parses itself" in told(store, "workers")
        assert told(store, "resume") == "running\n"
        out, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (0, "")
    assert "20 pages" in out
    assert not store.with_name("crawl.db.sock").exists()
    with open_store(store) as reader:
        assert list(violations(reader)) == []


@pytest.mark.parametrize("now", [[], ["--now"]])
def test_a_crawl_is_stopped(web: CountedWeb, tmp_path: Path, now: list[str]) -> None:
    store = tmp_path / "crawl.db"
    with started(web, store, "--delay", "60") as process:
        until(store, 0)
        assert told(store, "stop", *now).startswith("stopping")
        out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, "")
    assert "it was interrupted" in out
    assert rows(store, "SELECT value FROM meta WHERE key = 'stopped'") == [("interrupted",)]


@pytest.mark.slow
def test_workers_come_and_go_while_nothing_is_lost_or_asked_twice(tmp_path: Path) -> None:
    """On a web that has more pages than anybody waits for.

    A busy machine may be late to see a request that came in its time: so the pace is that of 20, not of two.
    """
    store, delay, some = tmp_path / "crawl.db", 0.1, 20
    with (
        counted_web(pages=3000) as web,
        started(web, store, "--delay", str(delay), "--no-probe", "--no-traps") as process,
    ):
        for number, fetched in ((4, 5), (0, 20), (2, 35), (4, 50), (1, 65), (0, 80)):
            until(store, fetched)
            assert told(store, "set", f"workers={number}").startswith("workers: ")
            assert len(answer("control", "workers", "--store", store)["workers"]) >= number
            if number:
                assert "worker  process  does" in told(store, "workers")
        assert told(store, "stop").startswith("stopping")
        process.communicate(timeout=120)
    assert process.returncode == 130
    asked = {f"http://{one.host}{one.path}" for one in web.asked}
    assert len(asked) == len(web.asked)
    assert {url for (url,) in rows(store, "SELECT url FROM pages WHERE state = 'fetched'")} == asked
    waiting = {url for (url,) in rows(store, "SELECT url FROM pages WHERE state = 'waiting'")}
    assert waiting == (web.urls("a.test") | web.urls("b.test")) - asked
    for host in HOSTS:
        times = [one.at for one in web.asked if one.host == host]
        assert min(later - earlier for earlier, later in zip(times, times[some:], strict=False)) > 0.7 * some * delay
    with open_store(store) as reader:
        assert list(violations(reader)) == []


def test_a_crawl_that_was_killed_is_none_and_the_next_one_can_be_steered(web: CountedWeb, tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    with started(web, store, "--delay", "1") as process:
        until(store, 1)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert store.with_name("crawl.db.sock").exists()
    assert run("control", "status", "--store", store).exit_code == 1
    assert "for the next one" in told(store, "add", "http://d.test/")
    with started(web, store, "--delay", "1") as process:
        assert until(store, 0)["known"] > 2
        with started(web, store) as second:  # which must leave the socket of the first one alone
            assert second.wait(60) == 3
        assert told(store, "stop", "--now").startswith("stopping")
        process.communicate(timeout=60)
    with open_store(store) as reader:
        assert list(violations(reader)) == []


def test_two_crawls_are_steered_apart(web: CountedWeb, tmp_path: Path) -> None:
    first, second = tmp_path / "1.db", tmp_path / "2.db"
    with started(web, first, "--delay", "1") as one, started(web, second, "--delay", "1") as other:
        told(first, "pause")
        assert answer("control", "status", "--store", first)["state"] == "paused"
        assert answer("control", "status", "--store", second)["state"] in ("starting", "running")
        for store, process in ((first, one), (second, other)):
            told(store, "stop", "--now")
            process.communicate(timeout=60)


@pytest.fixture
def stopped(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    crawl({"http://a.test/": ["/a"]}, path, ["http://a.test/"], pages=1)
    return path


def test_without_a_running_crawl_changes_are_for_the_next_one(stopped: Path, tmp_path: Path) -> None:
    assert told(stopped, "set", "delay=2") == "delay: 0.0 -> 2.0\nno crawl runs; the next one goes on with that\n"
    assert (
        told(stopped, "again", "a.test")
        == "http://a.test/ is next on its host; no crawl runs, so that is for the next one\n"
    )
    (tmp_path / "more.txt").write_text("http://b.test/\nhttp://c.test/\nhttp://b.test/\n")
    assert answer("control", "add", tmp_path / "more.txt", "--store", stopped) == {
        "running": False,
        "seeds": 2,
        "new": 2,
    }
    assert answer("control", "ban", "c.test", "--store", stopped) == {"running": False, "host": "c.test"}
    assert "no crawl runs, so that is for the next one" in told(stopped, "unban", "c.test")


@pytest.mark.parametrize(
    ("words", "code", "problem"),
    [
        (["pause"], 1, "no crawl runs on"),
        (["stop"], 1, "no crawl runs on"),
        (["status", "--json"], 1, "no crawl runs on"),
        (["set", "delay"], 2, "a setting is written as NAME=VALUE"),
        (["set", "dely=2"], 2, "did you mean 'delay'?"),
        (["set", "pages=5"], 2, "--pages is for one run"),
        (["set", "timeout=5"], 2, "cannot change while a crawl runs"),
        (["set"], 2, "Missing argument"),
        (["ban", "nowhere.test"], 2, "nowhere.test is no host that this crawl knows a page of"),
        (["again", "http://a.test/unknown"], 2, "is not known to this crawl"),
        (["add", "nowhere.txt"], 2, "seed file nowhere.txt cannot be read"),
    ],
)
def test_a_mistake_is_one_sentence(stopped: Path, words: list[str], code: int, problem: str) -> None:
    result = run("control", *words, "--store", stopped)
    assert (result.exit_code, result.stdout) == (code, "")
    assert problem in result.stderr


def test_a_store_that_is_not_there_is_told(tmp_path: Path) -> None:
    result = run("control", "ban", "a.test", "--store", tmp_path / "none.db")
    assert (result.exit_code, "there is no crawl at" in result.stderr) == (3, True)
