"""minicrawl copies: tables, JSON and exit codes."""

import json
from pathlib import Path

from support.command_line import answer, run
from support.planted_copies import DOCUMENT, HOME, planted_copies
from support.sites import crawled_once

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
