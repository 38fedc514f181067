"""What the web writes reaches neither the terminal's controls nor a spreadsheet's formulas."""

import csv
import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.command_line import run
from support.hostile import HostileServer, hostile_url
from support.intakes import PATIENT
from support.sites import HOME, Site, crawl, rows

from minicrawl.cli.display import plain
from minicrawl.cli.live_display import render
from minicrawl.export.tables import COLUMNS, Table, defused, export_table
from minicrawl.log import printable
from minicrawl.model import InFlightNow, Progress
from minicrawl.store.reader import open_store

# Escape, bell, CSI in one byte, a new line, a carriage return, overrides of the writing direction, a delete.
EVIL = "\x1b]0;owned\x07 \x9b31m \n \r \u202e \u2066 \x7f"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawled store in which all that the web may write is hostile."""
    store = tmp_path_factory.mktemp("hostile") / "crawl.db"
    site: Site = {HOME: ["/1", "http://b.test/", "http://b.test/1"], HOME + "1": ["/", "http://b.test/"]}
    site |= {"http://b.test/": [HOME, HOME + "1"], "http://b.test/1": [HOME]}
    crawl(site, store, [HOME])
    rows(store, "UPDATE fetches SET title = ?, content_type = ?", EVIL, EVIL)
    rows(store, "UPDATE pages SET url = url || ? WHERE url = 'http://b.test/1'", EVIL)
    rows(store, "INSERT INTO refused VALUES (?, 'trap-host-budget', 1, ?)", EVIL, EVIL)
    rows(store, "UPDATE hosts SET name = name || ? WHERE name = 'a.test'", EVIL)
    return store


COMMANDS = [
    ["top"],
    ["top", "--sites"],
    ["status"],
    ["why", HOME],
    ["why", "http://c.test/"],
    ["rank", "--by", "sites"],
    ["graph", "stats"],
    ["seeds"],
    ["seeds", "--explain"],
    ["crawl", "--pages", "1", "--no-progress"],
    ["top", "--by", f"no{EVIL}such"],
    ["crawl", f"no{EVIL}such"],
]


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_no_command_prints_what_steers_a_terminal(store: Path, options: list[str]) -> None:
    for command in COMMANDS:
        said = run(*command, *options, "--store", store)
        assert said.exception is None or isinstance(said.exception, SystemExit), command
        assert said.output, command
        assert [line for line in said.output.split("\n") if not line.isprintable()] == [], command


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of a hundred pages whose titles, URLs and headers came from a server, read twice."""
    store = tmp_path_factory.mktemp("served") / "crawl.db"
    crawl(HostileServer(100), store, [HOME], traps=False, refresh=True, pages=115, timing=PATIENT)
    rows(store, "UPDATE importances SET importance = importance / 2")
    return store


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize(
    "command",
    [
        ["top", "--where", "1", "--n", "150"],
        ["changes", "--n", "150"],
        ["changes", "--rising"],
        ["links", "--redirected"],
        ["audit", "-n", "100"],
        ["status"],
        *(["why", hostile_url(number)] for number in range(0, 100, 40)),
    ],
    ids=lambda command: command[0],
)
def test_nor_does_it_print_what_servers_have_sent(served: Path, command: list[str], options: list[str]) -> None:
    said = run(*command, *options, "--store", served)
    assert (said.exit_code, said.stderr) == (0, "")
    assert [line for line in said.output.split("\n") if not line.isprintable()] == []


def test_servers_have_sent_what_could_steer_a_terminal(served: Path) -> None:
    """Else it would be no wonder that none of it is printed."""
    sent = rows(served, "SELECT content_type, title FROM fetches")
    for texts in zip(*sent, strict=True):
        assert sum(not (text or "").isprintable() for text in texts) >= 8
    assert sum(b"<script>" in (packed or b"") for (packed,) in rows(served, "SELECT validators FROM fetches")) >= 8


def test_neither_does_the_display() -> None:
    progress = replace(
        Progress(1.0, 1, 1, 1, 1, 1, 1, 1, 1.0, 0.5, 0.5, 0.5, {}), requests=(InFlightNow(HOME + EVIL, 1.0),)
    )
    best = ((0.5, HOME + EVIL),)
    assert plain(progress, best).isprintable()
    picture: Any = render(progress, best)
    top = picture.renderables[2]
    assert [text.plain for text in top.columns[1]._cells] == [printable(HOME + EVIL)]


def test_nor_the_log(tmp_path: Path) -> None:
    file = tmp_path / "crawl.log"
    logger = logging.getLogger("minicrawl")
    before = list(logger.handlers), logger.level
    try:
        run("refresh", "-v", "--log-file", file, "--store", tmp_path / "none.db")
        logger.debug("asking for %s", HOME + EVIL)
    finally:
        for handler in set(logger.handlers) - set(before[0]):
            handler.close()
            logger.removeHandler(handler)
        logger.setLevel(before[1])
    (line,) = file.read_text().split("\n")[:-1]
    assert line.endswith(f"DEBUG asking for {printable(HOME + EVIL)}")


@pytest.mark.parametrize("start", ["=", "\t"])
def test_cell_that_would_be_a_formula_is_text(store: Path, tmp_path: Path, start: str) -> None:
    path, title = tmp_path / "ranks.csv", f'{start}HYPERLINK("http://evil.test")'
    with open_store(store) as reader:
        pages = [page._replace(title=title, importance=-0.5, state=title) for page in reader.pages(n=2)]
    export_table(Table(COLUMNS, pages), path)
    with path.open(newline="") as file:
        written = list(csv.DictReader(file))
    expected = (f"'{title}", f"'{title}", "-0.5")
    assert [(row["title"], row["state"], row["importance"]) for row in written] == [expected, expected]
    export_table(Table(COLUMNS, pages), path.with_suffix(".jsonl"))
    lines = path.with_suffix(".jsonl").read_text().split("\n")[:-1]
    assert {json.loads(line)["title"] for line in lines} == {title}


STEERING = [
    "\x1b[2J",
    "\x07",
    "\x7f",
    "\x9b31m",
    "\u202e",
    "\u2066",
    "\u200f",
    "\u061c",
    "\u2028",
    "\U000e0001",
    "\U000e0041",
]


@pytest.mark.parametrize("name", ["ranks.csv", "ranks.jsonl"])
def test_what_steers_a_terminal_is_an_escape_in_files(store: Path, tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    with open_store(store) as reader:
        page = next(reader.pages(n=1))
    export_table(Table(COLUMNS, [page._replace(title=f"before {steering} after") for steering in STEERING]), file)
    text = file.read_text("utf-8")
    assert not any(char in text for char in STEERING)
    for steering in STEERING:
        units = steering[0].encode("utf-16-be").hex()
        escape = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
        assert f"before {escape}{steering[1:]} after" in text
    if name.endswith(".jsonl"):
        told = {json.loads(line)["title"] for line in text.splitlines()}
        assert told == {f"before {steering} after" for steering in STEERING}


@pytest.mark.parametrize("start", "=+-@\t\r＝＋－＠")
def test_formula_is_defused_also_in_full_width(start: str) -> None:
    assert defused(f"{start}1+1") == f"'{start}1+1"
