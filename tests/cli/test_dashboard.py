"""`minicrawl dashboard`, as a user types it, in a process of its own."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support.browsing import Browser
from support.command_line import run
from support.patience import PATIENCE

from minicrawl.cli.dashboard import token_of


def test_it_serves_until_it_is_stopped(store: Path) -> None:
    command = [sys.executable, "-m", "minicrawl", "dashboard", str(store)]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdout=pipe, stderr=pipe, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().strip()
            look = asyncio.run(Browser(address).now())
            assert (look["crawl"], look["known"], look["store"]) == ("resting", 5, str(store))
            process.send_signal(signal.SIGINT)
            output, errors = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
    assert (process.returncode, output) == (0, "")
    assert errors == f"The dashboard of {store}; Ctrl-C ends it, not the crawl.\n"


def test_a_folder_without_partitions_is_one_sentence(tmp_path: Path) -> None:
    result = run("dashboard", "--store", tmp_path)
    assert result.exit_code == 3
    sentence = f"'minicrawl crawl SEEDS --partitions N --store {tmp_path}' begins one"
    assert result.stderr == f"Error: there is no crawl in partitions at {tmp_path}; {sentence}\n"


def test_a_token_file_is_made_for_its_owner_alone_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "token"
    token = token_of(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert token_of(path) == token == path.read_text().strip()


@pytest.mark.parametrize(
    ("text", "mode", "problem"),
    [
        ("x" * 20, 0o644, "can be read by others"),
        ("short", 0o600, "must hold 16 letters"),
        ("é" * 20, 0o600, "cannot be used"),
    ],
)
def test_a_token_that_is_none_is_one_sentence(tmp_path: Path, text: str, mode: int, problem: str) -> None:
    path = tmp_path / "token"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    result = run("dashboard", "--token-file", path, "--store", tmp_path / "crawl.db")
    assert result.exit_code == 2
    assert problem in result.stderr
    assert result.stderr.count("\n") == 1
