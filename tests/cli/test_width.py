"""What a command prints on a terminal fits it; where it is piped, nothing is left out."""

import io
import re
import sys
from pathlib import Path

import pytest
from rich.cells import cell_len
from support.command_line import run
from support.intakes import PATIENT
from support.sites import HOME, Server, crawl, rows

from minicrawl.cli import main

COMMANDS = [
    ["top"],
    ["top", "--sites"],
    ["changes", "--n", "50"],
    ["changes", "--rising"],
    ["seeds", "--explain"],
    ["audit"],
]


class Screen(io.StringIO):
    """Standard output that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of hosts and pages with long names and titles, that fetches again."""
    path = tmp_path_factory.mktemp("width") / "crawl.db"
    hosts = [f"http://{'-'.join(['long'] * number)}.{'x' * 50}.test/" for number in (1, 3, 12)]
    pages = [f"{host}{'folder/' * (4 * number)}" for host in hosts for number in range(4)]
    title = "<title>A title that is longer than what is left on the line, 日本語</title>"
    site = {HOME: pages} | {page: [title, *pages[:6], HOME] for page in pages}
    crawl(Server(site), path, [HOME], pages=20, refresh=True, traps=False, timing=PATIENT)
    rows(path, "UPDATE importances SET importance = importance / 2")
    return path


def on_terminal(words: list[str], columns: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    screen = Screen()
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys, "stdout", screen)
    main(words, standalone_mode=False)
    monkeypatch.undo()
    return screen.getvalue().splitlines()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_lines_fit_terminals_of_60_to_200_columns(
    store: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for columns in (60, 80, 200):
        lines = on_terminal([*command, "--store", str(store)], columns, monkeypatch)
        assert lines
        wide = [line for line in lines if cell_len(line) > columns]
        assert [line for line in wide if not re.fullmatch(r"    https?://[^\s…]+", line)] == [], "URLs alone are whole"


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_piped_everything_is_there(store: Path, command: list[str]) -> None:
    assert "…" not in run(*command, "--store", store).stdout
