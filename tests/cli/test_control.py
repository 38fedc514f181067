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
from support.patience import PATIENCE
from support.sites import crawled_once, faults_in, rows

from minicrawl.control.messages import connected

HOSTS = ("a.test", "b.test")


@pytest.fixture(scope="module")
def web() -> Iterator[CountedWeb]:
    with counted_web(pages=40) as web:
        yield web


@contextmanager
def started(web: CountedWeb, store: Path, *options: str) -> Iterator["subprocess.Popen[str]"]:
    """A crawl that listens, which is killed if it has not ended by the end of the block."""
    words = ["crawl", *(f"http://{host}/" for host in HOSTS), "--store", str(store), "--allow-private", "-q"]
    words += ["--connect-to", f"::127.0.0.1:{web.port}", "--ip-delay", "0", "--ignore-robots", *options]
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
    with started(web, store, "--delay", "3600") as process:  # so that 20 pages are far away until it is changed
        until(store, 2)
        assert told(store, "pause").startswith("paused")
        status = answer("control", "status", "--store", store)
        assert (status["running"], status["state"], status["limits"]["pages"]) == (True, "paused", None)
        assert "state      paused; process " in told(store, "status")
        changes = told(store, "set", "delay=0.05", "pages=20").splitlines()
        assert changes == ["pages: none -> 20", "delay: 3600.0 -> 0.05"]
        assert told(store, "set", "delay=0.05") == "nothing changed: all values were already set\n"
        assert told(store, "add", "http://c.test/", "http://a.test/") == "1 new seed, 1 known before\n"
        assert told(store, "ban", "c.test").startswith("c.test is banned: no requests until")
        assert told(store, "unban", "c.test") == "c.test is no longer banned\n"
        assert told(store, "again", "b.test") == "http://b.test/ is next on its host\n"
        assert "fetches and parses itself" in told(store, "workers")
        assert told(store, "resume") == "running\n"
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, "")
    assert "20 pages" in out
    assert not store.with_name("crawl.db.sock").exists()
    assert faults_in(store) == []


@pytest.mark.parametrize("now", [[], ["--now"]])
def test_a_crawl_is_stopped(web: CountedWeb, tmp_path: Path, now: list[str]) -> None:
    store = tmp_path / "crawl.db"
    with started(web, store, "--delay", "3600") as process:
        until(store, 0)
        assert told(store, "stop", *now).startswith("stopping")
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, "")
    assert "it was interrupted" in out
    assert rows(store, "SELECT value FROM meta WHERE key = 'stopped'") == [("interrupted",)]


def test_a_crawl_that_was_killed_is_none_and_the_next_one_can_be_steered(web: CountedWeb, tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    with started(web, store, "--delay", "3600") as process:
        until(store, 1)
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert store.with_name("crawl.db.sock").exists()
    assert run("control", "status", "--store", store).exit_code == 1
    assert "the next one does this" in told(store, "add", "http://d.test/")
    with started(web, store, "--delay", "3600") as process:
        assert until(store, 0)["known"] > 2
        with started(web, store) as second:  # which must leave the socket of the first one alone
            assert second.wait(PATIENCE) == 3
        assert told(store, "stop", "--now").startswith("stopping")
        process.communicate(timeout=PATIENCE)
    assert faults_in(store) == []


crawled = crawled_once({"http://a.test/": ["/a"]}, ["http://a.test/"], pages=1)


def test_without_a_running_crawl_changes_are_for_the_next_one(store: Path, tmp_path: Path) -> None:
    assert told(store, "set", "delay=2") == "delay: 0.0 -> 2.0\nno crawl is running; the next one uses that\n"
    assert (
        told(store, "again", "a.test")
        == "http://a.test/ is next on its host; no crawl is running, so the next one does this\n"
    )
    (tmp_path / "more.txt").write_text("http://b.test/\nhttp://c.test/\nhttp://b.test/\n")
    assert answer("control", "add", tmp_path / "more.txt", "--store", store) == {"running": False, "seeds": 2, "new": 2}
    assert answer("control", "ban", "c.test", "--store", store) == {"running": False, "host": "c.test"}
    assert "no crawl is running, so the next one does this" in told(store, "unban", "c.test")
