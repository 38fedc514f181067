"""minicrawl config, minicrawl completion"""

import os
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple  # Any: settings as given

import click
from click.shell_completion import get_completion_class

from minicrawl.cli.help import Group
from minicrawl.cli.option_sources import (
    CRAWLS,
    HOSTS,
    ITEMS,
    check_variable,
    environment_of,
    files_of,
    options_of,
    settings_of_tables,
    tables_of,
    user_file,
    values_of,
)
from minicrawl.cli.options import json_option
from minicrawl.cli.output import document
from minicrawl.errors import SettingError, counted
from minicrawl.log import printable
from minicrawl.settings import PROFILES, with_profile

if TYPE_CHECKING:
    from minicrawl.settings.files import ConfigFile

_WIDTH = 100
_PROGRAM = "minicrawl"
_SHELLS = ("bash", "zsh", "fish")
_PLACES = {"default": "default", "environment": "environment"}
"""Origins of options that are no files."""
_PLAIN = (str, int, float, bool, list, tuple, Path)


@click.group(cls=Group, epilog="Example: minicrawl config init")
def command() -> None:
    """Options from files and from the environment, so that a command line need not repeat them.

    A flag counts before the environment (MINICRAWL_CRAWL_DELAY), that before minicrawl.toml or [tool.minicrawl] of
    pyproject.toml in the folder, those before the user's own file, and that before what a store remembers and before
    the default.
    """


class Shown(NamedTuple):
    """An option's effective value. `origin`: environment, project, user, --config, profile or default; `place`: the
    variable or file."""

    value: Any
    origin: str
    place: str | None


@command.command(epilog="Example: minicrawl config show crawl")
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@click.option("--profile", type=click.Choice(list(PROFILES)), help="As with this --profile of a crawl.")
@json_option
def show(words: tuple[str, ...], profile: str | None, as_json: bool) -> None:
    """Print the options of COMMAND, by default crawl, as they are without any flag, and where each comes from.

    What a store remembers is not among them: 'minicrawl crawl --show-settings' prints that.
    """
    words = words or ("crawl",)
    shown = _shown(words)
    if words == ("crawl",):
        shown |= _of_profile(shown, profile)
    if as_json:
        click.echo(document({key: one._asdict() for key, one in shown.items()}))
        return
    texts = {key: printable(_text(one.value)) for key, one in shown.items()}
    width = min(max(map(len, texts.values()), default=0), 40)
    wide = max(map(len, texts), default=0)
    for key, one in shown.items():
        place = f" ({printable(one.place)})" if one.place else ""
        click.echo(f"{key:<{wide}}  {texts[key]:<{width}}  {one.origin}{place}")


@command.command(epilog="Example: minicrawl config check")
@json_option
def check(as_json: bool) -> None:
    """Say whether all that files and the environment have is right: exit 0, or 2 and all that is wrong, a line each."""
    ctx = click.get_current_context()
    mistakes: list[SettingError] = []
    files = _checked_files(ctx, mistakes)
    variables = _checked_variables(ctx.find_root(), mistakes)
    if not mistakes:
        _check_together(files, mistakes)
    if mistakes:
        for sentence in dict.fromkeys(map(str, mistakes)):
            click.echo(f"Error: {printable(sentence)}", err=True)
        raise click.exceptions.Exit(SettingError.exit_code)
    counts = {str(file.path): _size(file.tables) for file in files}
    if as_json:
        found = [{"path": str(file.path), "origin": file.origin, "options": counts[str(file.path)]} for file in files]
        click.echo(document({"files": found, "environment": variables}))
        return
    for file in files:
        click.echo(f"{printable(str(file.path))} ({file.origin}): {counted(counts[str(file.path)], 'option')}")
    click.echo(f"environment: {', '.join(variables) or 'nothing'}")
    if not files:
        click.echo("There is no file of options; 'minicrawl config init' writes one.")


def _checked_files(ctx: click.Context, mistakes: list[SettingError]) -> "tuple[ConfigFile, ...]":
    """The files in effect; adds the errors in each to `mistakes`."""
    try:
        files = files_of(ctx, mistakes.append)
    except SettingError as error:
        mistakes.append(error)
        return ()
    for words, one in _commands(ctx.find_root()):
        values_of(one, words, files, mistakes.append)
    for file in files:
        for part in _parts(file):
            try:
                settings_of_tables((part,))
            except SettingError as error:
                mistakes.append(error)
    return files


def _parts(file: "ConfigFile") -> "Iterator[ConfigFile]":
    """Split a file into parts, each with one key of one host or one rule for items."""
    for kind in (HOSTS, ITEMS):
        named = file.tables.get(kind, {})
        for name, keys in named.items() if isinstance(named, dict) else [(None, named)]:
            if name is None:
                yield replace(file, tables={kind: keys})
            elif kind == HOSTS and isinstance(keys, dict):
                yield from (replace(file, tables={kind: {name: {key: value}}}) for key, value in keys.items())
            else:
                yield replace(file, tables={kind: {name: keys}})


def _check_together(files: "tuple[ConfigFile, ...]", mistakes: list[SettingError]) -> None:
    """Check for conflicting options of a crawl, and for wrong selectors of items."""
    from minicrawl.extract.checks import check_selectors
    from minicrawl.settings import CrawlSettings

    crawl = {key: one.value for key, one in _shown(("crawl",)).items() if one.origin != "default" and "." not in key}
    names = {key: option.name for key, option in options_of(_command(("crawl",))).items()}
    given = {names[key]: value for key, value in crawl.items() if _is_setting(names[key])}
    try:
        check_selectors(CrawlSettings.of(given))
    except SettingError as error:
        mistakes.append(error)
    for file in files:
        for part in _parts(file):
            try:
                check_selectors(CrawlSettings.of(settings_of_tables((part,))))
            except SettingError as error:
                mistakes.append(file.sentence(str(error).removeprefix(f"{file.path}: ")))


@command.command(epilog="Example: minicrawl config init")
@click.option("--user", "is_for_user", is_flag=True, help="Write the user's own file, not the project's.")
@json_option
def init(is_for_user: bool, as_json: bool) -> None:
    """Write minicrawl.toml into this folder: every option of a crawl with its default and its help, as comments."""
    path = user_file() if is_for_user else Path("minicrawl.toml")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write("\n".join(_template()) + "\n")
    except FileExistsError as error:
        raise SettingError(f"{path} is there already; change it, or delete it first") from error
    except OSError as error:
        raise SettingError(f"{path} cannot be written: {error.strerror}") from error
    click.echo(document({"written": str(path)}) if as_json else f"{path} is written; take the # off what it is to say.")


@click.command(epilog="Example: minicrawl completion bash >> ~/.bashrc")
@click.argument("shell", type=click.Choice(_SHELLS))
def completion(shell: str) -> None:
    """Print what lets SHELL complete commands, options and files when Tab is pressed.

    Nothing is written: send it where the shell reads it when it starts. For fish that is
    ~/.config/fish/completions/minicrawl.fish.
    """
    found = get_completion_class(shell)
    assert found is not None
    names = {"prog_name": _PROGRAM, "complete_func": f"_{_PROGRAM}_completion"}
    click.echo(found.source_template % {**names, "complete_var": f"_{_PROGRAM.upper()}_COMPLETE"})


def _size(table: Mapping[str, object]) -> int:
    """The number of keys in a table and the tables in it."""
    return sum(_size(value) if isinstance(value, dict) else 1 for value in table.values())


def _command(words: tuple[str, ...]) -> click.Command:
    """Find a command by its words. Raises SettingError."""
    found: click.Command | None = click.get_current_context().find_root().command
    ctx = click.Context(found) if found else click.get_current_context()
    for word in words:
        found = found.get_command(ctx, word) if isinstance(found, click.Group) else None
        if found is None:
            raise SettingError(f"there is no command '{' '.join(words)}'; 'minicrawl --help' has all of them")
    assert found is not None
    if isinstance(found, click.Group) and not found.invoke_without_command:
        raise SettingError(f"'{' '.join(words)}' has commands of its own: name one of {', '.join(found.commands)}")
    return found


def _commands(root: click.Context, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """All commands, with their words."""
    names = root.command.list_commands(root) if isinstance(root.command, click.Group) else []
    for name in names:
        one = root.command.get_command(root, name) if isinstance(root.command, click.Group) else None
        if isinstance(one, click.Group):
            if one.invoke_without_command:
                yield (*words, name), one
            yield from _commands(click.Context(one), (*words, name))
        elif one is not None:
            yield (*words, name), one


def _is_setting(name: str | None) -> bool:
    from minicrawl.settings import SETTINGS

    return name in SETTINGS


def _shown(words: tuple[str, ...]) -> dict[str, Shown]:
    """The options of a command, as in effect without any flag."""
    ctx = click.get_current_context()
    one, files = _command(words), files_of(ctx)
    values = values_of(one, words, files)
    shown = {}
    for key, option in options_of(one).items():
        name = option.name or ""
        found = environment_of(option)
        if found is not None:
            shown[key] = Shown(_hidden(name, found[0]), "environment", found[1])
        elif name in values:
            value, file = values[name]
            shown[key] = Shown(_hidden(name, value), file.origin, str(file.path))
        else:
            shown[key] = Shown(_hidden(name, _default(words, option)), "default", None)
    for file in reversed(files) if words == ("crawl",) else ():
        for kind in (HOSTS, ITEMS):
            for name, keys in tables_of(file, kind).items():
                for key, value in keys.items():
                    shown[f"{kind}.{name}.{key}"] = Shown(_hidden_in_table(key, value), file.origin, str(file.path))
    return shown


def _of_profile(shown: dict[str, Shown], flag: str | None) -> dict[str, Shown]:
    """The options that a profile sets, by the flag or as the environment or a file chooses it."""
    place = "given" if flag else _PLACES.get(shown["profile"].origin, "file")
    name = flag or shown["profile"].value
    if name is None:
        return {}
    explicit = {key.replace("-", "_"): _PLACES.get(one.origin, "file") for key, one in shown.items()}
    implied = with_profile(name, Path(shown["store"].value).parent, place, explicit)
    chosen = {"profile": Shown(name, "flag", None)} if flag else {}
    return chosen | {
        key.replace("_", "-"): Shown(_hidden(key, value), "profile", None) for key, value in implied.items()
    }


def _default(words: tuple[str, ...], option: click.Option) -> object:
    from minicrawl.settings import SETTINGS

    if words in CRAWLS and option.name in SETTINGS:
        return SETTINGS[option.name].default
    value = option.to_info_dict().get("default")
    return value if isinstance(value, _PLAIN) else None


def _hidden(name: str, value: Any) -> Any:
    """A value for JSON, without secrets."""
    from minicrawl.settings import SETTINGS

    if name in SETTINGS and value is not None:
        value = SETTINGS[name].hide(SETTINGS[name].of(value))
    if isinstance(value, list | tuple):
        return [str(one) for one in value]
    return str(value) if isinstance(value, Path) or not isinstance(value, (*_PLAIN, type(None))) else value


def _hidden_in_table(key: str, value: Any) -> Any:
    return _hidden(key, value) if key == "header" else "***" if key == "auth" else value


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, dict):
        return ", ".join(f"{key} = {_text(one)}" for key, one in value.items())
    return "none" if value in (None, "") else str(value)


def _checked_variables(root: click.Context, mistakes: list[SettingError]) -> list[str]:
    """The environment variables that set options; adds wrong and unknown ones to `mistakes`."""
    known = {"MINICRAWL_CONFIG", "MINICRAWL_STORE", "MINICRAWL_TOKEN"}
    for words, one in _commands(root):
        for option in options_of(one).values():
            known |= {option.envvar} if isinstance(option.envvar, str) else set()
            try:
                check_variable(option, is_setting=words in CRAWLS)
            except SettingError as error:
                mistakes.append(error)
    found = sorted(name for name in os.environ if name.startswith("MINICRAWL_") and os.environ[name])
    for name in found:
        if name not in known:
            close = get_close_matches(name, known, 1)
            hint = f"did you mean {close[0]}?" if close else "options are called as in MINICRAWL_CRAWL_DELAY"
            mistakes.append(SettingError(f"the environment has {name}, which is no option; {hint}"))
    return found


def _template() -> Iterator[str]:
    """The lines of a file with every option commented out."""
    from minicrawl.settings import DEFAULT_STORE

    yield "# Options of minicrawl. A flag counts before these, and so does the environment, as MINICRAWL_CRAWL_DELAY."
    yield "# Tables are called as commands are, keys as their options: 'minicrawl config show' has what holds now."
    yield ""
    yield "# The crawl's file, of all commands."
    yield f"# store = {_toml(str(DEFAULT_STORE))}"
    yield ""
    yield "[crawl]"
    options = options_of(_command(("crawl",)))
    for key, option in options.items():
        if key in ("store", "show-settings", "dry-run", "forget", "retry"):
            continue
        yield ""
        yield from textwrap.wrap(option.help or "", _WIDTH, initial_indent="# ", subsequent_indent="# ")
        default = _default(("crawl",), option)
        example = default if default not in (None, "") and not option.multiple else option.metavar or "FILE"
        yield f"# {key} = {_toml([example] if option.multiple else example)}"
    yield ""
    yield "# What holds for one host."
    yield '# [host."example.org"]'
    yield '# delay = "5s"'
    yield '# header = ["Authorization: Bearer ..."]'
    yield '# refresh = "1d"'
    yield '# extract = { each = ".product", fields = { name = "h2", price = ".price" } }'
    yield ""
    yield "# Items of all pages whose URL matches, for items = ..."
    yield "# [extract.product]"
    yield "# match = '/product/[0-9]+'"
    yield '# fields = { name = "h1", price = ".price::text", "tags[]" = "css:.tag" }'


def _toml(value: object) -> str:
    from json import dumps

    return dumps(value, ensure_ascii=False, default=str)
