"""A crawl in partitions as the one store that is gathered of it."""

import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from minicrawl.crawler.books.invariants import violations
from minicrawl.store.declaration import meanings, tables
from minicrawl.store.folder import FILE, found
from minicrawl.store.gather import gather
from minicrawl.store.links import from_bytes
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


def in_full(path: Path) -> dict[str, Counter[tuple[object, ...]]]:
    """All rows of a store by table, with URLs and names in place of its own numbers."""
    named = {"pages": "url", "hosts": "name", "sites": "name", "sitemaps": "url"}
    named["fetches"] = "(SELECT url FROM pages WHERE fetch = fetches.id)"
    with open_store(path) as store:
        names = {f"{table}.id": dict(store.rows(f"SELECT id, {name} FROM {table}")) for table, name in named.items()}
        pages, found = names["pages.id"], {}

        def told(table: str, refers_to: str, value: object) -> object:
            if refers_to.startswith("pages.id, ") and isinstance(value, bytes):
                urls = [pages[page] for page in from_bytes(value).tolist()]
                return tuple(sorted(urls) if table == "places" else urls)  # of equals the first known is first
            return f"{value:.12g}" if isinstance(value, float) else names.get(refers_to, {}).get(value, value)

        for table in tables().keys() - {"url_hashes"}:
            meant = {name: meaning.partition(";")[0] for name, meaning in meanings(table).items()}
            meant = {name: meaning for name, meaning in meant.items() if name not in ("id", "changed")}
            where = "key NOT IN ('hash_key', 'gathered', 'run')" if table == "meta" else "1"
            each = store.rows(f"SELECT {', '.join(meant)} FROM {table} WHERE {where}")
            found[table] = Counter(tuple(map(partial(told, table), meant.values(), row)) for row in each)
        found["texts"] = Counter((pages[page], text) for page, text in store.texts.records(pages).items())
        return found
