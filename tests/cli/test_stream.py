"""crawl --stream"""

import os
import signal
import subprocess
import sys
from pathlib import Path

from support.command_line import run
from support.patience import PATIENCE
from support.sites import faults_in, rows
from support.small_web import small_web

MINICRAWL = [sys.executable, "-m", "minicrawl"]
SEED = "http://example.org/"


def words(port: int, store: Path, *more: str) -> list[str]:
    shared = ["--stream", "--delay", "0", "--ip-delay", "0", "--connect-to", f"::127.0.0.1:{port}", "--allow-private"]
    return ["crawl", "-", "--no-probe", *shared, "--store", str(store), *more]


def started(line: list[str], seeds: str) -> "subprocess.Popen[str]":
    pipe = subprocess.PIPE
    process = subprocess.Popen([*MINICRAWL, *line], stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert process.stdin is not None
    process.stdin.write(seeds)
    process.stdin.close()
    process.stdin = None  # so that communicate lets it be
    return process


def test_each_page_that_is_read_is_a_line_and_nothing_else_is(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    with small_web() as port, started(words(port, store), SEED) as process:
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    read = rows(store, "SELECT url FROM pages WHERE state IN ('fetched', 'alias')")
    assert len(read) > 1
    assert sorted(out.splitlines()) == sorted(url for (url,) in read)
    assert "nothing is left to fetch" in err


def test_a_pipe_that_closes_stops_the_crawl_in_order(tmp_path: Path) -> None:
    """As head does. More pages wait than a reader has room for: example.org asks for a second between two of them."""
    store = tmp_path / "crawl.db"
    with small_web() as port, started(words(port, store, "--host-delay", "example.org=0.2"), SEED) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == f"{SEED}\n"
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait(PATIENCE) == 0
    assert "Traceback" not in err
    assert "Error" not in err
    assert rows(store, "SELECT value FROM meta WHERE key = 'stopped'") == [("interrupted",)]
    assert faults_in(store) == []


def test_ctrl_c_ends_the_stream_with_130(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    with (
        small_web() as port,
        started(words(port, store, "--host-delay", "example.org=3600", "--ignore-robots"), SEED) as process,
    ):
        assert process.stdout is not None
        assert process.stdout.readline() == f"{SEED}\n"
        os.kill(process.pid, signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert faults_in(store) == []


def test_stream_and_json_do_not_go_together(tmp_path: Path) -> None:
    result = run("crawl", SEED, "--stream", "--json", "--store", tmp_path / "crawl.db")
    assert (result.exit_code, "leave one of them out" in result.stderr) == (2, True)
