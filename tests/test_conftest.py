"""The test run itself: alike wherever it is started, and each test answers for what it leaves open."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TESTS = Path(__file__).parent


def suite(folder: Path, text: str, *options: str, ignored: signal.Signals | None = None) -> "dict[str, list[str]]":
    """Run one file of tests under the project's configuration; names of tests by how they ended."""
    shutil.copy(TESTS / "conftest.py", folder)
    (folder / "test_it.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-c", str(TESTS.parent / "pyproject.toml"), "--rootdir", str(folder)]
    words = [*command, "-n", "0", "-rA", "-p", "no:cacheprovider", *options, str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    before = signal.signal(ignored, signal.SIG_IGN) if ignored else None
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=folder, env=environment)
    finally:
        if ignored:
            signal.signal(ignored, before)
    ended: dict[str, list[str]] = {"output": [done.stdout]}
    for how, _, name in (line.partition(" ") for line in done.stdout.splitlines() if "test_it.py::" in line):
        ended.setdefault(how, []).append(name.partition("::")[2].partition(" ")[0])
    return ended


PROPERTY = """
from hypothesis import given, strategies as st

@given(st.lists(st.integers()))
def test_property(numbers):
    with open("tried", "a") as file:
        print(numbers, file=file)
"""


def test_examples_are_the_same_at_each_run(tmp_path: Path) -> None:
    tried = []
    for _ in range(2):
        assert suite(tmp_path, PROPERTY)["PASSED"] == ["test_property"]
        tried.append((tmp_path / "tried").read_text())
        (tmp_path / "tried").unlink()
    assert tried[0] == tried[1]


SKIPPED = """
from support.needs import needs

@needs("nothing")
def test_skipped():
    pass
"""


def test_what_is_missing_is_counted_or_fails_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (output,) = suite(tmp_path, SKIPPED)["output"]
    assert "skipped: needs nothing: 1" in output
    monkeypatch.setenv("TESTS_NEED", "nothing")
    assert suite(tmp_path, SKIPPED) == {"output": [""]}


SIGNALLED = """
import signal, subprocess, sys

def test_child_ends():
    wait = [sys.executable, "-c", "print(flush=True); import time; time.sleep(60)"]
    with subprocess.Popen(wait, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        child.stdout.readline()
        child.send_signal(signal.KIND)
        assert child.wait() == -signal.KIND

def test_hangup_of_the_shell_ends_no_tests():
    if signal.KIND == signal.SIGHUP:
        signal.raise_signal(signal.SIGHUP)
"""


@pytest.mark.parametrize("kind", [signal.SIGHUP, signal.SIGINT])
def test_what_tests_start_heeds_signals_that_the_shell_ignores(kind: signal.Signals, tmp_path: Path) -> None:
    ended = suite(tmp_path, SIGNALLED.replace("KIND", kind.name), ignored=kind)
    assert ended["PASSED"] == ["test_child_ends", "test_hangup_of_the_shell_ends_no_tests"], ended["output"]


LEAKS = """
import gc

class Leak:
    def __init__(self):
        self.me = self
        self.file = open(__file__)

def test_fails():
    file = open(__file__)
    assert False

def test_innocent():
    gc.collect()

def test_leaks_a_cycle():
    Leak()

def test_innocent_as_well():
    gc.collect()
"""


def test_what_a_test_leaves_open_fails_it_and_no_other(tmp_path: Path) -> None:
    ended = suite(tmp_path, LEAKS)
    assert ended["PASSED"] == ["test_innocent", "test_leaks_a_cycle", "test_innocent_as_well"], ended["output"]
    assert ended["FAILED"] == ["test_fails"]
    assert ended["ERROR"] == ["test_fails", "test_leaks_a_cycle"]
