"""The command line. A command's module is loaded when the command is called."""

import errno
import os
import sys
from importlib import import_module
from io import TextIOWrapper

import click
from click.core import ParameterSource

from minicrawl import __version__
from minicrawl.cli.option_sources import config_option, take_file, variable_of, without_config
from minicrawl.errors import MinicrawlError, SettingError
from minicrawl.system import OUT_OF_FILES

_GROUPS = {
    "Crawl": {
        "crawl": "Crawl from seeds; the most important pages come first.",
        "refresh": "Fetch again the pages that are most worth it.",
        "watch": "Check pages, and report what has changed.",
        "login": "Log in by a form, for crawls behind it.",
        "control": "Steer a running crawl: pause, settings, seeds.",
        "dashboard": "Watch and steer a crawl in the browser.",
        "seeds": "Choose seeds for the next crawl.",
        "demo": "Crawl a small generated web, to see minicrawl at work.",
    },
    "Read": {
        "top": "Print the most important pages known, best first.",
        "status": "Print the state of a crawl, running or not.",
        "why": "Explain one URL: state, rules, importance, links.",
        "search": "Find pages by words.",
        "text": "Print the kept text of a page.",
        "audit": "Find a site's faults, the worst first.",
        "links": "List broken, redirected and external links.",
        "changes": "List new, changed and gone pages.",
        "copies": "Find copies of a text, and mirrored hosts.",
        "report": "Write a report on a crawl, as one HTML file.",
        "export": "Write every page with its rank to a file.",
        "sql": "Query a store in SQL.",
        "mcp": "Let an assistant search and read the pages.",
    },
    "Analyse": {
        "rank": "Rank pages by other link analyses.",
        "graph": "Print the shape of the link graph, or export it.",
        "verify": "Compare the ranking with exact PageRank.",
        "lab": "Rerun the papers' experiments.",
    },
    "Keep": {
        "archive": "Find, read and check the pages of an archive.",
        "index": "Bring the search index up to date.",
        "check": "Check a store: cash, links, reasons.",
        "backup": "Copy a store, also while a crawl runs.",
        "gather": "Make one store of a crawl in partitions.",
        "compact": "Make a store's file as small as possible.",
        "salvage": "Save what is readable in a damaged store.",
    },
    "Set up": {
        "config": "Show, check and write files of options.",
        "key": "Make the key that signs requests, and publish it.",
        "completion": "Print the shell's completion script.",
    },
}
_COMMANDS = {name: about for group in _GROUPS.values() for name, about in group.items()}
"""Every command with its one-line description."""
_MODULES = {
    **dict.fromkeys(("check", "verify", "backup", "gather", "compact", "salvage"), "upkeep"),
    **dict.fromkeys(("key", "completion"), "config"),
    "copies": "text",
    "index": "search",
    "mcp": "dashboard",
    "report": "export",
}
"""Commands in shared modules, as functions of their names; any other is `command` in the module of its name."""


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)
"""Errors of writing to a full or closed stream; for stores and files they are handled at their place."""
_SHOWN = 40


class Commands(click.Group):
    """Loads commands on demand, and turns our errors into a one-line message and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module = import_module(f"minicrawl.cli.{_MODULES.get(name, name)}")
        command: click.Command = getattr(module, name if name in _MODULES else "command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        args = without_config(ctx, args)
        if args[0] == "help" and not ctx.resilient_parsing:  # as git and cargo have it
            if len(args) == 1:
                click.echo(ctx.get_help())
                ctx.exit()
            args = [args[1], "--help", *args[2:]]
        called = args[0]
        if called not in _COMMANDS and not ctx.resilient_parsing:
            from difflib import get_close_matches

            alike = [f"crawl {called}"] if "." in called else get_close_matches(called, _COMMANDS, 1)
            if alike:
                ctx.fail(f"No such command '{called}'. Did you mean '{alike[0]}'?")
        name, command, rest = super().resolve_command(ctx, args)
        if command and name != "config" and not ctx.resilient_parsing and not {"-h", "--help"} & set(args):
            take_file(ctx, command, name or "")
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing their modules, which would take long."""
        width = max(map(len, _COMMANDS))
        for name, commands in _GROUPS.items():
            with formatter.section(name):
                formatter.write_dl([(f"{command:<{width}}", about) for command, about in commands.items()])

    def invoke(self, ctx: click.Context) -> object:
        if isinstance(sys.stdout, TextIOWrapper):  # printed file names may not be valid text
            sys.stdout.reconfigure(errors="backslashreplace")
        try:
            result = self._invoke(ctx)
            sys.stdout.flush()
            return result
        except BrokenPipeError:  # the reader has closed the pipe, as head does
            _write_nothing_more()
            ctx.exit(0)
        except OSError as error:
            if error.errno not in _FULL or error.filename is not None:
                _end_if_unusable(ctx, error)
                raise
            _write_nothing_more()
            click.echo(f"Error: standard output cannot be written: {error.strerror}; redirect it elsewhere", err=True)
            ctx.exit(SettingError.exit_code)
        except ModuleNotFoundError as error:
            from minicrawl.cli.options import missing_library

            if error.name is None or (sentence := missing_library("this", error.name)) is None:
                raise
            click.echo(f"Error: {sentence}", err=True)
            ctx.exit(SettingError.exit_code)
        except MinicrawlError as error:
            from minicrawl.cli.options import naming_store
            from minicrawl.cli.output import fitted
            from minicrawl.log import printable

            sentence = naming_store(f"Error: {error}", ctx)
            click.echo("\n".join(fitted(map(printable, sentence.split("\n")))), err=True)
            ctx.exit(error.exit_code)
        except ValueError as error:
            _end_if_unusable(ctx, error)
            raise

    def _invoke(self, ctx: click.Context) -> object:
        """Run a command. Errors caused by a damaged store become a StoreError that says so."""
        try:
            return super().invoke(ctx)
        except click.BadParameter as error:
            source = error.ctx and error.param and error.ctx.get_parameter_source(error.param.name or "")
            if error.ctx is None or error.param is None or source is not ParameterSource.ENVIRONMENT:
                raise
            sentence = f"{variable_of(error.ctx, error.param)}: {error.message}"
            raise click.BadParameter(sentence, error.ctx, error.param) from error
        except (MinicrawlError, OSError, ModuleNotFoundError, click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            from minicrawl.cli.options import STORE_KEY
            from minicrawl.crawler.books.invariants import damage_as_store_error

            if STORE_KEY not in ctx.meta or _unusable(error):
                raise
            with damage_as_store_error(ctx.meta[STORE_KEY]):
                raise


def _unusable(error: Exception) -> str | None:
    """The message for arguments that are not valid text or file names, and for too many open files; None for any other
    error."""
    if isinstance(error, OSError) and error.errno in OUT_OF_FILES:
        return "too many files are open; run 'ulimit -n 4096' first to allow more"
    if isinstance(error, OSError) and error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
        return f"{str(error.filename)[:_SHOWN]!r}... names no file: {error.strerror}"
    if isinstance(error, UnicodeEncodeError) and error.reason == "surrogates not allowed":
        return f"{error.object[max(error.end - _SHOWN, 0) : error.end]!r} is not UTF-8 text; write it in UTF-8"
    if isinstance(error, ValueError) and "embedded null" in str(error):
        return "a name has a null character, which no file name may have"
    return None


def _end_if_unusable(ctx: click.Context, error: Exception) -> None:
    if (sentence := _unusable(error)) is not None:
        click.echo(f"Error: {sentence}", err=True)
        ctx.exit(SettingError.exit_code)


def _write_nothing_more() -> None:
    """Discard further output, so that the end of the program does not try to write it again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


@click.command(
    cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "auto_envvar_prefix": "MINICRAWL"}
)
@click.version_option(__version__, prog_name="minicrawl")
@config_option
def main() -> None:
    """Crawl the important part of the web first, and know why.

    \b
    minicrawl demo                        see it at work on a small generated web
    minicrawl crawl seeds.txt             crawl; stop with Ctrl-C whenever you like, run again to continue
    minicrawl top --n 100                 the most important pages
    minicrawl export ranks.csv            every page with its rank

    Exit codes: 0 done, 1 nothing could be fetched, 2 wrong usage, 3 the store cannot be used,
    4 check or verify found the store inconsistent, 130 interrupted with everything saved.
    """
