"""Which ranking listens to which option."""

from pathlib import Path

import click
import pytest
from support.command_line import SITE, run
from support.sites import crawl

from minicrawl.cli import main
from minicrawl.cli.ranking_options import OPTIONS


def test_every_option_of_rank_is_some_rankings() -> None:
    command = main.get_command(click.Context(main), "rank")
    assert command is not None
    names = {each.name for each in command.params}
    logging = {"verbose", "quiet", "log_file", "log_format"}
    shared = {"by", "n", "save", "store", "wide", "as_json", "config", "help"} | logging
    assert names - shared == set().union(*OPTIONS.values())


@pytest.mark.parametrize(
    ("words", "of"),
    [
        (["--by", "opic", "--cap", "3"], "--cap goes with --by pagerank, hits, not with --by opic"),
        (["--peel"], "--peel goes with --by hits, not with --by pagerank"),
        (["--by", "inverse", "--per", "host"], "--per goes with --by pagerank, hits, sites, not with --by inverse"),
    ],
)
def test_option_of_another_ranking_is_refused(tmp_path: Path, words: list[str], of: str) -> None:
    crawl(SITE, tmp_path / "crawl.db", ["http://a.test/"])
    result = run("rank", *words, "--store", tmp_path / "crawl.db")
    assert (result.exit_code, result.stderr) == (2, f"Error: {of}\n")


def test_options_of_every_command_and_of_files_are_refused_by_no_ranking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("MINICRAWL_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    crawl(SITE, tmp_path / "crawl.db", [next(iter(SITE))])
    (tmp_path / "minicrawl.toml").write_text("[rank]\ndamping = 0.5\n")
    words = ["--by", "opic", "--log-format", "json", "--wide", "--quiet", "--store", str(tmp_path / "crawl.db")]
    assert run("rank", *words).exit_code == 0
