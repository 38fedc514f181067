"""CPU and memory of an audit with all rules, of a store of 200,000 pages.

    python bench/audit.py [PAGES] [--store FILE]

No network. The store is made by SQL: a host for every 10,000 pages, 20 links a page, of 100 pages 3 redirects, 3 that
are not there, 2 copies, 3 canonicals, 10 with versions in other languages, and facts of every page. With --store it is
kept there, and used again.
"""

import argparse
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from startup import fill

from minicrawl.store.reader import open_store
from minicrawl.store.urlhash import url_hash

PAGES, PER_HOST, LINKS, LANGUAGES = 200_000, 10_000, 20, ("en", "de", "fr", "xx")
FAULTY = 0.05


KINDS = {"page": 79, "redirect": 3, "dead": 3, "copy": 2, "canonical": 3, "versions": 10}
_OUTCOMES = {
    "redirect": ("alias", "redirect-301", 301),
    "dead": ("error", "http-404", 404),
    "canonical": ("alias", "canonical", 200),
}
_TABLES = {
    "hosts": "id, name",
    "pages": "id, url, host, found_on, state, reason, visited, depth, inlinks, standing, received, fetch",
    "fetches": "id, page, status, fetched_at, seconds, bytes, content_type, title, canonical, hreflang, leader",
    "links": "source, targets, own",
    "url_hashes": "hash, page",
    "page_facts": "page, description, h1, language, h1s, titles, skips, viewport, images, without_alt, bad_json_ld, "
    "hsts, is_cut, ids, fragments, names",
}

_BOOKS = (
    "INSERT OR REPLACE INTO meta SELECT 'reserve', value - 7 * (SELECT count(*) FROM pages) FROM meta "
    "WHERE key = 'cash_total'",
    "INSERT OR REPLACE INTO meta SELECT 'virtual', value - (SELECT sum(received) FROM pages) FROM meta "
    "WHERE key = 'births'",
    "INSERT OR REPLACE INTO meta SELECT 'total', value FROM meta WHERE key = 'births'",
)
"""They add up, with a level of 7."""


def made(path: Path, size: int) -> None:
    """Make the store."""
    fill(path, size)
    rng, draw = random.Random(1), np.random.default_rng(1)
    with open_store(path) as store:
        key = store.hash_key
    hosts = -(-size // PER_HOST)
    urls = [f"https://www.garden{page // PER_HOST}.org/manual/the-history-of-{page * 7919}" for page in range(size)]
    kinds = ["page", *rng.choices(list(KINDS), list(KINDS.values()), k=size - 1)]
    targets = (draw.random((size, LINKS)) ** 2 * size).astype("<i4")
    inlinks = np.bincount(targets.ravel(), minlength=size).tolist()
    names = draw.integers(0, 2**32, (size, 10), dtype=np.uint32)

    def versions(page: int) -> str:
        first = page - page % 4
        return " ".join(f"{language}={url}" for language, url in zip(LANGUAGES, urls[first : first + 4], strict=False))

    def rows(page: int) -> Iterator[tuple[Any, ...]]:
        kind = kinds[page]
        state, reason, status = _OUTCOMES.get(kind, ("fetched", "ok", 200))
        found_on = None if page % PER_HOST == 0 else page // 2
        yield page, urls[page], page // PER_HOST, found_on, state, reason, 1, 3, inlinks[page], 0, 1000, page + 1
        canonical = urls[page - 1] if kind == "canonical" else None
        hreflang, leader = versions(page) if kind == "versions" else None, page - 1 if kind == "copy" else None
        answer = (status, 1.7e9, rng.random(), rng.randrange(5_000, 90_000), "text/html; charset=utf-8")
        yield page + 1, page, *answer, f"The history of number {page - page % 20 // 19}", canonical, hreflang, leader
        own, before = targets[page].tobytes(), np.int32(page - 1).tobytes()
        links = {"redirect": (before, None), "canonical": (before, own), "dead": (b"", None)}
        yield page, *links.get(kind, (own, None))
        yield url_hash(urls[page], key), page
        top, lost = zlib.crc32(b"top"), zlib.crc32(b"lost")
        parts = [*names[page].tolist(), *([] if rng.random() < FAULTY else [lost]), top]
        ids, fragments = np.sort(np.array(parts, "<u4")), np.array([[page, top], [page, lost]], "<u4")
        h1s, without_alt = (rng.choice((one, 1)) if rng.random() < FAULTY else one for one in (1, 0))
        about = f"The history of number {page} in science, with its sources, pictures and more to read"
        facts = (page, about, "Heading", "en", h1s, 1, 0, 1, 5, without_alt, 0, 1, 0)
        yield *facts, ids.tobytes(), fragments.tobytes(), "top lost"

    with sqlite3.connect(path) as db:
        db.execute("PRAGMA synchronous = OFF")
        for table in ("pages", "fetches", "hosts", "tallies"):
            db.execute(f"DELETE FROM {table}")
        for place, (table, columns) in enumerate(_TABLES.items()):
            each: Iterator[tuple[Any, ...]] = (list(rows(page))[place - 1] for page in range(size))
            if table == "hosts":
                each = ((host, f"www.garden{host}.org") for host in range(hosts))
            marks = ", ".join("?" * (columns.count(",") + 1))
            db.executemany(f"INSERT INTO {table} ({columns}) VALUES ({marks})", each)
        db.execute("INSERT INTO tallies SELECT state, reason, count(*) FROM pages GROUP BY state, reason")
        for change in _BOOKS:
            db.execute(change)
    db.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("pages", type=int, nargs="?", default=PAGES)
    parser.add_argument("--store", type=Path)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = given.store or Path(folder) / "audit.db"
        if not store.exists():
            made(store, given.pages)
        command = [sys.executable, "-m", "minicrawl", "audit", "--store", str(store), "--csv"]
        found = len(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.splitlines()) - 1
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = f"{used.ru_utime + used.ru_stime:.2f} s of CPU, {used.ru_maxrss / 1024:.0f} MB"
        print(f"{given.pages:,} pages, {found:,} findings: {spent}")


if __name__ == "__main__":
    main()
