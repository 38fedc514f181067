"""What an order of crawling is good for: how much of all importance the first answers held.

    python bench/order.py WHOLE_STORE STORE [STORE ...]

The first store is taken for the whole web. A STORE may be the folder of a crawl in partitions: the answers of all its
stores are put in the order of their times then. Prints, per other store, the share of the whole web's importance that
was fetched with its first 10 and 30 % of answers, and the area under that curve: the mean share over all answers. How
exact the rankings themselves are is what 'minicrawl verify' says.
"""

import sqlite3
import sys
from contextlib import closing
from heapq import merge
from pathlib import Path

import numpy as np

from minicrawl.store.reader import open_store


def answered(path: Path) -> list[str]:
    """The URLs of a crawl in the order of their last answers; of several stores in that of the times of these."""
    stores = sorted(path.glob("*.db")) if path.is_dir() else [path]
    return [url for _, url in merge(*map(_timed, stores))]


def _timed(path: Path) -> list[tuple[float, str]]:
    """When each page of a store got its last answer, by that time."""
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
        query = "SELECT fetched_at, url FROM pages JOIN fetches ON fetches.id = fetch ORDER BY fetched_at, url"
        return db.execute(query).fetchall()


def report(path: str, importance: dict[str, float], answers: int) -> None:
    masses = np.cumsum([importance.get(url, 0.0) for url in answered(Path(path))])
    masses = np.append(masses, np.full(max(answers - len(masses), 0), masses[-1]))[:answers]
    held = [f"{share:.0%}: {masses[round(share * answers) - 1]:.4f}" for share in (0.1, 0.3)]
    print(f"{path}: importance fetched after " + ", ".join(held) + f"; area {masses.mean():.4f}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: python bench/order.py WHOLE_STORE STORE [STORE ...]")
    with open_store(sys.argv[1]) as whole:
        of_all = {page.url: page.importance for page in whole.pages()}
        size = len(whole.page_table.fetch_order())
    for other in sys.argv[2:]:
        report(other, of_all, size)
