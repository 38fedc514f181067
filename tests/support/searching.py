"""Small webs that are crawled with their texts and indexed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.sites import Reply, crawl
from tantivy import Query

from minicrawl.reading import open_store
from minicrawl.search.following import following
from minicrawl.search.index_folder import index_path, open_index, store_mark
from minicrawl.search.inverted import BOOSTS, COMPOUNDS, TYPED, InvertedIndex
from minicrawl.search.searching import Asked, Found, search


def page(title: str, text: str, *links: tuple[str, str], head: str = "") -> list[str]:
    """A page with a title, a paragraph and links: (URL, what it says)."""
    anchors = "".join(f'<p><a href="{url}">{says}</a></p>' for url, says in links)
    return [f"<html><head><title>{title}</title>{head}</head><body><p>{text}</p>{anchors}</body></html>"]


def indexed(site: Mapping[str, Reply], store: Path, *seeds: str, **settings: Any) -> Path:
    """Crawl a site, or crawl it on, and bring the index up to it."""
    crawl(site, store, list(seeds or site), text=True, **settings)
    with following(store) as follower:
        follower.catch_up()
    return store


def found(store: Path, words: str, **asked: Any) -> Found:
    with open_store(store) as reader:
        return search(reader, words, Asked(**asked))


def urls(store: Path, words: str, **asked: Any) -> list[str]:
    return [page.url for page in found(store, words, **asked).pages]


def content(store: Path) -> dict[str, list[Any]]:
    """All that an index says: what it was built from, and the words of its documents."""
    with open_store(store) as reader:
        mark = store_mark(reader.hash_key)
    with open_index(index_path(store), mark) as index:
        return {"pages": sorted(index.texts().items())} | {
            f"words of {field}": _words(index, field) for field in _FIELDS
        }


_FIELDS = (*BOOSTS, *TYPED.values(), COMPOUNDS, "hosts", "language")


def _words(words: InvertedIndex, field: str) -> list[tuple[str, int]]:
    """The words of a field, with the numbers of documents that have them."""
    every = [term for term, _ in words.searcher.terms_with_prefix(field, "")]
    counts = ((term, words.count(Query.term_query(words.schema, field, term, "basic"))) for term in every)
    return sorted((term, count) for term, count in counts if count)


def damage(index: Path) -> None:
    """Write over the places of words, and leave the end of each file, by which it is opened."""
    for file in index.rglob("*.pos"):
        octets = file.read_bytes()
        end = len(octets) - 8 - int.from_bytes(octets[-8:-4], "little")
        file.write_bytes(b"\xff" * end + octets[end:])


def rebuilt(store: Path) -> dict[str, list[Any]]:
    """What an index says that is built anew."""
    with following(store, rebuild=True) as follower:
        follower.catch_up()
    return content(store)
