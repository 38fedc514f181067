"""minicrawl export, minicrawl report"""

import json
from pathlib import Path

import click

from minicrawl.cli.option_sources import tables_of_file
from minicrawl.cli.options import Choice, about_store, is_kept, ranking_option, where_option
from minicrawl.errors import SettingError, counted
from minicrawl.store.folder import is_folder
from minicrawl.store.reader import open_store


@click.command(epilog="Example: minicrawl export ranks.csv")
@click.argument("file", type=click.Path(allow_dash=True, path_type=Path))
@click.option("--text", is_flag=True, help="Write a corpus: pages with their content as Markdown.")
@click.option("--markdown", is_flag=True, help="Write a folder of Markdown files, one per page.")
@click.option(
    "--format", "form", type=Choice(["csv", "jsonl", "parquet"]), help="Use this format, whatever the ending of FILE."
)
@ranking_option
@where_option
@about_store
def command(  # noqa: PLR0913 - one argument per option, as click calls it
    file: Path, text: bool, markdown: bool, form: str | None, by: str, where: str | None, store: Path, as_json: bool
) -> None:
    """Write every page with its rank to FILE, best first.

    The ending sets the format: .csv, .jsonl or .parquet; .csv.gz and .jsonl.gz are compressed. For a folder of
    partitions, FILE is a data set: a folder with one .parquet file per partition, without ranks. FILE appears whole or
    not at all; - is standard output, as CSV unless --format says otherwise. With --by NAME, FILE has the pages of that
    ranking, with their values in the last column.

    With --where, ranks are still those among all pages.

    With --text, FILE is a corpus for training or search: url, site, title, language, description, author, site_name,
    licence, published, modified, content, importance, fetched_at, preferences, copies. Of pages with the same text, it
    has the most important one, and the number of its copies. Pages that say noindex are left out.

    With --markdown, FILE is a new folder. Each page with a text is a file there, at HOST/PATH.md: example.org/index.md
    is the front page.

    \b
    minicrawl export lost.csv --where "status = 404"
    minicrawl export slow.csv --where "seconds > 2 AND importance > 1e-5"
    minicrawl export corpus.parquet --text --where "language = 'de' AND published > '2026-01-01'"
    minicrawl export pages --markdown
    """
    from minicrawl.analysis.page_text import corpus, texts_of
    from minicrawl.analysis.top import best_first, only
    from minicrawl.analysis.usage import PageUsage
    from minicrawl.export.markdown_folder import write_folder
    from minicrawl.export.tables import COLUMNS, STANDARD_OUTPUT, Table, export_table

    if markdown and (text or form or file == STANDARD_OUTPUT):
        raise SettingError("--markdown writes a folder: name one, without --text and --format")
    if file.name.startswith("corpus.") and not text:
        raise SettingError(f"{file} would have ranks and no texts; add --text for a corpus, or choose another name")
    if is_folder(store) and not text and not markdown:
        from minicrawl.cluster import answers

        count, unusable, respected = answers.export_pages(store, file, by, where, form)
    else:
        with open_store(store) as reader, reader.snapshot():
            is_wanted, usage = None if where is None else reader.questions.where(where), PageUsage(reader)
            name = by if is_kept(reader, by) else None
            _, ranked = best_first(reader, by)
            ranked = usage.usable(only(ranked, is_wanted))
            if markdown:
                count = write_folder(texts_of(reader, ranked), file)
            elif text:
                rows = corpus(reader, ranked)
            elif name is not None:
                rows = Table(COLUMNS | {name: float}, ((*page, value or 0.0) for _, page, value in ranked))
            else:
                rows = Table(COLUMNS, (page for _, page, _ in ranked))
            if not markdown:
                count = export_table(rows, file, form)
        unusable, respected = usage.left_out, usage.respected
    if file == STANDARD_OUTPUT:
        return
    if as_json:
        click.echo(json.dumps({"file": str(file), "pages": count, "left_out": unusable}))
        return
    uses = " or ".join(respected)
    left_out = f"; left out {counted(unusable, 'page')} not to be used for {uses}" if unusable else ""
    click.echo(f"{counted(count, 'page')} written to {file}{left_out}")


@click.command(epilog="Example: minicrawl report report.html")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--rules", metavar="seo|FILE", help="Also apply these rules, as 'minicrawl audit' does.")
@about_store
def report(file: Path, rules: str | None, store: Path, as_json: bool) -> None:
    """Write a report on the crawl as one HTML file that any browser shows, and that you can mail and print.

    It has the findings of 'minicrawl audit', your own rules included, with their targets, and the dashboard's views:
    overview, the most important pages, sites. The file loads nothing. It follows the reader's light or dark mode.
    """
    from minicrawl.audit.rules import RULES, rules_in, rules_of
    from minicrawl.report import report_on, write_report

    if str(file) != "-" and file.suffix.lower() not in (".html", ".htm"):
        raise SettingError(f"a report is HTML, so name it {file.with_suffix('.html')}; browsers print that as PDF")
    toml, tables = tables_of_file(click.get_current_context())
    further = {} if rules is None else rules_in(rules)
    applied = {**RULES, **further, **rules_of(tables.get("audit", {}), f"{toml}: audit.")}
    with open_store(store) as reader:
        report = report_on(reader, applied)
    size = write_report(report, file)
    line = f"report of {size / 1000:,.0f} kB written to {file}"
    click.echo(json.dumps({"file": str(file), "bytes": size}) if as_json else line, err=str(file) == "-")
