"""minicrawl config, minicrawl completion"""

import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple  # Any: settings as given

import click
from click.shell_completion import get_completion_class

from minicrawl.cli.help import Group
from minicrawl.cli.option_sources import (
    CRAWLS,
    HOSTS,
    ITEMS,
    file_of,
    options_of,
    settings_of_tables,
    tables_of,
    values_of,
    variable_of,
)
from minicrawl.cli.options import json_option
from minicrawl.cli.output import document
from minicrawl.errors import SettingError, counted
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.settings.files import ConfigFile

_WIDTH = 100
_PROGRAM = "minicrawl"
_SHELLS = ("bash", "zsh", "fish")
_PLAIN = (str, int, float, bool, list, tuple, Path)


@click.group(cls=Group, epilog="Example: minicrawl config init")
def command() -> None:
    """Options from files and from the environment, so that a command line need not repeat them.

    A flag counts before the environment (MINICRAWL_CRAWL_DELAY), that before minicrawl.toml in the folder, and that
    before what a store remembers and before the default.
    """


class Shown(NamedTuple):
    """An option's effective value. `origin`: environment, file or default; `place`: the variable or file."""

    value: Any
    origin: str
    place: str | None


@command.command(epilog="Example: minicrawl config show crawl")
@click.argument("words", nargs=-1, metavar="[COMMAND]...")
@json_option
def show(words: tuple[str, ...], as_json: bool) -> None:
    """Print the options of COMMAND, by default crawl, as they are without any flag, and where each comes from.

    What a store remembers is not among them: 'minicrawl crawl --show-settings' prints that.
    """
    words = words or ("crawl",)
    shown = _shown(words)
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
    """Say whether all that the file of options has is right: exit 0, or 2 and what is wrong, a line each."""
    ctx = click.get_current_context()
    mistakes: list[SettingError] = []
    try:
        file = file_of(ctx, mistakes.append)
        if file is not None:
            for words, one in _commands(ctx.find_root()):
                values_of(one, words, file, mistakes.append)
        settings_of_tables(file)
        if not mistakes:
            _check_together(file)
    except SettingError as error:
        mistakes.append(error)
    if mistakes:
        for sentence in dict.fromkeys(map(str, mistakes)):
            click.echo(f"Error: {printable(sentence)}", err=True)
        raise click.exceptions.Exit(SettingError.exit_code)
    found = None if file is None else {"path": str(file.path), "options": _size(file.tables)}
    if as_json:
        click.echo(document({"file": found}))
    elif file is None:
        click.echo("There is no file of options; 'minicrawl config init' writes one.")
    else:
        click.echo(f"{printable(str(file.path))}: {counted(_size(file.tables), 'option')}")


def _check_together(file: "ConfigFile | None") -> None:
    """Raise SettingError for conflicting options of a crawl, and for wrong selectors of items."""
    from minicrawl.extract.checks import check_selectors
    from minicrawl.settings import SETTINGS, CrawlSettings

    names = {key: option.name or "" for key, option in options_of(_command(("crawl",))).items()}
    shown = {names[key]: one for key, one in _shown(("crawl",)).items() if key in names}
    given = {name: one.value for name, one in shown.items() if name in SETTINGS and one.origin != "default"}
    check_selectors(CrawlSettings.of(given))
    if file is not None:
        try:
            check_selectors(CrawlSettings.of(settings_of_tables(file)))
        except SettingError as error:
            raise file.sentence(str(error).removeprefix(f"{file.path}: ")) from error


@command.command(epilog="Example: minicrawl config init")
@json_option
def init(as_json: bool) -> None:
    """Write minicrawl.toml into this folder: every option of a crawl with its default and its help, as comments."""
    path = Path("minicrawl.toml")
    try:
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


def _command(words: tuple[str, ...], *, is_whole: bool = True) -> click.Command:
    """Find a command by its words. is_whole: they name no mere group. Raises SettingError."""
    found: click.Command | None = click.get_current_context().find_root().command
    ctx = click.Context(found) if found else click.get_current_context()
    for word in words:
        found = found.get_command(ctx, word) if isinstance(found, click.Group) else None
        if found is None:
            raise SettingError(f"there is no command '{' '.join(words)}'; 'minicrawl --help' has all of them")
    assert found is not None
    if is_whole and isinstance(found, click.Group) and not found.invoke_without_command:
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


def _shown(words: tuple[str, ...]) -> dict[str, Shown]:
    """The options of a command, as in effect without any flag."""
    ctx = click.get_current_context().find_root()
    one, file = _command(words), file_of(ctx)
    values = {} if file is None else values_of(one, words, file)
    for number in range(len(words)):
        ctx = click.Context(_command(words[: number + 1], is_whole=False), ctx, words[number])
    shown = {}
    for key, option in options_of(one).items():
        name = option.name or ""
        if (said := option.value_from_envvar(ctx)) is not None:
            value = click.BOOL.convert(said, option, ctx) if option.is_flag else said
            shown[key] = Shown(_hidden(name, value), "environment", variable_of(ctx, option))
        elif name in values and file is not None:
            shown[key] = Shown(_hidden(name, values[name]), "file", str(file.path))
        else:
            shown[key] = Shown(_hidden(name, _default(words, option)), "default", None)
    if words == ("crawl",) and file is not None:
        for kind in (HOSTS, ITEMS):
            for name, keys in tables_of(file, kind).items():
                for key, value in keys.items():
                    shown[f"{kind}.{name}.{key}"] = Shown(_hidden_in_table(key, value), "file", str(file.path))
    return shown


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
    yield '# extract = { each = ".product", fields = { name = "h2", price = ".price" } }'
    yield ""
    yield "# Items of all pages whose URL matches, for items = ..."
    yield "# [extract.product]"
    yield "# match = '/product/[0-9]+'"
    yield '# fields = { name = "h1", price = ".price::text", "tags[]" = "css:.tag" }'


def _toml(value: object) -> str:
    from json import dumps

    return dumps(value, ensure_ascii=False, default=str)
