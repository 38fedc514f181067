"""Small webs that are crawled with their texts and indexed."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.sites import Reply, crawl

from minicrawl.search.index.following import following
from minicrawl.search.index.index_file import index_path, open_index, store_mark
from minicrawl.search.searched_store import open_store
from minicrawl.search.searching import Asked, Found, Searcher


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
    with open_store(store) as reader, Searcher(reader) as searcher:
        return searcher.search(words, Asked(**asked))


def urls(store: Path, words: str, **asked: Any) -> list[str]:
    return [page.url for page in found(store, words, **asked).pages]


def content(store: Path) -> dict[str, list[Any]]:
    """All that an index says, whatever numbers it gives its rows."""
    with open_store(store) as reader:
        mark = store_mark(reader.hash_key)
    with open_index(index_path(store), mark, writes=True) as index:
        index.db.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab (main, full, instance)")
        dead = "SELECT document FROM dead"
        queries = {
            "pages": "SELECT page, digest, document IS NULL, language FROM pages",
            "short": "SELECT rowid, title, anchors, own_anchors, headings, url FROM short",
            "full": f'SELECT doc & 4294967295, term, "offset" FROM words WHERE doc NOT IN ({dead})',
            "anchors": "SELECT target, site, text, links FROM anchors",
            "aliases": "SELECT page, target FROM aliases",
            "spellings": "SELECT word, pages FROM spellings",
            "stale": "SELECT page FROM stale",
        }
        return {name: sorted(index.db.execute(query).fetchall(), key=str) for name, query in queries.items()}


def rebuilt(store: Path) -> dict[str, list[Any]]:
    """What an index says that is built anew."""
    with following(store, rebuild=True) as follower:
        follower.catch_up()
    return content(store)
