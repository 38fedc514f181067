"""Options as a user gives them, and what they come to."""

import json
import logging
import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from command_line import run
from sites import crawl
from small_web import small_web
from table import each

from minicrawl.cli.crawl import command as crawl_command
from minicrawl.cli.options import logging_options
from minicrawl.settings import SETTINGS, CrawlSettings

HOME = "http://a.test/"


def end_logs() -> None:
    """Close what a command has opened for its log: in a shell, its end does."""
    logger = logging.getLogger("minicrawl")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    logger.setLevel(logging.NOTSET)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    crawl({HOME: ["/b", "https://b.test/"]}, path, [HOME], scope="host", max_depth=3)
    return path


@each("name", SETTINGS)
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


def test_lines_of_a_log_are_json_objects_when_asked_for(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with small_web() as port:
        words = ["--connect-to", f"::127.0.0.1:{port}", "--allow-private", "--delay", "0", "-q", "--pages", "2"]
        words += ["--log-file", str(log), "--log-format", "json"]
        assert run("crawl", "http://example.org/", *words, "--store", tmp_path / "crawl.db").exit_code == 0
    try:
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        asked = [line["values"][0] for line in lines if line["event"] == "asking for %s"]
        assert "http://example.org/robots.txt" in asked
        assert {f"asking for {url}" for url in asked} <= {line["message"] for line in lines}
        assert {"time", "level", "message", "event", "values"} == set(lines[0])
        assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"]) for line in lines)
    finally:
        end_logs()


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
    assert told["event"] == "failed over %r and %s"
    assert told["values"] == ["x\n\x1b[31m", None]
    assert told["traceback"].endswith("ValueError: a\nb")
