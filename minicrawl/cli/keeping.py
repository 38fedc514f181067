"""Rankings kept in a store by `--save NAME`."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from minicrawl.errors import StoreError

if TYPE_CHECKING:
    from minicrawl.analysis.link_graph import FloatArray
    from minicrawl.store.reader import Store


def check_free(reader: "Store", store: Path) -> None:
    """Raise StoreError while a crawl writes to the store."""
    if reader.is_in_use():
        raise StoreError(
            f"a crawl is using {store}, so no ranking can be saved in it; wait for it, or leave --save out"
        )


def keep(store: Path, rankings: "Mapping[str, FloatArray]") -> None:
    """Keep values per page under their names, and report it."""
    from minicrawl.store.reader import open_store
    from minicrawl.store.writer import Writer

    with open_store(store) as reader:
        files = {name: dict(reader.by_file(values)) for name, values in rankings.items()}
    for path in next(iter(files.values())):
        with Writer(path) as writer, writer.transaction():
            for name, values in files.items():
                writer.save_ranking(name, values[path])
    names = list(rankings)
    click.echo(f"Kept as {', '.join(names)}; see 'minicrawl top --by {names[0]} --store {store}'.", err=True)
