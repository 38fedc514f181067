"""Options from the environment and from a file, in place of their defaults: flag > environment > file > default.

A file has the store of all commands, a table [crawl] with options of a crawl: delay, max-depth, and tables
[audit.NAME], each a rule of the audit. Click reads environment variables, with the command's name as a prefix:
MINICRAWL_CRAWL_MAX_DEPTH.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any  # Any: settings as given

import click

from minicrawl.errors import SettingError, hint

_META = "minicrawl.config"
_PROJECT = "minicrawl.toml"
_NONE = "none"
_STORE, _CRAWL, _AUDIT = "store", "crawl", "audit"
_SECRETS = ("header", "auth")
"""Options of a crawl that its store does not keep, so that a refresh takes them from the file, too."""


class Lines(click.types.StringParamType):
    """Splits an option that may be given several times: one per line in the environment."""

    envvar_list_splitter = "\n"


def variable_of(ctx: click.Context, option: click.Parameter) -> str:
    """The environment variable of an option of a command."""
    return (
        option.envvar if isinstance(option.envvar, str) else f"{ctx.auto_envvar_prefix}_{(option.name or '').upper()}"
    )


def _note(ctx: click.Context, _: click.Parameter, given: str | None) -> None:
    if given is not None:
        ctx.meta[_META] = given


config_option = click.option(
    "--config",
    metavar="FILE|none",
    is_eager=True,
    expose_value=False,
    callback=_note,
    envvar="MINICRAWL_CONFIG",
    show_envvar=True,
    help="Read options from this file instead of minicrawl.toml; 'none' reads no file.",
)


def without_config(ctx: click.Context, args: list[str]) -> list[str]:
    """The words of a command line without --config, which may stand behind any command, too; its value is noted."""
    words, rest = iter(args), list[str]()
    for word in words:
        name, equals, value = word.partition("=")
        if word == "--":
            return [*rest, word, *words]
        if name != "--config":
            rest.append(word)
        elif (given := value if equals else next(words, None)) is None:
            ctx.fail("Option '--config' requires an argument.")
        else:
            ctx.meta[_META] = given
    return rest


def take_file(ctx: click.Context, command: click.Command, name: str) -> None:
    """Let the values of the file replace the defaults of a command below `ctx`. Raises SettingError."""
    file, tables = tables_of_file(ctx)
    if file is None:
        return
    own: dict[str, Any] = {}
    if name == _CRAWL:
        own = crawl_options(file, tables, command)
    elif name == "refresh":
        crawl = ctx.command.get_command(ctx, _CRAWL) if isinstance(ctx.command, click.Group) else None
        every = {} if crawl is None else crawl_options(file, tables, crawl)
        own = {name: every[name] for name in _SECRETS if name in every}
    stores = _stores(command, tables[_STORE]) if _STORE in tables else {}
    ctx.default_map = {name: stores | own}


def tables_of_file(ctx: click.Context) -> tuple[Path | None, Mapping[str, Any]]:
    """The file in effect, if there is one, and what it has. Raises SettingError."""
    given = ctx.meta.get(_META)
    if given == _NONE or (given is None and not os.path.exists(_PROJECT)):
        return None, {}
    file = Path(given or _PROJECT)
    tables = _read(file)
    for key, value in tables.items():
        if key not in (_STORE, _CRAWL, _AUDIT):
            way_out = hint(key, (_STORE, _CRAWL, _AUDIT), "it has store, a table [crawl], and rules [audit.NAME]")
            raise SettingError(f"{file}: there is no {key!r}; {way_out}")
        if not isinstance(value, str if key == _STORE else dict):
            kind = {_STORE: "the path of a file", _CRAWL: "a table of options"}.get(key, "a table of rules")
            raise SettingError(f"{file}: {key} must be {kind}")
    return file, tables


def _read(path: Path) -> Mapping[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))  # Windows begins files with a mark
    except OSError as error:
        raise SettingError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise SettingError(f"{path} is not TOML in UTF-8: {error}") from error


def _stores(command: click.Command, store: str) -> dict[str, Any]:
    """The store as the default of a command, and of those below it."""
    own = {_STORE: store} if any(one.name == _STORE for one in command.params) else {}
    below = command.commands if isinstance(command, click.Group) else {}
    return own | {name: _stores(one, store) for name, one in below.items()}


def crawl_options(file: Path, tables: Mapping[str, Any], crawl: click.Command) -> dict[str, Any]:
    """The options of a crawl in a file, by the names of parameters of its command. Raises SettingError."""
    options = {opt[2:]: one for one in crawl.params for opt in one.opts if opt.startswith("--")}
    values: dict[str, Any] = {}
    for given, value in tables.get(_CRAWL, {}).items():
        option = options.get(given.replace("_", "-"))
        if not isinstance(option, click.Option) or option.name is None:
            way_out = hint(given, options, "'minicrawl crawl --help all' has all of them")
            raise SettingError(f"{file}: [crawl] has no option {given!r}; {way_out}")
        try:
            values[option.name] = _taken(option, option.name, value)
        except (SettingError, click.BadParameter) as error:
            said = error.message if isinstance(error, click.BadParameter) else error
            raise SettingError(f"{file}: crawl.{given}: {said}") from error
    return values


def _taken(option: click.Option, name: str, value: Any) -> Any:
    """The value of an option as click takes it. Raises SettingError or BadParameter."""
    from minicrawl.setting import several
    from minicrawl.settings import SETTINGS

    if name in SETTINGS:
        read = SETTINGS[name].of(value)  # a wrong one is told with the file
        return list(several(name, value)) if option.multiple else read
    return option.type.convert(str(value), option, None)
