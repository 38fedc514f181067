"""minicrawl text"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.options import json_option, store_option
from minicrawl.cli.output import document
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.store.texts.marked_text import KeptText


@click.command(epilog="Example: minicrawl text https://example.org/about")
@click.argument("url")
@click.option("--markdown", is_flag=True, help="With headings, lists, tables and links, as Markdown.")
@store_option
@json_option
def command(url: str, markdown: bool, store: Path, as_json: bool) -> None:
    """Print the content of the page at URL when it was read last, as a crawl with --text keeps it.

    Menus, comments and the like are left out. With --json: title, language, description, headings, content, the whole
    text, and every link with its text and what stands around it.
    """
    from minicrawl.analysis.explain import meant_by
    from minicrawl.analysis.page_text import page_text
    from minicrawl.export.markdown import as_markdown
    from minicrawl.store.reader import open_store

    meant_by(url)  # report an invalid URL before opening the store
    with open_store(store) as reader:
        kept = page_text(reader, url)
    if as_json:
        click.echo(document(_as_json(kept)))
        return
    lines = (as_markdown(kept).rstrip("\n") if markdown else kept.content_text).split("\n")
    click.echo("\n".join(map(printable, lines)))


def _as_json(kept: "KeptText") -> dict[str, object]:
    return {
        "url": kept.url,
        "title": kept.title,
        "language": kept.language,
        "description": kept.description,
        "h1": kept.h1,
        "index": kept.index,
        "headings": kept.headings,
        "content": kept.content_text,
        "text": kept.text,
        "anchors": [anchor._asdict() for anchor in kept.anchors()],
    }
