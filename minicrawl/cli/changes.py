"""minicrawl changes"""

import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.options import json_option, logging_options, store_option
from minicrawl.cli.output import counted, document, printable
from minicrawl.errors import SettingError
from minicrawl.settings.values import parse_duration

if TYPE_CHECKING:
    from minicrawl.store.read.refreshes import ChangedPage, RisenPage


@click.command(epilog="Example: minicrawl changes --since 7d --site example.org")
@click.option("--since", default="7d", show_default=True, metavar="TIME|DATE",
              help="How long ago, such as 12h, or when, such as 2026-01-31 (UTC).")  # fmt: skip
@click.option("--site", metavar="DOMAIN", help="Only pages of that registrable domain, or of that host.")
@click.option("-n", "--n", type=click.IntRange(min=1), help="How many; all, unless it is given.")
@click.option("--rising", "is_rising", is_flag=True, help="Pages that have become more important.")
@click.option("--atom", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
              help="Write a feed of it that feed readers understand, instead of printing it.")  # fmt: skip
@store_option
@json_option
@logging_options
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    since: str, site: str | None, n: int | None, is_rising: bool, atom: Path | None, store: Path, as_json: bool
) -> None:
    """Say which pages are new, have changed, or are gone; the most important pages first.

    What has changed is known of pages that were fetched again: see 'crawl --refresh' and 'minicrawl refresh'. Beside a
    changed page stands how many blocks of its text (headings, paragraphs, entries of lists) came and went.

    --rising shows pages by how much importance they have gained: what links to them has become more, or more important.
    """
    from minicrawl.store.reader import open_store

    if atom is not None and (is_rising or as_json):
        other = "--rising" if is_rising else "--json"
        raise SettingError(f"a feed is about pages that are new, changed or gone; leave out {other} or --atom")
    now = time.time()
    moment = _moment(since, now)
    with open_store(store) as reader, reader.snapshot():
        if is_rising:
            risen = [page for page in reader.refreshes.risen_pages(moment) if _is_of(page.url, site)][:n]
            click.echo(document(_risen_rows(risen, now)) if as_json else "\n".join(_risen_lines(risen, since)))
            return
        found = [page for page in reader.changes(moment) if _is_of(page.url, site)][:n]
        name = str(reader.meta("hash_key"))
    if atom is not None:
        from minicrawl.export.atom import write_feed

        write_feed(atom, found, name, min(moment, now))
        click.echo(f"{counted(len(found), 'change')} written to {printable(str(atom))}")
        return
    click.echo(document([page._asdict() for page in found]) if as_json else "\n".join(_lines(found, since)))


def _moment(text: str, now: float) -> float:
    """Unix seconds that a user means by a time ago, or by a date."""
    try:
        return max(now - parse_duration(text), 0.0)
    except SettingError:
        pass  # no time ago: a date, or a mistake
    try:
        moment = datetime.fromisoformat(text)
        return max((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp(), 0.0)
    except (ValueError, OverflowError) as error:
        raise SettingError(
            f"--since takes a time ago, such as 7d, or a date, such as 2026-01-31, not {text!r}"
        ) from error


def _is_of(url: str, site: str | None) -> bool:
    """Whether a page is of a site: a registrable domain or a host."""
    if site is None:
        return True
    from minicrawl.crawler.urls.keys import politeness_key, site_of

    host = politeness_key(url)
    return site.lower() in (host, host.partition(":")[0], site_of(host))


def _lines(found: "Sequence[ChangedPage]", since: str) -> Iterator[str]:
    if not found:
        yield f"Nothing is known to have changed since {printable(since)}."
        return
    yield f"{'importance':>10}  {'when (UTC)':<16}  {'what':<22}  page"
    for page in found:
        columns = f"{page.importance:>10.3g}  {_day(page.at):<16}  {_what(page):<22}"
        yield f"{columns}  {printable(page.url)}{_title(page.title)}"


def _what(page: "ChangedPage") -> str:
    if page.what != "changed":
        return page.what
    blocks = f" +{page.added:,} -{page.removed:,}" if page.added or page.removed else ""
    return f"changed{blocks}" + (f" in {page.times}" if page.times > 1 else "")


def _risen_rows(risen: "Sequence[RisenPage]", now: float) -> list[dict[str, object]]:
    return [page._asdict() | {"what": "rising", "at": now} for page in risen]


def _risen_lines(risen: "Sequence[RisenPage]", since: str) -> Iterator[str]:
    if not risen:
        yield f"No page that was fetched again is known to have become more important since {printable(since)}."
        return
    yield f"{'importance':>10}  {'before':>10}  {'then (UTC)':<16}  page"
    for page in risen:
        times = f"{page.importance:>10.3g}  {page.before:>10.3g}  {_day(page.since):<16}"
        yield f"{times}  {printable(page.url)}{_title(page.title)}"


def _title(title: str | None) -> str:
    return f"  {printable(title)}" if title else ""


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")
