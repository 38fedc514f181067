"""`minicrawl dashboard`, as a user types it, in a process of its own."""

import asyncio
import os
import signal
import stat
import subprocess
import sys
import time
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


_BROWSER = """import re, sys, urllib.parse, urllib.request
page = urllib.request.urlopen(sys.argv[2]).read().decode()
address = re.search('url=([^"]+)', page)[1]
urllib.request.urlopen(address.partition("#")[0]).read()
open(sys.argv[1], "w").write(address)
"""


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file where a browser of our own notes the address that it was given, once it has got the page."""
    (tmp_path / "browser.py").write_text(_BROWSER)
    noted = tmp_path / "address"
    monkeypatch.setenv("BROWSER", f"{sys.executable} {tmp_path / 'browser.py'} {noted} %s")
    return noted


def opened(command: "subprocess.Popen[str] | subprocess.Popen[bytes]", noted: Path) -> str:
    while not (noted.exists() and noted.read_text()):
        assert command.poll() is None
        time.sleep(0.01)
    return noted.read_text()


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
