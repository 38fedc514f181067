"""Questions in SQL: answers as text, CSV and JSON; what changes something, or does not end, is refused."""

import csv
import io
import json
from pathlib import Path

import pytest
from support.command_line import run
from support.sites import rows

from minicrawl.crawler.outcomes.reasons import meaning
from minicrawl.errors import SettingError

VIEWS = ["page", "link", "host", "site", "fetch", "redirect", "change"]


def test_answer_is_the_same_in_all_forms(store: Path) -> None:
    query = "SELECT url, importance, title FROM page ORDER BY importance DESC, id"
    expected = rows(store, query)
    assert len(expected) > 3
    found = json.loads(run("sql", query, "--store", store, "--json").stdout)
    assert [tuple(row.values()) for row in found] == expected
    heading, *lines = csv.reader(io.StringIO(run("sql", query, "--store", store, "--csv").stdout))
    assert heading == ["url", "importance", "title"]
    assert [line[0] for line in lines] == [row[0] for row in expected]
    table = run("sql", query, "--store", store).stdout.splitlines()
    assert [line.split()[0] for line in table] == ["url", *(row[0] for row in expected)]


def test_bytes_are_digits_in_all_forms(store: Path) -> None:
    for form in (["--csv"], ["--json"], []):
        assert "00ff" in run("sql", "SELECT x'00FF'", "--store", store, *form).stdout


def test_reason_has_its_sentence(store: Path) -> None:
    query = "SELECT DISTINCT reason, meaning(reason) FROM page"
    for row in json.loads(run("sql", query, "--store", store, "--json").stdout):
        assert row["meaning(reason)"] == meaning(row["reason"])


def test_pages_are_those_of_the_list(store: Path) -> None:
    importance = dict(rows(store, "SELECT url, importance FROM page"))
    for page in json.loads(run("top", "--where", "1", "--n", "100", "--store", store, "--json").stdout):
        assert importance.pop(page["url"]) == page["importance"]
    assert importance == {}


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_has_the_columns_of_its_page(view: str, store: Path) -> None:
    told = (Path(__file__).parents[2] / "docs/store.md").read_text()
    line = next(line for line in told.splitlines() if line.startswith(f"| `{view}` |"))
    columns = [name for _, name, *_ in rows(store, f"PRAGMA table_info({view})")]
    assert [name for name in columns if f"`{name}`" not in line] == []
    assert run("sql", f"SELECT count(*) FROM {view}", "--store", store).exit_code == 0


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("DELETE FROM pages", "does more than read"),
        ("ATTACH 'other.db' AS other", "does more than read"),
        ("PRAGMA user_version = 1", "does more than read"),
        ("SELECT load_extension('x')", "load_extension"),
        ("SELECT 1; SELECT 2", "one statement"),
        ("SELECT statsu FROM page", "no such column: statsu"),
        ("", "asks for nothing"),
        ("WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n", "more than 0.5 sec"),
    ],
)
def test_what_is_no_question_is_refused_in_a_sentence(query: str, why: str, store: Path) -> None:
    before = store.read_bytes()
    result = run("sql", query, "--store", store, "--time", "0.5")
    assert (result.exit_code, why in result.stderr) == (SettingError.exit_code, True), result.output
    assert len(result.stderr.splitlines()) == 1
    assert store.read_bytes() == before
