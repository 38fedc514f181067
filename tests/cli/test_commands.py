"""The commands as a user types them: output, files, exit codes, and one sentence for every mistake."""

from pathlib import Path

import pytest
from support.command_line import HOME, run
from support.effort import loaded_by
from support.sites import rows

from minicrawl.cli import main
from minicrawl.store.links import LinkTable


def test_every_command_has_help_with_an_example() -> None:
    for command in set(main.list_commands(None)) - {"lab", "completion"}:  # type: ignore[arg-type]
        result = run(command, "--help")
        assert result.exit_code == 0
        assert f"Example: minicrawl {command}" in " ".join(result.output.split()), command


def test_help_loads_nothing_heavy() -> None:
    """What makes 'minicrawl --help' slow is never imported for it."""
    help_shown = "assert CliRunner().invoke(main, ['--help']).exit_code == 0"
    names = loaded_by(f"from click.testing import CliRunner; from minicrawl.cli import main; {help_shown}")
    assert names.isdisjoint({"numpy", "scipy", "httpx", "aiohttp", "lxml", "rich", "tldextract"})


def test_store_of_another_program_is_exit_3(tmp_path: Path) -> None:
    rows(tmp_path / "other.db", "CREATE TABLE bookmarks (url TEXT)")
    for words in (["crawl", HOME], ["top"], ["check"], ["verify"], ["status"]):
        result = run(*words, "--store", tmp_path / "other.db")
        assert (result.exit_code, "belongs to another program" in result.stderr) == (3, True)


@pytest.mark.parametrize("words", ["check", "graph stats", "rank"])
def test_what_is_told_of_a_store_is_of_one_commit(store: Path, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    """As if a crawl committed just before the links are read."""
    expected = run(*words.split(), "--store", store)
    blocks = LinkTable.blocks

    def links_of_later(table: LinkTable) -> object:
        rows(store, "DELETE FROM links")
        return blocks(table)

    monkeypatch.setattr(LinkTable, "blocks", links_of_later)
    found = run(*words.split(), "--store", store)
    assert (found.exit_code, found.output) == (expected.exit_code, expected.output)
    assert rows(store, "SELECT count(*) FROM links") == [(0,)]
