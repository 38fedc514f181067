"""Options as a user gives them, and what they come to."""

import json
import logging
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from support.command_line import end_logs, run
from support.sites import crawl

from minicrawl.cli.crawl import command as crawl_command
from minicrawl.cli.options import logging_options
from minicrawl.settings import SETTINGS, CrawlSettings

HOME = "http://a.test/"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    crawl({HOME: ["/b", "https://b.test/"]}, path, [HOME], scope="host", max_depth=3)
    return path


@pytest.mark.parametrize("name", SETTINGS)
def test_the_defaults_that_help_shows_are_those_of_the_settings(name: str) -> None:
    options = {parameter.name: parameter for parameter in crawl_command.params}
    shown = options[name].default
    is_told = isinstance(shown, str | int | float) and not isinstance(shown, bool)
    given = {name: shown} if is_told else {}
    assert getattr(CrawlSettings(**given), name) == getattr(CrawlSettings(), name)


def test_settings_are_shown_with_where_they_come_from(store: Path) -> None:
    words = ["crawl", "--show-settings", "--store", store, "--delay", "2s", "--header", "a.test=Authorization: hush"]
    result = run(*words)
    assert result.exit_code == 0
    lines = {line.split()[0]: line.split()[1:] for line in result.output.splitlines()}
    assert lines["scope"] == ["store", "host"]
    assert lines["max-depth"] == ["store", "3"]
    assert lines["delay"] == ["given", "2.0"]
    assert lines["pages"] == ["default", "none"]
    assert lines["header"] == ["given", "a.test=Authorization"]
    told = json.loads(run(*words, "--json").output)
    assert set(told) == set(SETTINGS)
    assert told["scope"] == {"value": "host", "from": "store"}
    assert "hush" not in json.dumps(told)


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
