"""Options from the environment and from files, in place of their defaults.

flag > environment > file > default

A file has a table for every command, [crawl], a nested one for a command of a group, [graph.stats], [host."NAME"] for
one host, and [extract.NAME] for items of pages. Keys of commands are the names of options: delay, max-depth. COMMON
options of every command are before all tables. Click reads environment variables, with the command's name as a prefix:
MINICRAWL_CRAWL_MAX_DEPTH.
"""

import os
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from functools import partial
from typing import TYPE_CHECKING, Any  # Any: settings as given

import click
from click.core import ParameterSource

from minicrawl.errors import SettingError

if TYPE_CHECKING:
    from minicrawl.settings.files import ConfigFile

COMMON = ("store", "log-file", "log-format", "quiet", "verbose")
"""Options that a file may have before all tables, for every command that has them."""
HOSTS, ITEMS = "host", "extract"
_META = "minicrawl.config"
_CONFIG = "config"
"""The command that reports errors in files itself."""
CRAWLS = (("crawl",),)
"""Commands with the settings of a crawl as options, and the settings' defaults."""
_NOT_KEPT = {"help", "version", "config"}
_PROJECT = "minicrawl.toml"


OnMistake = Callable[[SettingError], None]
"""Called with a mistake in a file."""


def raised(mistake: SettingError) -> None:
    """Raise a mistake, so that the first one ends a command."""
    raise mistake


class Lines(click.types.StringParamType):
    """Splits an option that may be given several times: one per line in the environment."""

    envvar_list_splitter = "\n"


def key_of(parameter: click.Parameter) -> str | None:
    """The key of an option in files; None for options that files cannot set."""
    spellings = [opt[2:] for opt in parameter.opts if opt.startswith("--")]
    return spellings[0] if isinstance(parameter, click.Option) and spellings and spellings[0] not in _NOT_KEPT else None


def options_of(command: click.Command) -> dict[str, click.Option]:
    """The options of a command by their keys in files."""
    return {key: one for one in command.params if isinstance(one, click.Option) and (key := key_of(one)) is not None}


def variable_of(ctx: click.Context, option: click.Parameter) -> str:
    """The environment variable of an option of a command."""
    return (
        option.envvar if isinstance(option.envvar, str) else f"{ctx.auto_envvar_prefix}_{(option.name or '').upper()}"
    )


def _note(ctx: click.Context, _: click.Parameter, given: str | None) -> None:
    if given is not None:
        ctx.meta[_META] = given


def _note_for_crawl(ctx: click.Context, parameter: click.Parameter, given: str | None) -> None:
    _note(ctx, parameter, given)
    ctx.default_map = _taken(ctx, ctx.command, ctx.info_name or "")


_config = partial(
    click.option,
    "--config",
    metavar="FILE|none",
    is_eager=True,
    expose_value=False,
    help="Take options from this file, not from minicrawl.toml; none: from no file.",
)
config_option = _config(callback=_note_for_crawl)
"""The --config option of a crawl. It must be the first eager option, as the others may be in files, too."""
main_config_option = _config(callback=_note, envvar="MINICRAWL_CONFIG", show_envvar=True)
"""The --config option before the name of the command."""


def take_file(ctx: click.Context, command: click.Command, name: str) -> None:
    """Let the values of the file replace the defaults of a command below `ctx`. Raises SettingError."""
    has_own = any("--config" in one.opts for one in command.params)
    if name != _CONFIG and not has_own:
        ctx.default_map = {name: _taken(ctx, command, name)}


def _taken(ctx: click.Context, command: click.Command, name: str) -> dict[str, Any]:
    """The values of the file for a command; for shell completion, none."""
    file = None if ctx.resilient_parsing else file_of(ctx)
    return {} if file is None else _defaults(command, (name,), file)


def _defaults(command: click.Command, words: tuple[str, ...], file: "ConfigFile") -> dict[str, Any]:
    """The values of the file for a command, and below it those of its own commands, as click takes them."""
    below = command.commands if isinstance(command, click.Group) else {}
    own = values_of(command, words, file)
    return own | {name: _defaults(one, (*words, name), file) for name, one in below.items()}


def file_of(ctx: click.Context, on_mistake: OnMistake = raised) -> "ConfigFile | None":
    """The file in effect, if there is one. Raises SettingError for an unreadable file."""
    given = ctx.meta.get(_META)
    if given is None and not os.path.exists(_PROJECT):
        return None
    from minicrawl.settings.files import config_file

    file = config_file(given)
    if file is not None:
        _check_names(file, ctx.find_root(), on_mistake)
    return file


def values_of(
    command: click.Command, words: tuple[str, ...], file: "ConfigFile", on_mistake: OnMistake = raised
) -> dict[str, object]:
    """The options of a command in a file, by the names of its parameters.

    on_mistake: called with an error for options that the command cannot use.
    """
    options = options_of(command)
    below = command.commands if isinstance(command, click.Group) else {}
    values: dict[str, object] = {}
    for place, value in _given_in(file, words, (options, below), on_mistake):
        option = options[place[-1]]
        try:
            values[option.name or ""] = _checked(file, place, option, value)
        except SettingError as error:
            on_mistake(error)
    return values


def settings_of_tables(file: "ConfigFile | None") -> dict[str, tuple[str, ...]]:
    """The tables of single hosts and of items, as settings of a crawl. Raises SettingError."""
    if file is None or not any(kind in file.tables for kind in (HOSTS, ITEMS)):
        return {}
    from minicrawl.settings.files import host_settings, rule_settings

    hosts, items = tables_of(file, HOSTS), tables_of(file, ITEMS)
    try:
        of_hosts, of_items = host_settings(hosts), rule_settings(items)
    except SettingError as error:
        raise file.sentence(str(error)) from error
    return of_hosts | {name: (*of_hosts.get(name, ()), *texts) for name, texts in of_items.items()}


def tables_of(file: "ConfigFile", kind: str) -> dict[str, Any]:
    """The tables of a file for single hosts, by host, or for items, by name. Raises SettingError."""
    tables = file.tables.get(kind, {})
    if not isinstance(tables, dict):
        what = 'hosts, such as [host."example.org"]' if kind == HOSTS else "items, such as [extract.product]"
        raise file.sentence(f"{kind} is a table of {what}, not {_kind(tables)}")
    return tables


def with_tables(ctx: click.Context, given: dict[str, Any]) -> dict[str, Any]:
    """The options given, followed by the tables of single hosts and of items. Raises SettingError, also for a wrong
    setting in the environment."""
    for option in options_of(ctx.command).values():
        if option.name in given and ctx.get_parameter_source(option.name) is ParameterSource.ENVIRONMENT:
            _convert(option, given[option.name], variable_of(ctx, option), is_setting=True)
    of_tables = settings_of_tables(file_of(ctx))
    return given | {name: (*given.get(name, ()), *texts) for name, texts in of_tables.items()}


def _given_in(
    file: "ConfigFile",
    words: tuple[str, ...],
    known: tuple[Mapping[str, click.Option], Mapping[str, object]],
    on_mistake: OnMistake,
) -> Iterator[tuple[tuple[str, ...], object]]:
    """The options of a command in a file, with their places. known: its options, and its subcommands."""
    options, below = known
    yield from (((key,), value) for key, value in file.tables.items() if key in COMMON and key in options)
    table: object = file.tables
    for number, word in enumerate(words):
        table = table.get(word, {}) if isinstance(table, dict) else {}
        if not isinstance(table, dict):
            on_mistake(file.sentence(f"{'.'.join(words[: number + 1])} is a table of options, not {_kind(table)}"))
            return
    for given, value in table.items() if isinstance(table, dict) else ():
        key = given.replace("_", "-")
        if given in below:  # the table of a subcommand
            continue
        if key not in options:
            problem = f"[{'.'.join(words)}] has no option {given!r}"
            help_ = f"'minicrawl {' '.join(words)} --help' has all of them"
            on_mistake(file.sentence(f"{problem}; {_nearest(key, options) or help_}"))
            continue
        yield (*words, key), value


def _nearest(name: str, names: Mapping[str, object] | tuple[str, ...]) -> str:
    close = get_close_matches(name, names, 1)
    return f"did you mean {close[0]!r}?" if close else ""


def _check_names(file: "ConfigFile", root: click.Context, on_mistake: OnMistake) -> None:
    """Report unknown tables, and unknown options before all tables."""
    commands = tuple(root.command.list_commands(root)) if isinstance(root.command, click.Group) else ()
    for key in file.tables:
        if key not in (known := (*COMMON, HOSTS, ITEMS, *commands)):
            hint = _nearest(key, known) or "tables are called as commands are, such as [crawl]"
            on_mistake(file.sentence(f"there is no table or option {key!r}; {hint}"))


def _checked(file: "ConfigFile", words: tuple[str, ...], option: click.Option, value: object) -> object:
    """The value of an option in a file, as click takes it. Raises SettingError."""
    called = ".".join(words)
    if (wanted := _wanted_type(option, value)) is not None:
        raise file.sentence(f"{called} is {wanted}, not {_kind(value)}")
    several = [value] if option.multiple and not isinstance(value, list) else value
    _convert(option, several, f"{file.path}: {called}", is_setting=words[:-1] in CRAWLS)
    return several


def _convert(option: click.Option, value: object, place: str, *, is_setting: bool) -> None:
    """Raise SettingError for an invalid value of an option. place: its place in the file."""
    from minicrawl.settings import SETTINGS

    try:
        if is_setting and option.name in SETTINGS:
            setting = SETTINGS[option.name]
            setting.checked(setting.of(value))
            setting.bounded(value)
        elif not option.is_flag:
            for one in value if isinstance(value, list) else [value]:
                option.type.convert(one, option, None)
    except click.BadParameter as error:
        raise SettingError(f"{place}: {error.message}") from error
    except SettingError as error:
        raise SettingError(f"{place}: {error}") from error


def _kind(value: object) -> str:
    from minicrawl.settings.values import kind

    return kind(value)


def _wanted_type(option: click.Option, value: object) -> str | None:
    """The type that an option wants, if the value has another."""
    if option.is_flag:
        return None if isinstance(value, bool) else "true or false"
    ones = value if option.multiple and isinstance(value, list) else [value]
    if isinstance(option.type, click.Path) and not all(isinstance(one, str) for one in ones):
        return "the path of a file"
    if all(isinstance(one, str | int | float) and not isinstance(one, bool) for one in ones):
        return None
    return "a text or a list of texts" if option.multiple else "a text or a number"
