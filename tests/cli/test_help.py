"""Help of a crawl by topic, and the list of commands."""

import csv
import json
import logging
import re
from pathlib import Path
from typing import Any

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner
from support.command_line import HOME, end_logs, run

from minicrawl.cli import main
from minicrawl.cli.crawl import command
from minicrawl.cli.crawl import command as crawl_command
from minicrawl.cli.help import ALL, FIRST, REST
from minicrawl.cli.options import logging_options
from minicrawl.settings import SETTINGS, CrawlSettings, options

TOPICS = [*options.TOPICS, REST]


def shown(page: str) -> set[str]:
    """The options that a page lists."""
    return set(re.findall(r"^  (?:-\w, )?(--[a-z-]+)", page, re.MULTILINE))


def test_first_page_has_a_dozen_options_and_the_topics_and_fits_a_screen() -> None:
    page = run("crawl", "--help").stdout
    assert len(page.splitlines()) <= 40
    assert shown(page) == {f"--{name.replace('_', '-')}" for name in (*FIRST, "help")}
    assert re.findall(r"^  (\w+) .*\.$", page.partition("Topics")[2], re.MULTILINE) == TOPICS
    assert run("crawl", "http://a.test/", "-h").stdout == page


def test_every_option_is_found_by_one_topic() -> None:
    pages = {topic: run("crawl", "--help", topic) for topic in (*TOPICS, ALL)}
    assert all(page.exit_code == 0 for page in pages.values())
    found = [option for topic in TOPICS for option in shown(pages[topic].stdout)]
    options = {max(one.opts, key=len) for one in command.get_params(click.Context(command)) if one.opts[0][0] == "-"}
    assert sorted(found) == sorted(options)
    assert shown(pages[ALL].stdout) == options
    assert shown(pages["politeness"].stdout) > {"--delay", "--per-host", "--ignore-robots"}


def test_commands_are_listed_in_groups_each_once_in_a_line() -> None:
    groups = run("--help").stdout.partition("\nCrawl:\n")[2]
    listed = re.findall(r"^  (\w+) +[A-Z].*\.$", groups, re.MULTILINE)
    assert listed == main.list_commands(click.Context(main))
    assert re.findall(r"^(\w.*):$", groups, re.MULTILINE) == ["Read", "Analyse", "Keep", "Set up"]


@pytest.mark.parametrize("words", [(), ("top",), ("crawl", "limits")])
def test_help_comes_first_or_last(words: tuple[str, ...]) -> None:
    assert run("help", *words).stdout == run(*words[:1], "--help", *words[1:]).stdout


def test_what_follows_help_is_completed_and_not_run(capsys: pytest.CaptureFixture[str]) -> None:
    found = ShellComplete(main, {}, "minicrawl", "_MINICRAWL_COMPLETE").get_completions(["help"], "expo")
    assert ([item.value for item in found], capsys.readouterr().out) == (["export"], "")


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
