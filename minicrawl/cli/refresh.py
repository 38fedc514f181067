"""minicrawl refresh"""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any  # Any: settings as given

import click

from minicrawl.cli.crawl import controlled, telling
from minicrawl.cli.options import (
    INTERRUPTED,
    about_store,
    logging_options,
    naming_store,
    notify_options,
    says_more,
    setting_options,
)
from minicrawl.cli.output import amount, document, duration, given_up_line
from minicrawl.errors import NothingFetchedError, SettingError, counted, span
from minicrawl.log import printable
from minicrawl.setting import AT_REFRESH
from minicrawl.settings import SETTINGS
from minicrawl.store.reader import open_store
from minicrawl.system import run_loop

if TYPE_CHECKING:
    from minicrawl.crawler.frontier.due_pages import Choice
    from minicrawl.model import CrawlReport


_HOSTS = 3
"""Hosts named in a sentence."""


@click.command(epilog="Example: minicrawl refresh --pages 5000")
@click.option("--pages", type=click.IntRange(min=1), help="Fetch this many pages; with --time, all by default.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Print the pages and why they come first, but fetch none.")
@setting_options(*(name for name, setting in SETTINGS.items() if AT_REFRESH in setting.marks))
@click.option("--no-progress", is_flag=True, help="Print plain lines instead of the live display.")
@notify_options
@about_store
@logging_options
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    pages: int | None,
    is_dry: bool,
    no_progress: bool,
    notify: tuple[str, ...],
    command_line: str | None,
    store: Path,
    as_json: bool,
    **options: Any,
) -> None:
    """Fetch again the pages that are most worth a request, once each, and stop.

    That worth is the page's importance times the probability that it has changed since its last fetch. The settings are
    those that the crawl remembers. New pages wait for the next 'minicrawl crawl'; 'minicrawl changes' lists what has
    changed. A host that asks for a rest of more than a minute waits for the next round. 'crawl --refresh' goes on for
    ever instead.
    """
    if pages is None and options.get("time") is None:
        raise SettingError(
            "say how many pages the round fetches, such as --pages 1000, or how long it takes, such as --time 1h"
        )
    with open_store(store) as reader:
        pages = max(reader.size(), 1) if pages is None else pages
        compares = reader.refreshes.has_memory()
    if is_dry:
        _print_choice(store, pages, as_json)
        return
    given = {name: value for name, value in options.items() if value not in (None, (), "")}
    started = time.time()
    with telling(notify, command_line, store):
        report = _run(given, pages, store, live=sys.stderr.isatty() and not no_progress)
    with open_store(store) as reader:
        became = Counter(page.what for page in reader.changes(started))
    if as_json:
        told = {"changed": became["changed"], "gone": became["gone"], "compares": compares}
        click.echo(json.dumps(asdict(report) | told, indent=2))
    else:
        click.echo("\n".join(_lines(report, became)))
        if report.fetched and not compares:
            click.echo("The crawl kept nothing to compare these pages with: the next round tells what has changed.")
    if report.reason == "interrupted":
        raise click.exceptions.Exit(INTERRUPTED)
    reason = None if report.fetched else report.cause()
    if reason is not None:
        raise NothingFetchedError(f"nothing could be fetched ({reason}); 'minicrawl why URL' says more")


def _run(given: dict[str, Any], pages: int, store: Path, *, live: bool) -> "CrawlReport":
    from minicrawl.cli.display import BestSoFar, showing
    from minicrawl.crawler.admission.seeds import Seeds
    from minicrawl.crawler.run import Caller, crawl_with

    open_store(store).close()  # a missing store is an error: it must not be created
    with showing(live, BestSoFar(store)) as show:
        told = show if says_more() else None
        caller = Caller(refreshed=pages, on_progress=told, handle_signals=True)
        return run_loop(controlled(partial(crawl_with, given, Seeds([]), store, caller), store))


def _lines(report: "CrawlReport", became: Counter[str]) -> Iterator[str]:
    yield (
        f"{counted(report.fetched, 'page')} fetched again ({amount(report.bytes)}) in {duration(report.seconds)}: "
        f"{became['changed']:,} changed, {became['gone']:,} gone."
    )
    if report.reframed:
        pages = counted(report.reframed, "page")
        yield f"{pages} had a new frame, such as menus, and said the same as before."
    if report.failures:
        yield f"{given_up_line(report.failures)} ('minicrawl crawl')."
    if report.resting:
        hosts = ", ".join(f"{printable(host)} ({pages:,})" for host, pages in list(report.resting.items())[:_HOSTS])
        others = f" and {len(report.resting) - _HOSTS:,} others" if len(report.resting) > _HOSTS else ""
        pages = counted(sum(report.resting.values()), "page")
        yield f"Left to the next round, because their hosts rest: {pages} of {hosts}{others}."


def _print_choice(store: Path, pages: int, as_json: bool) -> None:
    from minicrawl.crawler.frontier.due_pages import most_worth

    with open_store(store) as reader, reader.snapshot():
        choices = most_worth(reader, pages, time.time())
        urls = [reader.page_table.url(choice.page) for choice in choices]
    if as_json:
        rows = [{"url": url} | choice._asdict() for url, choice in zip(urls, choices, strict=True)]
        for row in rows:
            del row["page"]
        click.echo(document(rows))
    else:
        click.echo("\n".join(_choice_lines(choices, urls)))


def _choice_lines(choices: "Sequence[Choice]", urls: Sequence[str]) -> Iterator[str]:
    if not choices:
        yield naming_store("No page has been read yet; 'minicrawl crawl' reads some.")
        return
    yield f"{'importance':>10}  {'changed':>7}  {'read':>15}  {'changes every':>14}  page"
    for choice, url in zip(choices, urls, strict=True):
        every = span(1.0 / choice.rate) + ("" if choice.is_learned else "?")
        ago = f"{span(choice.age)} ago"
        yield f"{choice.importance:>10.3g}  {choice.stale:>7.1%}  {ago:>15}  {every:>14}  {printable(url)}"
    if not all(choice.is_learned for choice in choices):
        yield "? no second fetch yet: as often as other pages"
