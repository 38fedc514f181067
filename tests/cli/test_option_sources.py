"""Options from flags, the environment and files: which of them counts, for every option of every command."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from support.command_line import run
from support.sites import Server, crawl

from minicrawl.cli import main
from minicrawl.cli.option_sources import COMMON, key_of, options_of, variable_of
from minicrawl.settings import SETTINGS

ON_AND_OFF = ["1", "0", "1", "0"]
SAMPLES = [
    ("crawl", "delay", ["1", "2", "3", "4"]),
    ("crawl", "deny", ["a", "b", "c", "d"]),
    ("crawl", "scope", ["any", "site", "host", "prefix"]),
    ("crawl", "cookies", ON_AND_OFF),
    ("crawl", "traps", ON_AND_OFF),
    ("crawl", "partitions", ["1", "2", "3", "4"]),
    ("crawl", "store", ["a.db", "b.db", "c.db", "d.db"]),
    ("refresh", "pages", ["1", "2", "3", "4"]),
    ("refresh", "header", ["A: 1", "B: 2", "C: 3", "D: 4"]),
    ("graph stats", "json", ON_AND_OFF),
    ("seeds check", "time", ["1", "2", "3", "4"]),
    ("refresh", "log-format", ["json", "text", "json", "text"]),
    ("archive get", "at", ["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"]),
    ("demo", "seed", ["1", "2", "3", "4"]),
    ("rank trust", "good-share", ["0.1", "0.2", "0.3", "0.4"]),
    ("lab graphbench", "bits", ["8", "16", "32", "64"]),
]
"""An option of every kind, of commands and of those of groups, with four values of which each differs from the next."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty one."""
    monkeypatch.delenv("MINICRAWL_CONFIG", raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path


def commands(command: click.Command = main, *words: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    context = click.Context(command)
    if not isinstance(command, click.Group):
        yield words, command
        return
    for name in command.list_commands(context):
        found = command.get_command(context, name)
        assert found is not None
        yield from commands(found, *words, name)


COMMANDS = dict(commands())
OPTIONS = [(words, key) for words, command in COMMANDS.items() for key in options_of(command)]


def in_file(option: click.Option, text: str) -> str:
    return {"1": "true", "0": "false"}[text] if option.is_flag else f"'{text}'"


def write(file: Path, words: tuple[str, ...], key: str, value: str) -> None:
    file.write_text(f"[{'.'.join(words)}]\n{key} = {value}\n")


def effective(words: tuple[str, ...], key: str, args: list[str]) -> tuple[Any, str | None]:
    """What one option of a command comes to, and where click has it from."""
    context, command = click.Context(main, auto_envvar_prefix="MINICRAWL"), click.Command("none")
    for word in words:
        _, found, _ = context.command.resolve_command(context, [word])  # type: ignore[attr-defined]
        command, context = found, click.Context(found, parent=context, info_name=word)
    for config in [one for one in command.params if one.name == "config"]:
        config.handle_parse_result(context, {}, [])
    option = options_of(command)[key]
    option.callback, callback = None, option.callback  # logging begins with some
    try:
        given, _, _ = command.make_parser(context).parse_args(list(args))
        value, _ = option.handle_parse_result(context, given, [])
    finally:
        option.callback = callback
    source = context.get_parameter_source(option.name or "")
    return value, None if source is None else source.name


def variable(words: tuple[str, ...], key: str) -> str:
    """The environment variable of an option."""
    context = click.Context(click.Command("none"), auto_envvar_prefix="_".join(("MINICRAWL", *words)))
    return variable_of(context, options_of(COMMANDS[words])[key])


def flag(option: click.Option, key: str, text: str) -> list[str]:
    if not option.is_flag:
        return [f"--{key}", text]
    return [f"--{key}"] if text == "1" else list(option.secondary_opts[:1])


@pytest.mark.parametrize(("command", "key", "texts"), SAMPLES)
def test_flag_before_environment_before_file_before_default(
    command: str, key: str, texts: list[str], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = tuple(command.split())
    option = options_of(COMMANDS[words])[key]
    file, name = folder / "here/minicrawl.toml", variable(words, key)
    seen = []
    write(file, words, key, in_file(option, texts[1]))
    seen.append(effective(words, key, []))
    monkeypatch.setenv(name, texts[2])
    seen.append(effective(words, key, []))
    if not option.is_flag or option.secondary_opts:
        seen.append(effective(words, key, flag(option, key, texts[3])))
    else:  # such a flag can only be set
        monkeypatch.setenv(name, "0")
        seen.append(effective(words, key, [f"--{key}"]))
        texts = [*texts[:3], "1"]
    file.unlink()
    monkeypatch.delenv(name)
    assert [source for _, source in seen] == ["DEFAULT_MAP", "ENVIRONMENT", "COMMANDLINE"]
    wanted = [effective(words, key, flag(option, key, text))[0] for text in texts[1:]]
    if option.is_flag:
        wanted = [text == "1" for text in texts[1:]]
    assert [value for value, _ in seen] == wanted


def test_every_option_has_a_key_and_a_variable_of_its_own() -> None:
    """And stands at its default where nothing is said of it."""
    variables = [variable(words, key) for words, key in OPTIONS]
    assert {effective(*one, [])[1] for one in OPTIONS if not options_of(COMMANDS[one[0]])[one[1]].required} == {
        "DEFAULT"
    }
    own = [one for one in variables if one != "MINICRAWL_STORE"]
    assert len(set(own)) == len(own)
    assert "MINICRAWL_CRAWL_MAX_DEPTH" in own
    unkept = {one.name for command in COMMANDS.values() for one in command.params if key_of(one) is None}
    assert {name for name in unkept if name == "config"} == {"config"}


def settings_now(*words: str) -> dict[str, list[str]]:
    result = run("crawl", "--show-settings", *words)
    assert result.exit_code == 0, result.output
    return {line.split()[0]: line.split()[1:] for line in result.output.splitlines()}


def test_a_crawl_does_what_files_and_the_environment_say(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "here/minicrawl.toml").write_text(
        'store = "mine.db"\n[crawl]\ndelay = 3\nmax_depth = 2\ntraps = false\ndeny = ["/x", "/y z"]\n'
        '[host."a.test"]\ndelay = "9s"\nheader = "Authorization: hush"\n'
    )
    crawl({"http://a.test/": []}, folder / "here/mine.db", ["http://a.test/"], max_depth=5, scope="host")
    monkeypatch.setenv("MINICRAWL_CRAWL_ALLOW", "one a\nline")
    monkeypatch.setenv("MINICRAWL_CRAWL_PER_HOST", "")
    now = settings_now("--host-delay", "b.test=1s")
    assert now["delay"] == ["file", "3.0"]
    assert now["max-depth"] == ["file", "2"]  # before what the store remembers
    assert now["scope"] == ["store", "host"]
    assert now["traps"] == ["file", "no"]
    assert now["deny"] == ["file", "/x,", "/y", "z"]
    assert now["allow"] == ["environment", "one", "a,", "line"]
    assert now["per-host"] == ["default", "1"]
    assert now["host-delay"] == ["given", "b.test=1s,", "a.test=9s"]
    assert now["header"] == ["file", "a.test=Authorization"]
    assert settings_now("--config", "none", "--store", "mine.db")["max-depth"] == ["store", "5"]


def test_no_file_is_read_for_help_nor_when_none_is_asked_for(folder: Path) -> None:
    (folder / "here/minicrawl.toml").write_text("[crawl\n")
    assert run("crawl", "--help").exit_code == 0
    assert run("crawl", "--show-settings", "--config", "none").exit_code == 0
    assert run("--config", "none", "crawl", "--show-settings").exit_code == 0
    assert run("crawl", "--show-settings").exit_code == 2


MISTAKES = {
    "key like none": ("[crawl]\nzzz = 1\n", "[crawl] has no option 'zzz'; 'minicrawl crawl --help' has all of them"),
    "no flag": ("[crawl]\ntraps = 'off'\n", "crawl.traps is true or false, not 'off'"),
    "date": ("[crawl]\ndelay = 2026-01-01\n", "crawl.delay is a text or a number, not a date"),
    "list of lists": ("[crawl]\ndeny = [['a']]\n", "crawl.deny is a text or a list of texts, not a list"),
    "option for a table": ("crawl = 1\n", "crawl is a table of options, not 1"),
    "bad regex": ("[crawl]\ndeny = '('\n", "crawl.deny: --deny '(' is no regular expression"),
}


@pytest.mark.parametrize(("content", "sentence"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistake_in_a_file_is_one_sentence_and_exit_2(folder: Path, content: str, sentence: str) -> None:
    (folder / "here/minicrawl.toml").write_text(content)
    for words in (("crawl", "--show-settings"), ("config", "check")):
        result = run(*words)
        assert (result.exit_code, result.stdout) == (2, "")
        assert result.stderr.startswith(f"Error: minicrawl.toml: {sentence}")
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "variable", "sentence"),
    [
        (("crawl", "--show-settings"), "MINICRAWL_CRAWL_DELAY", "--delay: a time is a number with s, m, h or d"),
        (("crawl", "--show-settings"), "MINICRAWL_CRAWL_TRAPS", "'abc' is not a valid boolean"),
        (("top",), "MINICRAWL_TOP_N", "'abc' is not a valid integer range"),
        (("seeds", "check", "http://a.test/"), "MINICRAWL_SEEDS_CHECK_TIMEOUT", "--timeout: a time is a number"),
    ],
)
def test_mistake_in_the_environment_names_the_variable(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], variable: str, sentence: str
) -> None:
    monkeypatch.setenv(variable, "abc")
    result = run(*words)
    assert result.exit_code == 2
    assert f"{variable}: {sentence}" in result.stderr


def test_what_a_flag_says_better_is_not_looked_for_in_the_environment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINICRAWL_CRAWL_DELAY", "abc")
    assert run("crawl", "--show-settings", "--delay", "3").exit_code == 0
    assert "MINICRAWL" not in run("crawl", "--show-settings", "--delay", "xyz").stderr


def test_options_before_all_tables_are_for_every_command_that_has_them(folder: Path) -> None:
    crawl(Server({"http://a.test/": []}), folder / "here/mine.db", ["http://a.test/"])
    assert run("top").exit_code == 3
    (folder / "here/minicrawl.toml").write_text('store = "mine.db"\n')
    assert run("top").exit_code == 0
    assert run("graph", "stats").exit_code == 0
    assert {"store"} <= set(COMMON)


def test_settings_of_a_crawl_are_all_in_the_table(folder: Path) -> None:
    keys = {key for words, key in OPTIONS if words == ("crawl",)}
    assert {name.replace("_", "-") for name in SETTINGS} <= keys
