"""Options shared by several commands."""

import functools
import re
import secrets
import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from importlib import util
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar  # Any: settings as given

import click
from click.core import ParameterSource

from minicrawl import installed, log
from minicrawl.cli.option_sources import Lines
from minicrawl.errors import SettingError, quoted, suggestion
from minicrawl.setting import Setting, parse_duration
from minicrawl.settings import DEFAULT_STORE, RANKINGS, SETTINGS, option
from minicrawl.settings.crawl import profile_of

if TYPE_CHECKING:
    from minicrawl.store.reader import Store


STORE_KEY = "minicrawl.store"
_NOT_OF_STORES = "demo|seeds|lab|login|gather|salvage|config|key|completion"
_HINT = re.compile(rf"'minicrawl (?!(?:{_NOT_OF_STORES})\b)[a-z]+\b[^'\n]*(?=')")
INTERRUPTED = 130
"""An exit code."""
_GIVEN = {
    ParameterSource.COMMANDLINE: "given",
    ParameterSource.ENVIRONMENT: "environment",
    ParameterSource.DEFAULT_MAP: "file",
}
"""Sources of options other than the store, and their names."""
_Command = TypeVar("_Command", bound=Callable[..., object])


class Choice(click.Choice[str]):
    """One of some words; a wrong one is told which was meant."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        return super().get_invalid_choice_message(value, ctx).rstrip(".") + suggestion(str(value), self.choices)


def naming_store(sentence: str, ctx: click.Context | None = None) -> str:
    """A sentence whose commands ('minicrawl top') name the store of this one, unless it is the default."""
    ctx = ctx or click.get_current_context(silent=True)
    store = DEFAULT_STORE if ctx is None else ctx.meta.get(STORE_KEY, DEFAULT_STORE)
    named = "" if store == DEFAULT_STORE else f" --store {shlex.quote(str(store))}"
    return _HINT.sub(lambda found: found[0] + ("" if "--store" in found[0] else named), sentence)


def _note(ctx: click.Context, option: click.Parameter, value: Any) -> Any:
    """Remember a value for `_noted`; that of the store for messages about damage."""
    ctx.meta[f"minicrawl.{option.name}"] = value
    return value


def _noted(name: str) -> Any:
    return click.get_current_context().meta.get(f"minicrawl.{name}")


def _note_store(ctx: click.Context, option: click.Parameter, value: Any) -> Any:
    if not ctx.resilient_parsing:
        refuse_upgrade(ctx, value)
    return _note(ctx, option, value)


def refuse_upgrade(ctx: click.Context, store: Path) -> None:
    """Raise StoreError for a store that would be upgraded, with --no-upgrade."""
    if ctx.meta.get("minicrawl.no_upgrade"):
        from minicrawl.store.folder import check_schema

        check_schema(store, upgrades=False)


_named_store = click.option(
    "--store",
    callback=_note_store,
    type=click.Path(path_type=Path),
    default=DEFAULT_STORE,
    envvar="MINICRAWL_STORE",
    show_default=True,
    show_envvar=True,
    help="Use this store: a file, or a folder of partitions.",
)
no_upgrade_option = click.option(
    "--no-upgrade",
    is_flag=True,
    callback=_note,
    expose_value=False,
    is_eager=True,
    envvar="MINICRAWL_NO_UPGRADE",
    help="Refuse a store of an earlier version instead of upgrading it.",
)


def store_option(command: _Command) -> _Command:
    """Add --store and --no-upgrade."""
    return _named_store(no_upgrade_option(command))


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")


def csv_options(command: _Command) -> _Command:
    """Add --csv and --csv-for, for commands that write a list for spreadsheets and programs, and have --json."""

    @functools.wraps(command)
    def checked(*values: Any, csv_file: Path | None, csv_for: str | None, **others: Any) -> Any:
        if csv_for is not None and csv_file is None:
            raise SettingError(f"--csv-for {csv_for} goes with --csv; add --csv FILE")
        from minicrawl.export.tables import STANDARD_OUTPUT

        if others["as_json"] and csv_file == STANDARD_OUTPUT:
            raise SettingError("standard output takes one of --csv and --json; name a file for the other: --csv FILE")
        return command(*values, csv_file=csv_file, csv_for=csv_for, **others)

    file = click.option("--csv", "csv_file", is_flag=False, flag_value="-", metavar="[FILE]",
                        type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
                        help="Write the whole list as CSV to this file, or without a name (or with -) to standard "
                             "output.")  # fmt: skip
    reader = click.option("--csv-for", "csv_for", type=Choice(["excel"]),
                          help="Begin the CSV with a byte order mark, so that Excel reads it as UTF-8.")  # fmt: skip
    return file(reader(checked))  # type: ignore[return-value]


def about_store(command: _Command) -> _Command:
    """Add --store and --json, for commands that answer about a store."""
    return store_option(json_option(command))


ranking_option = click.option(
    "--by",
    default=RANKINGS[0],
    show_default=True,
    metavar=f"{'|'.join(RANKINGS)}|NAME",
    help="Order by this; NAME is a ranking saved by 'minicrawl rank --save NAME'.",
)


where_option = click.option(
    "--where",
    metavar="SQL",
    help='Show only pages for which this SQL expression is true, such as "status = 404 AND depth < 3"; see '
    "docs/store.md.",
)


def setting_options(*names: str) -> Callable[[_Command], _Command]:
    """Add the options of these settings of a crawl."""

    def decorate(command: _Command) -> _Command:
        for name in reversed(names):
            command = _setting_option(SETTINGS[name])(command)
        return command

    return decorate


def _setting_option(setting: Setting) -> Callable[[_Command], _Command]:
    """The option of a setting. Its value is passed on as given: the setting reads and checks it."""
    name = option(setting.name)
    if isinstance(setting.default, bool):
        spelling = f"{name}/--no-{name[2:]}" if setting.default else name
        return click.option(spelling, is_flag=True, default=setting.default, help=setting.meaning)
    if setting.default == ():
        return click.option(name, multiple=True, type=Lines(), metavar=setting.metavar, help=setting.meaning)
    return click.option(
        name,
        type=Choice(setting.choices) if setting.choices else str,
        default=setting.shown,
        show_default=setting.default not in (None, ""),
        metavar=setting.metavar,
        help=setting.meaning,
    )


def is_kept(store: "Store", by: str) -> bool:
    """True for a ranking kept by 'minicrawl rank', False for one of every store. Raises SettingError for any other."""
    if by in RANKINGS:
        return False
    kept = [name for (name,) in store.rows("SELECT DISTINCT name FROM rankings ORDER BY name")]
    if by not in kept:
        kept_ones = f"or one kept in {store.path}: {', '.join(kept)}" if kept else f"and none is kept in {store.path}"
        raise SettingError(
            f"a ranking is one of {', '.join(RANKINGS)}, {kept_ones}; not {by!r}{suggestion(by, (*RANKINGS, *kept))}"
        )
    return True


def logging_options(command: _Command) -> _Command:
    """Add -v, -q, --log-file, --log-level and --log-format, for commands that run long."""
    for shared in (
        click.option("--log-level", type=Choice(log.LEVELS), default=log.LEVELS[0], show_default=True,
                     callback=_note, expose_value=False, is_eager=True,
                     help="Log events of this level and above."),
        click.option("--log-format", type=Choice(("text", "json")), default="text", show_default=True,
                     callback=_note, expose_value=False, is_eager=True,
                     help="Log as text for people, or as a JSON object per line."),
        click.option("--log-file", type=click.Path(dir_okay=False), callback=_log_to, expose_value=False,
                     help="Log what happens to every URL to this file."),
        click.option("-q", "--quiet", is_flag=True, callback=_note, expose_value=False, is_eager=True,
                     help="Print only errors and the summary at the end."),
        click.option("-v", "--verbose", is_flag=True, callback=_log_here, expose_value=False,
                     help="Log what happens to every URL to standard error."),
    ):  # fmt: skip
        command = shared(command)
    return command


def notify_options(command: _Command) -> _Command:
    """Add --notify and --run, for crawls that nobody looks at: see `telling`."""
    by_service = click.option(
        "--notify",
        multiple=True,
        metavar="URL",
        help="Notify this service, by its Apprise URL (mailto://..., json://...), when the crawl ends, stalls, "
        "fills its disk or loses a host. Repeatable.",
    )
    by_command = click.option(
        "--run",
        "command_line",
        metavar="COMMAND",
        help="Run this command on the same events, with the event as a line of JSON on its standard input.",
    )
    return by_service(by_command(command))


_EXTRAS = {
    "aiohttp": "demo",
    "cryptography": "sign",
    "matplotlib": "lab",
    "mcp": "mcp",
    "numba": "lab",
    "scipy": "analysis",
}
"""Optional libraries, and the extra that installs each."""


def missing_library(what: str, *libraries: str) -> str | None:
    """A sentence that names the libraries that `what` needs; None if no extra installs the first."""
    extra = _EXTRAS.get(libraries[0])
    return extra and f"{what} needs {' and '.join(libraries)}; run: {installed.adding(extra)}"


def need_extra(what: str, *libraries: str) -> None:
    """Raise SettingError if `what` needs libraries of an extra that is not installed."""
    missing = [name for name in libraries if util.find_spec(name) is None]
    if missing:
        raise SettingError(missing_library(what, *missing))


def is_quiet() -> bool:
    """True with -q."""
    return bool(_noted("quiet"))


def teller() -> Callable[[str], None]:
    """A function that prints a line on standard error, unless -q was given; threads may call it."""
    quiet = is_quiet()

    def say(line: str) -> None:
        if not quiet:
            click.echo(line, err=True)

    return say


def is_verbose() -> bool:
    """True with -v, which prints a line for every URL."""
    return bool(_noted("verbose"))


def _log_here(ctx: click.Context, option: click.Parameter, value: bool) -> None:
    if _note(ctx, option, value):
        log.begin(log.Output(None, _logs_json(), _RUN, _noted("log_level")))


def _log_to(_: click.Context, __: click.Parameter, value: str | None) -> None:
    if value is not None:
        try:
            log.begin(log.Output(value, _logs_json(), _RUN, _noted("log_level")))
        except OSError as error:
            raise click.BadParameter(f"{value} cannot be written: {error.strerror}") from error


_RUN = secrets.token_hex(4)
"""The id of this run of the command, on every line of its log."""


def _logs_json() -> bool:
    return bool(_noted("log_format") == "json")


def says_more() -> bool:
    """True if standard error is for people: without -q, and without the JSON lines of -v."""
    return not is_quiet() and not (is_verbose() and _logs_json())


def given_options(
    context: click.Context, options: dict[str, Any], profile: str | None, store: Path
) -> tuple[dict[str, Any], dict[str, str | None]]:
    """The settings given anywhere but in the store, those of a profile among them, and the sources of all by name."""
    sources = {name: _GIVEN.get(source) for name in options if (source := context.get_parameter_source(name))}
    given = {name: value for name, value in options.items() if sources.get(name)}
    if profile is not None:
        implied = {name: value for name, value in profile_of(profile, store.parent).items() if name not in given}
        given, sources = given | implied, sources | dict.fromkeys(implied, "profile")
    return given, sources


def moment_of(text: str, now: float, option: str = "--since") -> float:
    """Unix seconds of a time ago, or of a date, given by a user with an option. Raises SettingError."""
    with suppress(SettingError):  # not a time ago: a date, or a mistake
        return max(now - parse_duration(text), 0.0)
    try:
        moment = datetime.fromisoformat(text)
        return max((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp(), 0.0)
    except (ValueError, OverflowError) as error:
        raise SettingError(
            f"{option} takes a time ago, such as 7d, or a date, such as 2026-01-31, not {quoted(text)}"
        ) from error


def kinds_of(only: str | None, known: Sequence[str]) -> frozenset[str]:
    """The kinds of changes that a user names, of those known. Raises SettingError."""
    kinds = frozenset(kind.strip() for kind in (only or "").split(",") if kind.strip())
    if wrong := sorted(kinds.difference(known)):
        raise SettingError(f"--only takes kinds of changes, {', '.join(known)}, not {quoted(wrong[0])}")
    return kinds
