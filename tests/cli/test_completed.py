"""What is offered when Tab is pressed."""

from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from support.command_line import run

from minicrawl.cli import main

VARIABLE = "_MINICRAWL_COMPLETE"


def offered(*words: str) -> list[str]:
    """What comes in place of the last word."""
    found = ShellComplete(main, {}, "minicrawl", VARIABLE).get_completions(list(words[:-1]), words[-1])
    return [one.value for one in found]


def test_rankings_are_those_of_every_store_and_those_it_has_kept(store: Path) -> None:
    assert offered("top", "--by", "") == ["importance", "history", "cash", "inlinks", "expected"]
    assert run("rank", "--by", "pagerank", "--save", "mine", "--store", store).exit_code == 0
    assert offered("top", "--store", str(store), "--by", "m") == ["mine"]
    assert offered("export", "--store", str(store), "--by", "h") == ["history"]


def test_hosts_are_those_of_the_store_that_the_line_names(store: Path) -> None:
    assert offered("control", "ban", "--store", str(store), "") == ["a.test", "b.test"]
    assert offered("control", "ban", "--store", str(store), "b") == ["b.test"]
    assert offered("control", "unban", "--store", str(store.with_name("nowhere.db")), "") == []


def test_hosts_are_those_of_the_store_that_a_file_of_options_names(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MINICRAWL_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "minicrawl.toml").write_text('store = "crawl.db"\n')
    assert offered("control", "ban", "a") == ["a.test"]
    (tmp_path / "minicrawl.toml").write_text("[control.ban]\nstroe = 1\n")
    assert offered("control", "ban", "a") == []


@pytest.mark.parametrize("content", [b"", b"no store at all" * 100])
def test_what_is_no_store_offers_nothing_and_no_traceback(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other.db").write_bytes(content)
    assert offered("control", "ban", "--store", str(tmp_path / "other.db"), "") == []
