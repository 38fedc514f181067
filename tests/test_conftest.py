"""Each test answers for what it leaves open."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
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


@pytest.mark.slow
def test_what_a_test_leaves_open_fails_it_and_no_other(tmp_path: Path) -> None:
    shutil.copy(TESTS / "conftest.py", tmp_path)
    (tmp_path / "test_it.py").write_text(LEAKS)
    command = [sys.executable, "-m", "pytest", "-c", str(TESTS.parent / "pyproject.toml"), "--rootdir", str(tmp_path)]
    command += ["-n", "0", "-rA", "-p", "no:cacheprovider", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(TESTS)}
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    ended = [line.split()[:2] for line in done.stdout.splitlines() if "test_it.py::" in line]
    told = [(how, name.partition("::")[2]) for how, name in ended]
    passed = ["test_innocent", "test_leaks_a_cycle", "test_innocent_as_well"]
    failed = [("ERROR", "test_fails"), ("ERROR", "test_leaks_a_cycle"), ("FAILED", "test_fails")]
    assert sorted(told) == sorted([*(("PASSED", name) for name in passed), *failed]), done.stdout
