"""minicrawl text, minicrawl copies"""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.changes import day
from minicrawl.cli.options import about_store, moment_of
from minicrawl.cli.output import document, lines_of
from minicrawl.errors import SettingError, span
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.analysis.copies import Copy
    from minicrawl.analysis.sites import Mirror
    from minicrawl.web.kept_text import KeptText


@click.command(epilog="Example: minicrawl text https://example.org/about")
@click.argument("url")
@click.option("--markdown", is_flag=True, help="Print Markdown, with headings, lists, tables and links.")
@about_store
def command(url: str, markdown: bool, store: Path, as_json: bool) -> None:
    """Print the content of the page at URL as of its last fetch, if the crawl keeps it (--text).

    Menus, comments and the like are left out. With --json: title, language, description, headings, content, the whole
    text, and every link with its text and context.
    """
    from minicrawl.analysis.explain import meant_by
    from minicrawl.analysis.page_text import page_text
    from minicrawl.export.markdown_folder import with_head
    from minicrawl.store.reader import open_store

    meant_by(url)  # report an invalid URL before opening the store
    with open_store(store) as reader:
        kept = page_text(reader, url)
    if as_json:
        click.echo(document(_as_json(kept)))
        return
    lines = (with_head(kept) if markdown else kept.content_text).split("\n")
    click.echo("\n".join(map(printable, lines)))


def _as_json(kept: "KeptText") -> dict[str, object]:
    names = ("url", "title", "language", "description", "h1", "index", "headings", "text")
    anchors = [anchor._asdict() for anchor in kept.anchors()]
    return {name: getattr(kept, name) for name in names} | {"content": kept.content_text, "anchors": anchors}


@click.command(epilog="Example: minicrawl copies terms.txt https://example.org/guide --since 7d")
@click.argument("documents", nargs=-1, metavar="FILE|URL...")
@click.option("--least", type=click.IntRange(1, 100), default=20, show_default=True, metavar="PERCENT",
              help="Report pages with at least this share of a document's words.")  # fmt: skip
@click.option("--since", metavar="TIME|DATE",
              help="List only pages first seen with the text in this time (7d), or since this date (2026-01-31, "
              "UTC).")  # fmt: skip
@click.option("--hosts", "is_hosts", is_flag=True, help="List hosts that have the same pages as another.")
@about_store
def copies(  # noqa: PLR0913 - one argument per option, as click calls it
    documents: tuple[str, ...], least: int, since: str | None, is_hosts: bool, store: Path, as_json: bool
) -> None:
    """Find pages that carry the text of documents, whole or in part, the most important first.

    A document is a file of text or HTML, or a page of the crawl. The command compares it, by runs of five words, with
    the content of pages that crawl --text keeps, so it also finds edited copies. To watch documents, run this
    after each crawl or refresh, and give the time between two of them as --since.

    --hosts finds mirrors instead: hosts with the paths and the content of a more important host.
    """
    from minicrawl.analysis.copies import copies
    from minicrawl.analysis.sites import mirrors_of
    from minicrawl.store.reader import open_store

    if is_hosts == bool(documents):
        raise SettingError("name one or more documents, FILE or URL, or use --hosts")
    moment = 0.0 if since is None else moment_of(since, time.time())
    with open_store(store) as reader:
        if is_hosts:
            mirrors = mirrors_of(reader)
            click.echo(document([each._asdict() for each in mirrors]) if as_json else "\n".join(_mirror_lines(mirrors)))
            return
        found = copies(reader, documents, least=least / 100, since=moment)
    click.echo(document([copy._asdict() for copy in found]) if as_json else "\n".join(_copy_lines(found)))


def _copy_lines(found: "Sequence[Copy]") -> list[str]:
    if not found:
        return ["No page contains that text."]
    starts, notes = [f"{'importance':>10}  {'share':>5}  {'first seen (UTC)':<16}"], [""]
    for copy in found:
        starts.append(f"{copy.importance:>10.3g}  {copy.share:>5.0%}  {day(copy.seen_at):<16}")
        when = "" if copy.after is None else f", {span(abs(copy.after))} {'later' if copy.after >= 0 else 'earlier'}"
        notes.append(f"of {printable(copy.document)}{when}")
    return lines_of(starts, ["page", *(printable(copy.url) for copy in found)], notes)


def _mirror_lines(mirrors: "Sequence[Mirror]") -> list[str]:
    if not mirrors:
        return ["No host mirrors another."]
    starts = [f"{'paths':>7}  {'alike':>5}", *(f"{each.compared:>7,}  {each.alike:>5.0%}" for each in mirrors)]
    hosts = ["host", *(printable(each.host) for each in mirrors)]
    return lines_of(starts, hosts, ["mirror of", *(printable(each.of) for each in mirrors)])
