"""The index of a store, opened to be brought up to date."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from minicrawl.errors import SettingError
from minicrawl.search.index.following import Follower
from minicrawl.search.index.index_file import hold_index, index_path, open_index, remove_index, store_mark
from minicrawl.store.reader import open_store


@contextmanager
def following(path: Path, *, rebuild: bool = False) -> Iterator[Follower]:
    """What brings the index of the store at `path` up to date; it is made where there is none.

    rebuild: throw away the one there is. Raises StoreError.
    """
    index = index_path(path)
    with open_store(path) as store, hold_index(index):
        if rebuild:
            remove_index(index)
        with open_index(index, store_mark(store.hash_key), writes=True) as file:
            follower = Follower(store, file)
            if not rebuild and follower.needs_rebuilding():
                file.close()
                remove_index(index)
                with open_index(index, store_mark(store.hash_key), writes=True) as new:
                    yield Follower(store, new)
                return
            yield follower


def need_texts(path: Path) -> None:
    """Raise SettingError where a store has no texts to make an index of."""
    with open_store(path) as store:
        if not store.texts.size:
            raise SettingError(f"{path} has no texts to make an index of; let the crawl go on with --search")
