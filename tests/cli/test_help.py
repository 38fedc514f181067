"""Help of a crawl by topic, and the list of commands."""

import re

import click
import pytest
from click.shell_completion import ShellComplete
from support.command_line import run

from minicrawl.cli import main
from minicrawl.cli.crawl import command
from minicrawl.cli.help import ALL, FIRST, REST
from minicrawl.settings import options

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
