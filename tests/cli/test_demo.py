"""What the demo says when it ends: what the order was good for, and what to type next."""

import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.command_line import run
from support.documents import parse

from minicrawl.cli.output import called_as
from minicrawl.demo.web import DemoWeb, pages_until_mass
from minicrawl.store.reader import open_store

SOME_PAGES = 60


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A short demo: its store, in a folder whose name has to be quoted, and what it printed."""
    store = tmp_path_factory.mktemp("a demo") / "demo.db"
    words = ["demo", "--pages", str(SOME_PAGES), "--delay", "0s", "--store", str(store), "-q"]
    result = subprocess.run([sys.executable, "-m", "minicrawl", *words], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    return store, result.stdout


def test_the_commands_it_ends_with_can_be_typed(demo: tuple[Path, str]) -> None:
    store, text = demo
    commands = [shlex.split(line) for line in text.splitlines() if line.startswith("  minicrawl ")]
    assert [words[1] for words in commands] == ["why", "dashboard", "crawl"]
    assert run(*commands[0][1:]).exit_code == 0
    for _, *words in commands[1:]:
        parse(words)
    assert commands[1][-2:] == ["--store", str(store)]
    with open_store(store) as reader:
        assert commands[0][2] == next(reader.pages(n=1)).url


def test_it_says_what_the_order_was_good_for(demo: tuple[Path, str]) -> None:
    """With the share that both orders came to, where that is less than half."""
    store, text = demo
    told = next(line for line in text.splitlines() if line.startswith("By importance, "))
    with open_store(store) as reader:
        order = reader.page_table.fetch_order()
    truth = DemoWeb.generate().truth()
    pages = int(told.split()[2])
    percent = int(told.split("held ")[1].split("%")[0])
    assert pages <= len(order) <= SOME_PAGES
    mass = sum(truth.get(url, 0.0) for url in dict.fromkeys(order[:pages]))
    assert percent / 100 - 0.005 <= mass
    assert pages_until_mass(order, truth, mass) == pages
    assert told.endswith(".")


def test_it_names_the_program_as_the_shell_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "my venv" / "minicrawl"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(program), "demo"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shlex.split(called_as()) == [str(program)]
    monkeypatch.setenv("PATH", str(program.parent))
    assert called_as() == "minicrawl"
    monkeypatch.setattr(sys, "argv", ["-m", "demo"])
    assert called_as() == "minicrawl"
