"""How commands end that are interrupted, or whose output nobody takes: quietly, with the right exit code."""

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from support.patience import PATIENCE
from support.sites import HOME, crawl, crawled_anew, faults_in, rows
from support.small_web import small_web

MINICRAWL = [sys.executable, "-m", "minicrawl"]


@contextlib.contextmanager
def started(words: Sequence[str | Path], *, alone: bool = False) -> Iterator["subprocess.Popen[str]"]:
    """A process, which ends with the block. alone: as the first of a group of processes."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        list(map(str, words)), stdout=pipe, stderr=pipe, text=True, start_new_session=alone
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def patched(patch: str) -> list[str]:
    """The program, with a line of Python run before it."""
    return [sys.executable, "-c", f"import sys, time; {patch}; from minicrawl.__main__ import run; run()"]


def test_ctrl_c_before_the_crawl_has_begun(tmp_path: Path) -> None:
    """While it reads its seeds: a pipe opens once there is a reader."""
    os.mkfifo(tmp_path / "seeds")
    words: list[str | Path] = [*MINICRAWL, "crawl", tmp_path / "seeds", "--store", tmp_path / "crawl.db"]
    with started(words) as process, (tmp_path / "seeds").open("w"):
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (130, "", "")


def test_ctrl_c_in_the_settling_leaves_what_was_committed(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    patch = (
        "from minicrawl.crawler.known.ranking import Ranking; "
        "Ranking.settle_fully = lambda _: (print('settling', flush=True), time.sleep(60))"
    )
    words = ["crawl", "http://127.0.0.1:2/", "--store", str(store), "--allow-private", "-q", "--time", "1s"]
    with started([*patched(patch), *words]) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "settling\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (130, "", "")
    assert faults_in(store) == []
    assert rows(store, "SELECT url FROM pages") == [("http://127.0.0.1:2/",)]


def test_ctrl_c_for_the_whole_group_while_workers_start(tmp_path: Path) -> None:
    patch = (
        "from minicrawl.crawler.sources.workers import Source; start = Source._started; "
        "Source._started = lambda *given: (start(*given), print('worker', flush=True), time.sleep(60))[0]"
    )
    words: list[str | Path] = ["crawl", HOME, "--store", tmp_path / "crawl.db", "--workers", "2", "-q"]
    with started([*patched(patch), *words], alone=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "worker\n"
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (130, "", "")
    assert faults_in(tmp_path / "crawl.db") == []


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_saves_and_exits_with_130(tmp_path: Path, kind: signal.Signals) -> None:
    words = ["crawl", "http://127.0.0.1:2/", "--store", str(tmp_path / "crawl.db")]
    words += ["--allow-private", "--delay", "60", "-v"]
    with started([*MINICRAWL, *words]) as process:
        assert process.stderr is not None
        assert any("requesting " in line for line in process.stderr)
        process.send_signal(kind)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert rows(tmp_path / "crawl.db", "SELECT value FROM meta WHERE key = 'stopped'") == [("interrupted",)]
    assert faults_in(tmp_path / "crawl.db") == []


def test_sigterm_in_the_first_moments_is_told(tmp_path: Path) -> None:
    """As the command line is loaded, and while the command reads its seeds from a pipe."""
    os.mkfifo(tmp_path / "seeds")
    loading = "from minicrawl import __main__; import builtins; was = builtins.__import__; "
    loading += "builtins.__import__ = lambda name, *more: (name == 'minicrawl.cli' and (print('loading', flush=True), "
    loading += "[time.sleep(0.1) for _ in range(6000)]), was(name, *more))[1]"  # it may come just before a sleep begins
    for patch in ("", loading):
        with started([*(patched(patch) if patch else MINICRAWL), "crawl", tmp_path / "seeds"]) as process:
            assert process.stdout is not None
            with contextlib.ExitStack() as opened:
                if patch:
                    assert process.stdout.readline() == "loading\n"
                else:
                    opened.enter_context((tmp_path / "seeds").open("w"))
                process.send_signal(signal.SIGTERM)
                out, err = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out, err) == (143, "", "Ended by SIGTERM.\n")


ENDLESS = """
import time
def on_page(page):
    with open(BEGAN, "w") as began:
        began.write("began")
    time.sleep(86_400)
"""


@pytest.mark.parametrize("workers", ["0", "1"])
def test_a_hook_that_does_not_return_does_not_hold_up_a_stop(tmp_path: Path, workers: str) -> None:
    os.mkfifo(tmp_path / "began")
    (tmp_path / "hook.py").write_text(ENDLESS.replace("BEGAN", repr(str(tmp_path / "began"))))
    patch = "from minicrawl import timing; object.__setattr__(timing.STANDARD, 'in_children', 0.2)"
    words: list[str | Path] = [
        *patched(patch),
        "crawl",
        HOME,
        "--store",
        tmp_path / "crawl.db",
        "--workers",
        workers,
        "-q",
    ]
    words += ["--allow-private", "--hook", tmp_path / "hook.py", "--no-traps", "--workers", workers]
    with small_web() as port, started([*words, "--connect-to", f"::127.0.0.1:{port}"]) as process:
        assert (tmp_path / "began").read_text() == "began"
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, "Traceback" in err) == (130, False)
    assert rows(tmp_path / "crawl.db", "SELECT state FROM pages WHERE url = ?", HOME) == [("waiting",)]


store = crawled_anew({HOME: [f"/{number:0200}" for number in range(1000)]}, [HOME], pages=1)
"""More pages than fit into a pipe."""


def test_a_reader_that_has_had_enough_ends_a_command_quietly(store: Path) -> None:
    with started([*MINICRAWL, "export", "-", "--store", store]) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(("rank", "  rank"))
        process.stdout.close()
        assert process.stderr is not None
        assert (process.stderr.read(), process.wait(PATIENCE)) == ("", 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device")
@pytest.mark.parametrize("words", [["export", "-"], ["status", "--json"]], ids=" ".join)
def test_output_that_cannot_be_written_is_one_sentence(store: Path, words: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*MINICRAWL, *words, "--store", str(store)], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    told = "Error: standard output cannot be written: No space left on device; redirect it elsewhere\n"
    assert (done.returncode, done.stderr) == (2, told)


def test_closed_output_takes_nothing_and_no_file_gets_its_number(tmp_path: Path) -> None:
    crawl({HOME: []}, tmp_path / "crawl.db", [HOME])
    for closed in (">&-", "<&- >&- 2>&-"):
        line = f'exec "$@" {closed}'
        shell = ["sh", "-c", line, "sh", *MINICRAWL, "export", "-", "--store", str(tmp_path / "crawl.db")]
        ended = subprocess.run(shell, check=False, capture_output=True, text=True, timeout=PATIENCE)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert faults_in(tmp_path / "crawl.db") == []
