"""minicrawl cluster search and index"""

from pathlib import Path

import click

from minicrawl.cli.cluster_reading import folder_option
from minicrawl.cli.configuration import config_option
from minicrawl.cli.options import json_option
from minicrawl.cli.output import counted, document
from minicrawl.cli.search import SearchCommand, asked_options, print_found, query_of, seconds_of


@click.command(cls=SearchCommand, epilog="Example: minicrawl cluster search 'task group' --store data/web")
@asked_options
@folder_option
@json_option
@config_option
def search(  # noqa: PLR0913 - one argument per option, as click calls it
    words: tuple[str, ...],
    n: int,
    sites: tuple[str, ...],
    since: str | None,
    explain: bool,
    weight: float,
    path: Path,
    as_json: bool,
) -> None:
    """Find pages of all partitions by WORDS, as 'minicrawl search' does: the best first, by agreement and importance.

    Importance is that among all pages. How rare a word is counts as it is in the page's partition, and words of links
    from other partitions do not count. 'minicrawl cluster index' makes the indexes.
    """
    from minicrawl.cluster.folder import found
    from minicrawl.cluster.reading.search import search_all
    from minicrawl.search.searching import Asked

    asked = Asked(n, sites, None if since is None else seconds_of(since), weight)
    text = query_of(words)
    with found(path).opened() as stores:
        pages = search_all(stores, text, asked)
    print_found(pages, text, weight, explain=explain, as_json=as_json, indexing="minicrawl cluster index")


@click.command(epilog="Example: minicrawl cluster index --store data/web")
@folder_option
@json_option
@config_option
def index(path: Path, as_json: bool) -> None:
    """Bring the indexes of all partitions up to their stores, so that 'minicrawl cluster search' finds all pages.

    They are made of the texts that a crawl with --text keeps; each stays beside its store, on the machine of that.
    """
    from minicrawl.cluster.folder import found
    from minicrawl.cluster.reading.search import bring_up_to_date, has_texts
    from minicrawl.errors import SettingError

    with found(path).opened() as stores:
        some = [store for store in stores if store.ask(has_texts)]
        if not some:
            raise SettingError(f"no partition in {path} has texts to make an index of; let the crawl go on with --text")
        indexed = [store.ask(bring_up_to_date) for store in some]
    done, pages = (sum(counts) for counts in zip(*indexed, strict=True))
    line = f"{counted(done, 'text')} taken in; the indexes have {counted(pages, 'page')}."
    click.echo(document({"taken_in": done, "pages": pages}) if as_json else line)
