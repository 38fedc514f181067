"""The command line: one module per command, each loaded when it is called."""

from importlib import import_module

import click

from minicrawl import __version__
from minicrawl.errors import MinicrawlError

_COMMANDS = (
    "crawl",
    "top",
    "export",
    "status",
    "why",
    "check",
    "verify",
    "backup",
    "compact",
    "salvage",
    "rank",
    "compare",
    "graph",
    "seeds",
    "demo",
    "lab",
)


class Commands(click.Group):
    """Finds a command in the module of its name, and turns our errors into one sentence and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"minicrawl.cli.{name}").command
        return command

    def invoke(self, ctx: click.Context) -> object:
        try:
            return self._invoke(ctx)
        except MinicrawlError as error:
            from minicrawl.cli.output import printable

            click.echo("\n".join(map(printable, f"Error: {error}".split("\n"))), err=True)
            ctx.exit(error.exit_code)

    def _invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (MinicrawlError, click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception:
            from minicrawl.cli.options import STORE_KEY
            from minicrawl.crawl.audit import damage_told

            if STORE_KEY not in ctx.meta:
                raise
            with damage_told(ctx.meta[STORE_KEY]):
                raise


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="minicrawl")
def main() -> None:
    """Crawl the important part of the web first, and know why.

    \b
    minicrawl demo                        see it at work on a small web of its own
    minicrawl crawl seeds.txt             crawl; stop with Ctrl-C whenever you like, run again to go on
    minicrawl top --n 100                 the most important pages
    minicrawl export ranks.csv            every page with its rank

    Exit codes: 0 done, 1 nothing could be fetched, 2 wrong usage, 3 the store cannot be used,
    4 check or verify found the store inconsistent, 130 interrupted with everything saved.
    """
