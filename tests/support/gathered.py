"""A crawl in partitions as the one store that is gathered of it."""

import tempfile
from collections.abc import Iterator
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


def all_violations(folder: Path) -> list[str]:
    """What is wrong with the stores of a folder as one book; what they have on the way to each other counts."""
    with gathered(folder) as store:
        return list(islice(violations(store), 100))


def sound_pages(path: Path) -> dict[str, RankedPage]:
    """Every page of a store, or of a folder, by URL, best first; nothing may be wrong with it."""
    with gathered(path) if path.is_dir() else open_store(path) as store:
        assert list(islice(violations(store), 100)) == []
        return {page.url: page for page in store.pages("importance")}
