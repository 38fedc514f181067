"""minicrawl report"""

import json
from pathlib import Path

import click

from minicrawl.cli.options import json_option, logging_options, store_option


@click.command(epilog="Example: minicrawl report report.html")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@store_option
@json_option
@logging_options
def command(file: Path, store: Path, as_json: bool) -> None:
    """Write a report on the crawl for people: one HTML file that any browser shows, and that can be mailed.

    It has pages over time, importance collected, degrees, the most important pages, errors by reason, broken links,
    redirects, the slowest and the largest pages, duplicates, missing titles, sites and robots.txt files. There is no
    script in it, it loads nothing, and is light or dark as its reader's system is.
    """
    from minicrawl.analysis.site_report import report_on
    from minicrawl.export.report_file import write_report
    from minicrawl.store.reader import open_store

    with open_store(store) as reader:
        report = report_on(reader)
    size = write_report(report, file)
    line = f"report of {size / 1000:,.0f} kB written to {file}"
    click.echo(json.dumps({"file": str(file), "bytes": size}) if as_json else line)
