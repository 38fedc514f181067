"""minicrawl report"""

import json
from pathlib import Path

import click

from minicrawl.cli.options import json_option, store_option


@click.command(epilog="Example: minicrawl report report.html")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@store_option
@json_option
def command(file: Path, store: Path, as_json: bool) -> None:
    """Write a report on the crawl for people: one HTML file that any browser shows, and that can be mailed and printed.

    It has the issues of 'minicrawl audit' with their targets, what loses most first; the most important pages; and
    errors by reason. The file loads nothing and runs nothing. It is light or dark as its reader's system is.
    """
    from minicrawl.errors import SettingError
    from minicrawl.report.contents import report_on
    from minicrawl.report.document import write_report
    from minicrawl.store.reader import open_store

    if str(file) != "-" and file.suffix.lower() not in (".html", ".htm"):
        raise SettingError(f"a report is HTML, so name it {file.with_suffix('.html')}; browsers print that as PDF")
    with open_store(store) as reader:
        report = report_on(reader)
    size = write_report(report, file)
    line = f"report of {size / 1000:,.0f} kB written to {file}"
    click.echo(json.dumps({"file": str(file), "bytes": size}) if as_json else line, err=str(file) == "-")
