"""What a first mistake leaves behind: a sentence, and nothing else."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sites import crawl, rows

from minicrawl.cli import main

HOME = "http://a.test/"


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["a.test", "--ca-file", __file__], "holds no certificate"),
        (["a.test", "--ca-file", __file__, "--workers", "1"], "holds no certificate"),
        (["a.test", "--connect-to", "ü<b::127.0.0.1:80"], "is no host name"),
        (["a.test", "--header", "exa%%mple=A: b"], "is no host"),
        (["a.test", "--history", "some"], "no window policy"),
        ([], "no seeds are given"),
        (["http://"], "is no http or https URL"),
    ],
    ids=str,
)
@pytest.mark.parametrize("is_new", [True, False], ids=["new", "old"])
def test_an_option_that_is_refused_is_not_remembered(
    tmp_path: Path, words: list[str], told: str, is_new: bool
) -> None:
    """A store that was not there is not made; in one that was, nothing changes, so the next run has no trouble."""
    store = tmp_path / "data" / "crawl.db"
    if not is_new:
        store.parent.mkdir()
        crawl({HOME: ["/b"]} if words else {}, store, [HOME])
        kept = rows(store, "SELECT value FROM meta WHERE key = 'settings'")
    result = run("crawl", *words, "--store", store)
    if not is_new and not words:
        assert result.exit_code == 0  # a store has seeds of its own
        return
    assert result.exit_code == 2
    assert told in result.stderr
    if is_new:
        assert not store.parent.exists()
    else:
        assert rows(store, "SELECT value FROM meta WHERE key = 'settings'") == kept
