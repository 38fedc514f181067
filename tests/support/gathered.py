"""A crawl in partitions as the one store that is gathered of it."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path

from minicrawl.crawler.books.invariants import violations
from minicrawl.store.gather import gather
from minicrawl.store.partitions.folder import FILE, found
from minicrawl.store.ranks import RankedPage
from minicrawl.store.reader import Store, open_store


@contextmanager
def gathered(folder: Path) -> Iterator[Store]:
    """The store of a folder, gathered just now. All stores are in it, whatever nodes they are said to be on."""
    with tempfile.TemporaryDirectory() as place:
        web = Path(place) / "web"
        web.mkdir()
        for file in folder.iterdir():
            if file.name != FILE:
                (web / file.name).symlink_to(file.absolute())
        replace(found(folder), path=web, nodes={}).keep_ray(None)
        gather(web, Path(place) / "crawl.db")
        with open_store(Path(place) / "crawl.db") as store:
            yield store


def all_violations(stores: Sequence[Store]) -> Iterator[str]:
    """What is wrong with the stores of a folder as one book; what they have on the way to each other counts."""
    with gathered(stores[0].path.parent) as store:
        yield from islice(violations(store), 100)


def ranked_pages(stores: Sequence[Store]) -> Iterator[RankedPage]:
    """Every page of a crawl in partitions, best first."""
    with gathered(stores[0].path.parent) as store:
        yield from store.pages("importance")
