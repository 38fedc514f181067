"""crawl --on-stop"""

import json
import sys
from pathlib import Path

import pytest
from support.command_line import run
from support.small_web import small_web

# Writes what it was given to the file that it is called with.
NOTES = (
    "import json, os, sys; facts = json.load(sys.stdin); "
    "facts['environment'] = {name: value for name, value in os.environ.items() if name.startswith('CRAWL_')}; "
    "print('noise'); json.dump(facts, open(sys.argv[1], 'w'))"
)


@pytest.fixture
def command(tmp_path: Path) -> str:
    (tmp_path / "notes.py").write_text(NOTES)
    return f'"{sys.executable}" "{tmp_path / "notes.py"}" "{tmp_path / "noted $CRAWL_REASON.json"}"'


def test_command_is_given_the_report(tmp_path: Path, command: str) -> None:
    store = tmp_path / "crawl.db"
    with small_web() as port:
        words = ["--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--delay", "0", "-q", "--json"]
        result = run("crawl", "http://example.org/", "--pages", "2", *words, "--store", store, "--on-stop", command)
    assert result.exit_code == 0
    noted = json.loads((tmp_path / "noted pages.json").read_text())
    told = noted.pop("environment")
    assert noted == json.loads(result.stdout)  # and nothing else is there
    assert told == {"CRAWL_REASON": "pages", "CRAWL_FETCHED": "2", "CRAWL_FAILURE": "", "CRAWL_STORE": str(store)}


def test_command_is_called_when_an_error_ends_the_crawl(tmp_path: Path, command: str) -> None:
    (tmp_path / "crawl.db").write_text("no store at all")
    result = run("crawl", "http://example.org/", "--store", tmp_path / "crawl.db", "--on-stop", command)
    assert result.exit_code == 3
    noted = json.loads((tmp_path / "noted failed.json").read_text())
    assert result.stderr.splitlines()[-1] == f"Error: {noted['failure']}"


def test_command_that_fails_is_a_warning(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    result = run("crawl", "http://127.0.0.1:9/", "--store", store, "-q", "--on-stop", "exit 7")
    assert result.exit_code == 1  # nothing could be fetched
    assert "Warning: --on-stop exit 7 ended with exit code 7\n" in result.stderr


def test_no_command_is_called_for_what_crawls_nothing(tmp_path: Path, command: str) -> None:
    for words in (["--dry-run"], ["--show-settings"]):
        assert run("crawl", "http://a.test/", *words, "--store", tmp_path / "x.db", "--on-stop", command).exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["notes.py"]
