"""Which ranking listens to which option."""

from pathlib import Path

import click
from support.command_line import run

from minicrawl.cli import main
from minicrawl.cli.rank import OPTIONS


def test_every_option_of_rank_is_some_rankings() -> None:
    command = main.get_command(click.Context(main), "rank")
    assert command is not None
    names = {each.name for each in command.params}
    logging = {"verbose", "quiet", "log_file", "log_format"}
    shared = {"by", "n", "save", "store", "wide", "as_json", "config", "help"} | logging
    assert names - shared == set().union(*OPTIONS.values())


def test_option_of_another_ranking_is_refused(store: Path) -> None:
    result = run("rank", "--by", "opic", "--cap", "3", "--store", store)
    assert (result.exit_code, result.stderr) == (
        2,
        "Error: --cap goes with --by pagerank, hits, not with --by opic\n",
    )
