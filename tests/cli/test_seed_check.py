"""minicrawl seeds check, as a user types it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.small_web import small_web

from minicrawl.cli import main


def test_seeds_that_are_checked_are_asked_for_alone_and_nothing_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with small_web() as port:
        words = ["--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--delay", "0"]
        result = CliRunner().invoke(main, ["seeds", "check", "http://a.test/", "http://b.test/any", *words])
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout == "there      http://a.test/ (200)\nthere      http://b.test/any (200)\n"
        told = json.loads(CliRunner().invoke(main, ["seeds", "check", "http://a.test/", *words, "--json"]).stdout)
    assert [(one["seed"], one["is_there"], one["redirects"]) for one in told] == [("http://a.test/", True, 0)]
    assert list(tmp_path.iterdir()) == []


def test_a_seed_that_is_not_there_is_exit_1(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, ["seeds", "check", "http://127.0.0.1:2/", "--ignore-robots"])
    assert result.exit_code == 1
    assert result.stdout.startswith("not there  http://127.0.0.1:2/\n           private-address: ")
    missing = CliRunner().invoke(main, ["seeds", "check", str(tmp_path / "nowhere.txt")])
    assert (missing.exit_code, "cannot be read" in missing.stderr) == (2, True)
