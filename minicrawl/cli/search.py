"""minicrawl search"""

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Set
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from minicrawl.cli.options import json_option, logging_options, store_option
from minicrawl.cli.output import document
from minicrawl.errors import SettingError, counted
from minicrawl.log import printable
from minicrawl.settings import RANKINGS

if TYPE_CHECKING:
    from minicrawl.search.searching import Found, FoundPage

_Command = TypeVar("_Command", bound=Callable[..., object])
_WEIGHT = 0.9
_RANKS = ("linear", "none", "hits", "topic")
_EXCLUDED = re.compile(r'-[^\W\d_-][\w:"]|-"')
"""An excluded word, as opposed to a one-letter option."""
_MINUS = "\x1f"
_LONGEST_ECHO = 200


class SearchCommand(click.Command):
    """A command that takes -word as a part of the query."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [_MINUS + arg[1:] if _EXCLUDED.match(arg) else arg for arg in args])


def asked_options(command: _Command) -> _Command:
    """Add the options of every search: words, number of pages, filters and weights."""
    for option in reversed(
        (
            click.argument("words", nargs=-1),
            click.option("-n", "--n", "n", default=10, show_default=True, help="How many pages to print."),
            click.option(
                "--site", "sites", multiple=True, metavar="SITE", help="Pages of this host or domain. Repeatable."
            ),
            click.option(
                "--since", metavar="DATE", help="Pages seen to have changed, or fetched, since then: 2026-11-20, or 7d."
            ),
            click.option("--explain", is_flag=True, help="Print what each score is made of."),
            click.option(
                "--weight", default=_WEIGHT, show_default=True, help="Of agreement, 0 to 1; the rest is importance."
            ),
        )
    ):
        command = option(command)
    return command


@click.command(
    cls=SearchCommand, epilog="Example: minicrawl search 'asyncio \"task group\" -trio site:docs.python.org'"
)
@asked_options
@click.option(
    "--by", default=RANKINGS[0], show_default=True, metavar=f"{'|'.join(RANKINGS)}|NAME",
    help="What counts as importance; NAME: a ranking that 'minicrawl rank --save NAME' has kept.",
)  # fmt: skip
@click.option(
    "--rank", default=_RANKS[0], show_default=True, type=click.Choice(_RANKS),
    help="linear: agreement and importance; none: agreement alone; hits: authorities near the pages that agree; topic: "
    "PageRank with jumps to the pages of --topic, each as much as its texts have the words.",
)  # fmt: skip
@click.option(
    "--topic", "topics", multiple=True, metavar="NAME=FILE|URL|REGEX",
    help="For --rank topic: the pages of a topic. Repeatable.",
)  # fmt: skip
@click.option("--facets", is_flag=True, help="Print numbers of pages by site and by language instead of pages.")
@store_option
@json_option
@logging_options
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    words: tuple[str, ...],
    n: int,
    sites: tuple[str, ...],
    since: str | None,
    explain: bool,
    weight: float,
    by: str,
    rank: str,
    topics: tuple[str, ...],
    facets: bool,
    store: Path,
    as_json: bool,
) -> None:
    """Find pages by WORDS, in what a crawl with --search has kept; the best first, by agreement and importance.

    Words count by their rarity, in the title, in links to the page, in headings, the URL or the text; pages without
    the rare ones come last. "WORDS" stand one behind the other, -WORD is not there, intitle:WORD is in the title;
    site:HOST, lang:de and after:2026-11-20 say which pages. While a crawl runs, the index follows it.
    """
    from minicrawl.analysis.thumbnails import has_thumbnail
    from minicrawl.search.partitions import facets_of, search
    from minicrawl.search.query import parse_query
    from minicrawl.search.searching import Asked
    from minicrawl.store.reader import open_store

    text = query_of(words)
    option, since = ("--since", since) if since else ("after:", parse_query(text).after if words else None)
    asked = Asked(n, sites, None if since is None else seconds_of(since, option), weight, by, rank, topics)
    with open_store(store) as reader:
        if facets:
            print_facets(facets_of(reader, text, asked), as_json=as_json)
            return
        found = search(reader, text, asked)
        pictured = {page.url for page in found.pages if as_json and has_thumbnail(reader, page.url)}
    print_found(found, text, weight, pictured, explain=explain, as_json=as_json)


def query_of(words: tuple[str, ...]) -> str:
    """The query given to a SearchCommand."""
    return " ".join(words).replace(_MINUS, "-")


def print_found(  # noqa: PLR0913 - the answer, and how it is shown
    found: "Found", text: str, weight: float, pictured: Set[str] = frozenset(), *, explain: bool, as_json: bool
) -> None:
    """pictured: URLs of pages with a thumbnail."""
    for note in _notes(found):
        click.echo(note, err=True)
    if as_json:
        click.echo(document([_as_json(page, weight, pictured) for page in found.pages]))
        return
    if not found.pages:
        click.echo(f"Nothing was found for {_echo(text)}.")
    for page in found.pages:
        click.echo("\n".join(_lines(page, weight if explain else None)))


def print_facets(facets: Mapping[str, Mapping[str, int]], *, as_json: bool) -> None:
    """facets: numbers of pages by value, by field."""
    if as_json:
        click.echo(document(facets))
        return
    for field, counts in facets.items():
        for value, count in counts.items():
            click.echo(f"{count:>9,}  {field} {printable(value)}")


def seconds_of(since: str, option: str = "--since") -> float:
    """The Unix seconds of a date, or of a time ago. option: what it was given with. Raises SettingError."""
    if ago := re.fullmatch(r"(\d{1,6})([dhm])", since):
        return datetime.now(UTC).timestamp() - int(ago[1]) * {"d": 86_400, "h": 3_600, "m": 60}[ago[2]]
    try:
        at = datetime.fromisoformat(since)
    except ValueError as error:
        dates = "a date such as 2026-11-20, or 7d, 12h, 30m ago"
        raise SettingError(f"{option} takes {dates}; not {_echo(since)!r}") from error
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def _echo(text: str) -> str:
    """A text as given, cut to a length that can be read."""
    return printable(text if len(text) <= _LONGEST_ECHO else f"{text[:_LONGEST_ECHO]}…")


def _notes(found: "Found") -> Iterator[str]:
    if found.behind:
        state = "behind the store" if found.is_built else "not built yet"
        yield f"The index is {state}: {counted(found.behind, 'text')} to take in; see 'minicrawl index'."
    if found.without_text:
        pages = f"{counted(found.without_text, 'page')} {'was' if found.without_text == 1 else 'were'}"
        yield f"{pages} read before the crawl kept texts, and found only after 'minicrawl refresh'."
    if found.topics:
        yield "Topics by the words: " + ", ".join(f"{name} {share:.1%}" for name, share in found.topics.items()) + "."
    if found.left_out:
        yield f"Left out, as a query has 32 words at most: {counted(found.left_out, 'word')}."
    if found.meant:
        yield f"Did you mean: {printable(found.meant)}? Its pages are shown."


def _lines(page: "FoundPage", explained: float | None) -> Iterator[str]:
    alike = f"  ({len(page.alike):,} more like this)" if page.alike else ""
    yield f"{page.rank:>3}  {click.style(printable(page.title or page.url), bold=True)}{alike}"
    unread = "" if page.is_read else ", not fetched"
    yield f"     {printable(page.url)}  [{' '.join(hit.replace(' ', '-') for hit in page.hits)}{unread}]"
    if explained is not None:
        yield (
            f"     score {page.score:.3f} = {explained:g} x agreement {page.similarity:.3f} + {1 - explained:.2g} x "
            f"{page.place:.3f}; "
            f"importance {page.importance:.3g}; "
            + ", ".join(f"{name} {value:.2f}" for name, value in page.signals._asdict().items() if value)
            + ("" if page.has_all else "; not all words are there")
        )
    if page.snippet.text:
        # First remove control characters, then add the marks.
        on, off = ("\x1b[1m", "\x1b[0m") if sys.stdout.isatty() else ("*", "*")
        shown = page.snippet._replace(text=printable(page.snippet.text))
        yield f"     {shown.marked(on, off)}"


def _as_json(page: "FoundPage", weight: float, pictured: Set[str]) -> dict[str, object]:
    from minicrawl.analysis.thumbnails import name_of

    return {
        "rank": page.rank,
        "url": page.url,
        "title": page.title,
        "score": page.score,
        "importance": page.importance,
        "snippet": page.snippet.text,
        "marks": page.snippet.marks,
        "hits": page.hits,
        "alike": page.alike,
        "is_read": page.is_read,
        "has_all": page.has_all,
        **({"thumbnail": name_of(page.url)} if page.url in pictured else {}),
        "explained": {
            "weight": weight,
            "agreement": page.similarity,
            "place": page.place,
            "signals": page.signals._asdict(),
        },
    }
