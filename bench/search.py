"""Quality and speed of search on known items and held-out links.

    minicrawl crawl ... --search --store web.db
    python bench/search.py web.db [--held-out 500] [--tantivy]

Known items: bench/known_items/documentation.tsv, queries written by hand before any ranking was seen. Held-out ones:
texts of links that lead to one page alone; these are taken out of the index before they are looked for. `other sites`:
of links from other sites only. A page counts as found where it or its leader stands. Prints MRR, the shares found first
and among ten, by itself and without importance or anchors, and how long a search takes.
"""

import argparse
import random
import shutil
import sqlite3
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from minicrawl.errors import SettingError
from minicrawl.search.index.anchors import AnchorBook
from minicrawl.search.index.following import Follower
from minicrawl.search.index.index_file import index_path, open_index, store_mark
from minicrawl.search.index.words import text_words
from minicrawl.search.matching import WEIGHTS
from minicrawl.search.searching import Asked, Searcher
from minicrawl.store.reader import Store, open_store

KNOWN = Path(__file__).parent / "known_items" / "documentation.tsv"
DEEP = 20
"""Places that are looked at; what stands below counts as not found."""


class Item(NamedTuple):
    """A query, and the pages it asks for."""

    query: str
    urls: frozenset[str]


class Quality(NamedTuple):
    mrr: float
    first: float
    in_ten: float
    p50: float
    p99: float

    def __str__(self) -> str:
        return (
            f"MRR {self.mrr:.3f}  first {self.first:.2f}  in ten {self.in_ten:.2f}  "
            f"p50 {self.p50 * 1e3:.1f} ms  p99 {self.p99 * 1e3:.1f} ms"
        )


def known_items(file: Path, store: Store) -> list[Item]:
    """The queries of a file of which the store has a page."""
    items = []
    for line in file.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            query, _, urls = line.partition("\t")
            known = store.page_table.find(urls.split())
            if any(store.page_table.state(page) == "fetched" for page in known.values()):
                items.append(Item(query, frozenset(urls.split())))
    return items


def held_out(store: Store, db: sqlite3.Connection, n: int, *, other_sites: bool) -> list[tuple[int, str]]:
    """(page, text): texts of two to six words that lead to one read page alone, n of them by chance."""
    targets: dict[str, set[int]] = defaultdict(set)
    texts: list[tuple[int, str]] = []
    book = AnchorBook(db)
    taken = {page for (page,) in db.execute("SELECT page FROM pages WHERE document IS NOT NULL")}
    for target, site, text in db.execute("SELECT target, site, text FROM anchors"):
        page = book.stands_for(target)
        targets[text.lower()].add(page)
        if page in taken and 2 <= len(text.split()) <= 6 and not text.startswith("http") and (site or not other_sites):
            texts.append((page, text))
    alone = sorted({(page, text) for page, text in texts if len(targets[text.lower()]) == 1})
    random.Random(20).shuffle(alone)
    return alone[:n]


def without(db: sqlite3.Connection, held: Iterable[tuple[int, str]]) -> None:
    """Take texts of links out of an index."""
    for page, text in held:
        db.execute("DELETE FROM anchors WHERE lower(text) = lower(?)", (text,))
        db.execute("INSERT OR IGNORE INTO stale (page) VALUES (?)", (page,))


def quality(searcher: Searcher, items: Sequence[Item], asked: Asked) -> Quality:
    ranks, seconds = [], []
    for item in items:
        started = time.process_time()
        try:
            found = searcher.search(item.query, asked)
        except SettingError:
            continue
        seconds.append(time.process_time() - started)
        places = [page.rank for page in found.pages if item.urls & {page.url, *page.alike}]
        ranks.append(1 / places[0] if places else 0.0)
    return summed(ranks, seconds)


def summed(ranks: Sequence[float], seconds: list[float]) -> Quality:
    seconds.sort()
    count = len(ranks)
    return Quality(
        sum(ranks) / count,
        sum(rank == 1 for rank in ranks) / count,
        sum(rank >= 0.1 for rank in ranks) / count,
        seconds[count // 2],
        seconds[int(count * 0.99)],
    )


def latency(searcher: Searcher, queries: Iterable[str]) -> str:
    seconds = []
    for query in queries:
        started = time.process_time()
        searcher.search(query)
        seconds.append(time.process_time() - started)
    seconds.sort()
    return f"p50 {seconds[len(seconds) // 2] * 1e3:.1f} ms  p99 {seconds[int(len(seconds) * 0.99)] * 1e3:.1f} ms"


def two_words(db: sqlite3.Connection, n: int) -> list[str]:
    """Pairs of neighbours in titles, by chance."""
    titles = [title.split() for (title,) in db.execute("SELECT title FROM short WHERE title <> '' ORDER BY rowid")]
    titles = [words for words in titles if len(words) > 1]
    draw = random.Random(21)
    pairs: list[str] = []
    while len(pairs) < n:
        words = draw.choice(titles)
        at = draw.randrange(len(words) - 1)
        if all(any(char.isalnum() for char in word) for word in words[at : at + 2]):
            pairs.append(" ".join(words[at : at + 2]))
    return pairs


def tantivy_quality(store: Store, items: Sequence[Item]) -> Quality:
    """BM25 of tantivy, the columns of both barrels as fields with the same weights."""
    import tantivy  # noqa: PLC0415 - not of ours: pip install tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("page", stored=True)
    for field in (*WEIGHTS, "text"):
        builder.add_text_field(field, tokenizer_name="en_stem")
    index = tantivy.Index(builder.build())
    writer = index.writer()
    columns = ", ".join(f"short.{name}" for name in WEIGHTS)
    with open_index(index_path(store.path), store_mark(store.hash_key)) as ours:
        rows = ours.db.execute(f"SELECT page, {columns} FROM pages JOIN short ON short.rowid = page")
        for page, *texts in rows:
            record = store.texts.record(page) or b""
            fields = dict(zip(WEIGHTS, texts, strict=True)) | {"text": text_words(record, str(page))}
            writer.add_document(tantivy.Document(page=page, **{name: [text] for name, text in fields.items()}))
    writer.commit()
    index.reload()
    searcher = index.searcher()
    ranks, seconds = [], []
    for item in items:
        started = time.process_time()
        words = "".join(char if char.isalnum() else " " for char in item.query)
        query = index.parse_query(words, [*WEIGHTS, "text"], field_boosts=WEIGHTS)
        found = [searcher.doc(at)["page"][0] for _, at in searcher.search(query, DEEP).hits]
        seconds.append(time.process_time() - started)
        right = [i for i, page in enumerate(found, 1) if store.page_table.url(page) in item.urls]
        ranks.append(1 / right[0] if right else 0.0)
    return summed(ranks, seconds)


ALONE, LINEAR = Asked(n=DEEP, rank="none"), Asked(n=DEEP)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--held-out", type=int, default=500, help="how many texts of links are held out")
    parser.add_argument("--tantivy", action="store_true", help="compare with tantivy, which has to be installed")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, open_store(given.store) as store:
        items = known_items(KNOWN, store)
        print(f"{len(items)} known items")
        with Searcher(store) as searcher:
            print("  with importance   ", quality(searcher, items, LINEAR))
            print("  without           ", quality(searcher, items, ALONE))
            print("  two words of titles, ten pages:", latency(searcher, two_words(searcher.db, 400)))
            print("  the of and to:                 ", latency(searcher, ["the of and to"] * 20))
        if given.tantivy:
            print("  tantivy           ", tantivy_quality(store, items))
        index = index_path(store.path)
        for name in ("no anchors", "held out, other sites", "held out, any site"):
            copy = Path(folder) / "copy.search"
            shutil.copyfile(index, copy)
            with open_index(copy, store_mark(store.hash_key), writes=True) as changed:
                held = []
                if name == "no anchors":
                    changed.db.execute("INSERT OR IGNORE INTO stale (page) SELECT DISTINCT target FROM anchors")
                    changed.db.execute("DELETE FROM anchors")
                else:
                    held = held_out(store, changed.db, given.held_out, other_sites="other" in name)
                    without(changed.db, held)
                Follower(store, changed).write_short()
            with Searcher(store, copy) as searcher:
                tried = [Item(text, frozenset({store.page_table.url(page)})) for page, text in held] or items
                print(f"{len(tried)} items, {name}")
                print("  with importance   ", quality(searcher, tried, LINEAR))
                print("  without           ", quality(searcher, tried, ALONE))


if __name__ == "__main__":
    main()
