"""minicrawl copies: tables, JSON and exit codes."""

import json
from pathlib import Path

import pytest
from support.command_line import answer, run
from support.planted_copies import DOCUMENT, HOME, planted_copies
from support.sites import crawl, crawled_once

store = crawled_once(planted_copies(6).site, [HOME], strategy="breadth-first", traps=False, text=True)


def test_command_tells_them_as_a_table_and_json(store: Path) -> None:
    asked = ("copies", DOCUMENT, "--least", "90", "--store", store)
    table = run(*asked).stdout.splitlines()
    assert len(table) == 4
    assert all("100%" in line and f"of {DOCUMENT}, " in line for line in table[1:])
    rows = answer(*asked)
    assert [row["share"] for row in rows] == [1.0] * 3
    assert {row["url"] for row in rows} == {f"http://{host}.test/1.0" for host in "bcd"}
    assert json.loads(run("copies", DOCUMENT, "--since", "2100-01-01", "--json", "--store", store).stdout) == []


@pytest.mark.parametrize("words", [(), ("x.txt", "--hosts"), ("--least", "0", "x")])
def test_what_does_not_go_together_is_refused(store: Path, words: tuple[str, ...]) -> None:
    assert run("copies", *words, "--store", store).exit_code == 2


def test_without_texts_there_is_nothing_to_look_in(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl(planted_copies(6).site, store, [HOME], pages=2, strategy="breadth-first", traps=False)
    result = run("copies", DOCUMENT, "--store", store)
    assert (result.exit_code, f"{store} has no texts" in result.stderr) == (2, True)
