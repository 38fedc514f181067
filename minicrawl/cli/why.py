"""minicrawl why"""

from pathlib import Path

import click

from minicrawl.cli.options import about_store
from minicrawl.cli.output import document, fitted
from minicrawl.errors import SettingError
from minicrawl.store.folder import is_folder
from minicrawl.store.reader import open_store


@click.command(epilog="Example: minicrawl why https://example.org/about")
@click.argument("url")
@about_store
def command(url: str, store: Path, as_json: bool) -> None:
    """Explain one URL: its state and the rule behind it, its host's rules, cash, importance and links.

    While a crawl runs, ranks beyond the best thousand are estimates ("about"). Some of the links to the page are
    listed: those of the pages that were read first since it became known.
    """
    from minicrawl.analysis.explain import explain, meant_by
    from minicrawl.analysis.why_words import explanation_lines

    meant_by(url)  # report an invalid URL before opening the store
    if is_folder(store):
        from minicrawl.cluster import answers

        found = answers.why(store, url)
    else:
        with open_store(store) as reader:
            found = explain(reader, url)
    click.echo(document(found.as_json()) if as_json else "\n".join(fitted(explanation_lines(found))))
    if found.page is None and found.requisite is None:
        click.get_current_context().exit(SettingError.exit_code)
