"""What the demo says when it ends: what the order was good for, and what to type next."""

import json
import re
import shlex
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.documents import parse

from minicrawl.cli import main
from minicrawl.cli.demo import _lines
from minicrawl.cli.output import called_as
from minicrawl.demo.compare import pages_until_mass
from minicrawl.demo.web import DemoWeb
from minicrawl.store.reader import open_store
from minicrawl.store.rows import RankedPage

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
    assert CliRunner().invoke(main, commands[0][1:]).exit_code == 0
    for _, *words in commands[1:]:
        parse(words)
    assert commands[1][-2:] == ["--store", str(store)]
    with open_store(store) as reader:
        assert commands[0][2] == reader.top(1)[0].url


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


@pytest.mark.parametrize(("share", "held"), [(0.5, "half"), (0.123, "12%")])
def test_half_is_called_so(share: float, held: str) -> None:
    result = {
        "pages_of_the_web": 10,
        "fetched": 5,
        "known": 7,
        "top": [dict.fromkeys(RankedPage._fields, 0) | {"url": "http://a.test/", "title": None, "state": "fetched"}],
        "overlap": 1.0,
        "overlap_breadth_first": 0.5,
        "shares": [0.1],
        "mass": [0.2],
        "mass_breadth_first": [None],
        "needed": {"share": share, "pages": 1_790, "pages_breadth_first": 2_017},
    }
    told = f"By importance, 1,790 pages held {held} of all importance; breadth-first needed 2,017."
    assert told in _lines(result, Path("demo.db"))


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


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--traps"], "--traps goes with --serve: a web without end has no truth to compare with"),
        (["--changing"], "--changing goes with --serve: it takes time to see pages change"),
        (["--speed", "2"], "--speed goes with --changing: nothing else in the demo's web knows time"),
        (["--serve", "--speed", "2"], "--speed goes with --changing: nothing else in the demo's web knows time"),
        (
            ["--serve", "--changing", "--traps"],
            "--changing cannot go with --traps: a web without end has no truth to compare with",
        ),
        *(
            (
                ["--serve", "--changing", "--speed", speed],
                f"--speed: the speed must be from 0.001 to 1,000,000, not {speed}",
            )
            for bounds in ["from 0.001 to 1,000,000"]
            for speed in ("0", "-1", "nan", "inf", "1e+09")
        ),
    ],
)
def test_options_that_cannot_be_are_one_sentence(words: list[str], error: str) -> None:
    result = CliRunner().invoke(main, ["demo", *words])
    assert (result.exit_code, result.output) == (2, f"Error: {error}\n")


def test_a_changing_web_is_served_until_it_is_interrupted() -> None:
    """The port is any that is free; what is printed tells where, and where the truth is."""
    words = [sys.executable, "-m", "minicrawl", "demo", "--serve", "--changing", "--speed", "1000"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        lines = [server.stdout.readline() for _ in range(4)]
        host, address = re.search("'Host: (.*)' (http://127.0.0.1:[0-9]+/)", lines[3]).groups()  # type: ignore[union-attr]
        with urllib.request.urlopen(urllib.request.Request(address, headers={"Host": host})) as reply:
            document = json.load(reply)
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 0
    assert lines[2].startswith("A page changes once in 259 s in the mean.")
    assert document["speed"] == 1000.0
    known = DemoWeb.generate().truth().keys()  # at any time a link or two of some pages is another one
    assert len(document["pages"].keys() & known) > 0.99 * len(known)
