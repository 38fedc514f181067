"""minicrawl export"""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.cli.options import (
    is_kept,
    json_option,
    ranking_option,
    site_option,
    store_option,
    where_option,
)
from minicrawl.errors import SettingError, counted

if TYPE_CHECKING:
    from minicrawl.analysis.top.order import Wanted
    from minicrawl.analysis.usage import PageUsage
    from minicrawl.store.reader import Store


@click.command(epilog="Example: minicrawl export ranks.csv")
@click.argument("file", type=click.Path(allow_dash=True, path_type=Path))
@click.option("--text", "with_text", is_flag=True, help="A corpus: pages with their content as Markdown.")
@click.option(
    "--min-importance", type=click.FloatRange(min=0.0), help="With --text: only pages that have at least this."
)
@click.option("--per-site", type=click.IntRange(min=1), help="With --text: so many pages of a site at most, the best.")
@click.option("--markdown", is_flag=True, help="FILE is a folder: a Markdown file for every page whose text is kept.")
@click.option("--format", "form", type=click.Choice(["csv", "jsonl", "parquet"]), help="Whatever the ending of FILE.")
@click.option("--columns", metavar="NAMES", help="These columns alone: url,title,description; see docs/report.md.")
@ranking_option
@site_option
@where_option
@store_option
@json_option
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    file: Path,
    with_text: bool,
    min_importance: float | None,
    per_site: int | None,
    markdown: bool,
    form: str | None,
    columns: str | None,
    by: str,
    site: str | None,
    where: str | None,
    store: Path,
    as_json: bool,
) -> None:
    """Write every page with its rank to FILE, best first.

    The format follows from the ending: .csv, .jsonl or .parquet, of the first two also packed as .csv.gz or .jsonl.gz.
    FILE appears whole or not at all; - is standard output, as CSV unless --format says otherwise. With --by NAME these
    are the pages of that ranking, with their values there as the last column.

    --site and --where must both hold for a page. Ranks stay those among all pages.

    With --text, or where FILE is called corpus.parquet, corpus.jsonl.gz or the like, it is a corpus to train or search
    with: url, site, title, language, content, importance, fetched_at, preferences, copies. Of pages that say
    the same the most important one is there, and how many they are; pages that say noindex are left out.

    \b
    minicrawl export about.csv --columns url,title,status,seconds,bytes,fetched_iso
    minicrawl export lost.csv --where "status = 404"
    minicrawl export slow.csv --where "seconds > 2 AND importance > 1e-5"
    minicrawl export corpus.parquet --per-site 1000
    minicrawl export --markdown folder        a Markdown file a page, with links
    """
    from minicrawl.analysis.corpus import corpus
    from minicrawl.analysis.page_filter import PageFilter, wanted
    from minicrawl.analysis.top.order import best_first, only
    from minicrawl.analysis.usage import PageUsage
    from minicrawl.export.markdown import export_markdown, pages_with_text
    from minicrawl.export.ranks import export_table
    from minicrawl.export.tables import STANDARD_OUTPUT
    from minicrawl.store.reader import open_store

    asked = PageFilter(site=site, where=where)
    is_called_so = file.name.lower().startswith("corpus.") and columns is None
    is_corpus = not markdown and (with_text or is_called_so)
    if not is_corpus and not (min_importance is None and per_site is None):
        raise SettingError("--min-importance and --per-site are for a corpus: name FILE so, or add --text")
    if columns is not None and (with_text or markdown):
        other = "--text" if with_text else "--markdown"
        raise SettingError(f"--columns and {other} do not go together; leave one out")
    with open_store(store) as reader, reader.snapshot():
        is_wanted = None if asked.is_empty else wanted(reader, asked)
        usage = PageUsage(reader)
        if markdown:
            count = export_markdown(usage.usable_texts(pages_with_text(reader, by, is_wanted)), file)
        elif is_corpus:
            is_kept(reader, by)
            _, ranked = best_first(reader, by)
            ranked = usage.usable(only(ranked, is_wanted))
            rows = corpus(reader, ranked, least=min_importance or 0.0, per_site=per_site)
            count = export_table(rows, file, form)
        else:
            count = _export_ranked(reader, by, is_wanted, usage, file, form, columns)
    if file == STANDARD_OUTPUT:
        return
    if as_json:
        click.echo(json.dumps({"file": str(file), "pages": count, "left_out": usage.left_out}))
        return
    uses = " or ".join(usage.respected)
    left_out = f"; left out {counted(usage.left_out, 'page')} not to be used for {uses}" if usage.left_out else ""
    click.echo(f"{counted(count, 'page')} written to {file}{left_out}")


def _export_ranked(  # noqa: PLR0913 - what the options say
    reader: "Store",
    by: str,
    is_wanted: "Wanted",
    usage: "PageUsage",
    file: Path,
    form: str | None,
    columns: str | None,
) -> int:
    """Write ranked pages in the given form; return their number."""
    from minicrawl.analysis.page_columns import column_rows, named_columns
    from minicrawl.analysis.top.order import best_first, only
    from minicrawl.export.ranks import export_kept, export_ranks, export_table
    from minicrawl.export.tables import Table

    name = by if is_kept(reader, by) else None
    _, ranked = best_first(reader, by)
    ranked = usage.usable(only(ranked, is_wanted))
    if columns is not None:
        named = named_columns(reader, columns, name)
        return export_table(Table(named, column_rows(reader, ranked, tuple(named), name)), file, form)
    if name is not None:
        return export_kept(((page, value or 0.0) for _, page, value in ranked), name, file, form)
    return export_ranks((page for _, page, _ in ranked), file, form)
