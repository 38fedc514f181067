"""minicrawl search, minicrawl index"""

import re
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.options import about_store, moment_of, naming_store
from minicrawl.cli.output import amount, document
from minicrawl.errors import counted
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.search.searching import FoundPage


_EXCLUDED = re.compile(r'-[^\W\d_-][\w:"]|-"')
"""An excluded word, as opposed to a one-letter option."""
_MINUS = "\x1f"
_LONGEST_ECHO = 200


class SearchCommand(click.Command):
    """A command that takes -word as a part of the query."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [_MINUS + arg[1:] if _EXCLUDED.match(arg) else arg for arg in args])


@click.command(
    cls=SearchCommand, epilog="Example: minicrawl search 'asyncio \"task group\" -trio site:docs.python.org'"
)
@click.argument("words", nargs=-1)
@click.option("-n", "--n", "n", default=10, show_default=True, help="Print this many pages.")
@click.option(
    "--site", "sites", multiple=True, metavar="SITE", help="Find only pages of this host or domain. Repeatable."
)
@click.option(
    "--since",
    metavar="DATE",
    help="Find only pages that changed or were first fetched since this date or time: 2026-11-20, or 7d.",
)
@about_store
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    words: tuple[str, ...], n: int, sites: tuple[str, ...], since: str | None, store: Path, as_json: bool
) -> None:
    """Find pages by WORDS in a crawl with --search, ranked by match and importance.

    Rare words count more than common ones, a word in the title three times, and a page with all words is far ahead.

    "WORDS" in quotes are a phrase, -WORD excludes a word, intitle:WORD is in the title; site:HOST, lang:de and
    after:2026-11-20 narrow the pages. While a crawl runs, the index keeps up with it.
    """
    from minicrawl.search.searching import Asked, parse_query, search
    from minicrawl.store.reader import open_store

    text = " ".join(words).replace(_MINUS, "-")
    option, since = ("--since", since) if since else ("after:", parse_query(text).after if words else None)
    asked = Asked(n, sites, None if since is None else moment_of(since, time.time(), option))
    with open_store(store) as reader:
        found = search(reader, text, asked)
    if found.behind:
        behind = f"{counted(found.behind, 'text')} to take in"
        click.echo(naming_store(f"The index is behind the store: {behind}; see 'minicrawl index'."), err=True)
    if as_json:
        click.echo(document([_as_json(page) for page in found.pages]))
        return
    if not found.pages:
        echo = text if len(text) <= _LONGEST_ECHO else f"{text[:_LONGEST_ECHO]}…"
        click.echo(f"Nothing was found for {printable(echo)}.")
    for page in found.pages:
        click.echo("\n".join(_lines(page)))


def _lines(page: "FoundPage") -> Iterator[str]:
    alike = f"  ({len(page.alike):,} more like this)" if page.alike else ""
    yield f"{page.rank:>3}  {click.style(printable(page.title or page.url), bold=True)}{alike}"
    yield f"     {printable(page.url)}"
    if page.snippet.text:
        # First remove control characters, then add the marks.
        on, off = ("\x1b[1m", "\x1b[0m") if sys.stdout.isatty() else ("*", "*")
        shown = page.snippet._replace(text=printable(page.snippet.text))
        yield f"     {shown.marked(on, off)}"


def _as_json(page: "FoundPage") -> dict[str, object]:
    return {**asdict(page), "snippet": page.snippet.text, "marks": page.snippet.marks}


@click.command(epilog="Example: minicrawl index --rebuild")
@click.option("--rebuild", is_flag=True, help="Rebuild the index; searches use the old one meanwhile.")
@about_store
def index(rebuild: bool, store: Path, as_json: bool) -> None:
    """Bring the search index up to date with the store.

    The index is a file of its own beside the store. It is built from the texts that crawl --text keeps, and you can
    delete it at any time. A crawl with --search keeps it up to date by itself.
    """
    from minicrawl.search.following import bring_up_to_date
    from minicrawl.store.reader import open_store

    with open_store(store) as reader:
        done, pages, size = bring_up_to_date(reader, rebuild=rebuild)
    if as_json:
        click.echo(document({"taken_in": done, "pages": pages, "bytes": size}))
        return
    click.echo(f"{counted(done, 'text')} taken in; the index has {counted(pages, 'page')}, {amount(size)}.")
