"""Questions in SQL: answers as text, CSV and JSON; what changes something, or does not end, is refused."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.command_line import run
from support.patience import PATIENCE
from support.sites import HOME, Site, canonical, crawl, rows

from minicrawl.errors import SettingError
from minicrawl.reasons import meaning
from minicrawl.system import running

VIEWS = ["page", "link", "no_url", "host", "site", "fetch", "redirect", "change"]


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


SENTENCE = "A paragraph goes on for a while before its link: see"
CHAINED: Site = {
    HOME: [
        f'<p>{SENTENCE} <a href="/1">the first</a>.<p>{SENTENCE} <a href="/1">again</a> <a href="http://[bad">bad</a>.',
        *("/x", "/copy"),
    ],
    **{f"{HOME}{step}": f"{HOME}{step + 1}" for step in range(1, 4)},
    HOME + "4": ["four"],
    HOME + "x": HOME + "y",
    HOME + "y": HOME + "x",
    HOME + "copy": [canonical(HOME + "3"), "a copy"],
    HOME + "away": "http://b.test/",
}


def asked(store: Path, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in json.loads(run("sql", query, "--store", store, "--json").stdout)]


def test_redirects_have_their_chains(tmp_path: Path) -> None:
    """Those of a slow walk; a loop is no chain, and has no end."""
    store = tmp_path / "crawl.db"
    crawl(CHAINED, store, [HOME, HOME + "away"], scope="host")
    found = {
        url: row for url, *row in asked(store, "SELECT url, leads_to, ends_at, redirects, chain, codes FROM redirect")
    }
    for start in ("1", "2", "3"):
        chain = [HOME + start]
        while isinstance(target := CHAINED[chain[-1]], str):
            chain.append(target)
        assert found[HOME + start] == [
            chain[1],
            chain[-1],
            len(chain) - 1,
            " -> ".join(chain),
            " -> ".join(["301"] * (len(chain) - 1)),
        ]
    assert found[HOME + "away"] == ["http://b.test/", "http://b.test/", 1, f"{HOME}away -> http://b.test/", "301"]
    assert asked(store, "SELECT count(*) = count(DISTINCT url) FROM redirect") == [(1,)]


def test_links_have_their_words_and_places(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    menu = "<nav><ul><li><a href=/menu>Menu</a></ul></nav><ul><li><a href=/listed>Listed</a></ul>"
    site: Site = {HOME: [menu, *CHAINED[HOME][:1]], HOME + "menu": ["<nav><a href=/>x</a></nav>"]}
    crawl(site, store, [HOME], text=True)
    words = asked(store, f"SELECT words, before FROM anchor WHERE source = '{HOME}' AND target = '{HOME}1'")
    assert words == [(word, f"{SENTENCE} "[-50:]) for word in ("the first", "again")]
    places = dict(asked(store, f"SELECT target, place FROM link WHERE source = '{HOME}'"))
    assert places == {HOME + "menu": "navigation", HOME + "listed": "list", HOME + "1": None}
    assert asked(store, f"SELECT place FROM link WHERE source = '{HOME}menu'") == [(None,)]
    assert asked(store, "SELECT * FROM no_url") == [(HOME, "http://[bad")]
    assert asked(store, f"SELECT * FROM anchor WHERE source = '{HOME}none'") == []


def test_references_of_other_kinds_are_known_of_an_audited_page(tmp_path: Path) -> None:
    others = ["mailto:me@a.test", "tel:+1", "JavaScript:go()", "sms:1", "data:,x"]
    links = "".join(f"<a href='{reference}'>x</a>" for reference in (*others, "htps://a.test/", "/x", "x:80/y"))
    for audit in (True, False):
        crawl({HOME: [links]}, tmp_path / f"{audit}.db", [HOME], audit=audit)
    written = [reference for _, reference in asked(tmp_path / "True.db", "SELECT * FROM no_url")]
    assert written == ["htps://a.test/", *others, "x:80/y"]
    assert asked(tmp_path / "False.db", "SELECT written FROM no_url") == [("htps://a.test/",)]
    broken = run("links", "--broken", "--fail-on", "no-url", "--store", tmp_path / "True.db")
    assert broken.stdout.splitlines()[-1].startswith("2 links. They end with: no-url 1")


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
    result = run("sql", query, "--store", store, "--time", "0.5" if "RECURSIVE" in query else f"{PATIENCE}")
    assert (result.exit_code, why in result.stderr) == (SettingError.exit_code, True), result.output
    assert len(result.stderr.splitlines()) == 1
    assert store.read_bytes() == before


LONG = "printf('%.*c', 16000000, 'a')"
HALF = "printf('%.*c', 8000000, 'a') || 'b'"
TAKES_HOURS = {
    "instr": f"instr({LONG}, {HALF})",
    "replace": f"replace({LONG}, {HALF}, '')",
    "trim": f"ltrim({LONG}, replace(hex(zeroblob(500000)), '0', 'b') || 'a')",
    "glob": f"{LONG} GLOB '*[' || printf('%.*c', 49000, 'b') || ']'",
}


@pytest.mark.parametrize("call", TAKES_HOURS.values(), ids=TAKES_HOURS)
def test_one_call_of_a_function_takes_no_longer_than_the_answer_may(call: str, store: Path) -> None:
    command = [*running("minicrawl"), "sql", f"SELECT {call}", "--store", str(store), "--time", "0.05"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=PATIENCE)
    assert (ended.returncode, ended.stdout) == (SettingError.exit_code, "")
    assert ended.stderr == "Error: the query takes more than 0.05 seconds; --time allows more\n"


@pytest.mark.skipif(sys.platform != "linux", reason="its threads are counted in /proc")
@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_query_in_the_middle_of_a_function(kind: signal.Signals, store: Path) -> None:
    command = [*running("minicrawl"), "sql", f"SELECT {TAKES_HOURS['instr']}", "--store", str(store)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as asked:
        end = time.monotonic() + PATIENCE
        while len(os.listdir(f"/proc/{asked.pid}/task")) < 2:  # one watches, as soon as signals end all
            assert time.monotonic() < end
            time.sleep(0.01)
        asked.send_signal(kind)
        assert asked.wait(PATIENCE) == -kind


def test_signals_are_handled_again_after_an_answer(store: Path) -> None:
    before = [signal.getsignal(kind) for kind in (signal.SIGTERM, signal.SIGINT)]
    for query in ("SELECT 1", "SELECT nothing"):
        run("sql", query, "--store", store)
        assert [signal.getsignal(kind) for kind in (signal.SIGTERM, signal.SIGINT)] == before


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("SELECT length(zeroblob(16777217))", "too big"),
        ("SELECT length(hex(hex(zeroblob(5000000))))", "too big"),
        (
            f"SELECT length(json_array({', '.join(['hex(zeroblob(8000000))'] * 40)}))",
            "needs more memory than it may use",
        ),
    ],
)
def test_an_answer_that_would_take_much_memory_is_refused_in_a_sentence(query: str, why: str, store: Path) -> None:
    result = run("sql", query, "--store", store)
    assert (result.exit_code, why in result.stderr) == (SettingError.exit_code, True), result.output
    assert len(result.stderr.splitlines()) == 1


def test_texts_of_megabytes_are_answered(store: Path) -> None:
    query = "SELECT length(replace(hex(zeroblob(4000000)), '0', 'ab')) AS long, 'an' LIKE '%n' AS alike"
    assert json.loads(run("sql", query, "--store", store, "--json").stdout) == [{"long": 16_000_000, "alike": 1}]
