"""Options as a user gives them, and what they come to."""

import csv
import json
import logging
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner
from support.command_line import HOME, end_logs, run

from minicrawl.cli.crawl import command as crawl_command
from minicrawl.cli.options import logging_options
from minicrawl.settings import SETTINGS, CrawlSettings


def test_the_defaults_that_help_shows_are_those_of_the_settings() -> None:
    options = {parameter.name: parameter.default for parameter in crawl_command.params}
    for name in SETTINGS:
        is_told = isinstance(options[name], str | int | float) and not isinstance(options[name], bool)
        given: dict[str, Any] = {name: options[name]} if is_told else {}
        assert getattr(CrawlSettings(**given), name) == getattr(CrawlSettings(), name)


def test_settings_of_no_store_are_shown_without_making_one(tmp_path: Path) -> None:
    result = run("crawl", "--show-settings", "--store", tmp_path / "crawl.db")
    assert (result.exit_code, "given" in result.output, "store" in result.output) == (0, False, False)
    assert list(tmp_path.iterdir()) == []


def test_a_traceback_and_hostile_text_are_one_line_of_json(tmp_path: Path) -> None:
    @click.command()
    @logging_options
    def command() -> None:
        try:
            raise ValueError("a\nb")
        except ValueError:
            logging.getLogger("minicrawl").exception("failed over %r and %s", "x\n\x1b[31m", None)

    result = CliRunner().invoke(command, ["-v", "--log-format", "json"])
    end_logs()
    (line,) = result.stderr.splitlines()
    told = json.loads(line)
    assert (told["event"], told["message"]) == ("message", "failed over 'x\\n\\x1b[31m' and None")
    assert told["traceback"].endswith("ValueError: a\nb")


def test_export_has_the_wanted_pages_in_every_format(store: Path, tmp_path: Path) -> None:
    for ending in ("csv", "jsonl"):
        result = run("export", tmp_path / f"ranks.{ending}", "--where", "status = 404", "--store", store)
        assert (result.exit_code, "1 page" in result.stdout) == (0, True)
    with (tmp_path / "ranks.csv").open(newline="") as lines:
        assert [row["url"] for row in csv.DictReader(lines)] == [HOME + "gone"]
    assert [json.loads((tmp_path / "ranks.jsonl").read_text())["url"]] == [HOME + "gone"]


def test_sites_have_no_filters(store: Path) -> None:
    result = run("top", "--sites", "--where", "status = 404", "--store", store)
    assert result.exit_code == 2
    assert "--where is about pages; leave it out, or leave --sites out" in result.stderr
