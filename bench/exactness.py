"""How exact a crawl's ranking is: its importance against PageRank by power iteration of its stored links.

    python bench/exactness.py STORE [OTHER_STORE ...]

Prints, per store, the L1 distance, how many of the top 100 agree, and by how much importance is off at most. With
more than one store the first is taken for the whole web, and for the others the share of its importance that their
first 10 and 30 % of answers held is printed too: what an order of crawling is good for.
"""

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt

from minicrawl.rank import Graph, pagerank
from minicrawl.store.reader import Store, open_store

_TOP = 100


def folded_graph(store: Store) -> tuple[Graph, npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """The stored links with aliases folded into their targets, each page's share of the random jump, and the target
    of every page (itself, if it is no alias)."""
    links = store.links()
    states = [state for pages in store.columns() for state in pages.state]
    is_alias = np.array([state == "alias" for state in states])
    stands_for = np.arange(links.size)
    alias_rows = np.flatnonzero(is_alias[links.sources])
    stands_for[links.sources[alias_rows]] = links.targets[links.indptr[alias_rows]]
    while (stands_for[stands_for] != stands_for).any():
        stands_for = stands_for[stands_for]
    rows = np.flatnonzero(~is_alias[links.sources])
    kept = links.rows(rows)
    sources = np.repeat(kept.sources, np.diff(kept.indptr))
    graph = Graph.from_edges(sources, stands_for[kept.targets], links.size)
    births = np.bincount(stands_for, minlength=links.size).astype(np.float64)
    return graph, births / births.sum(), stands_for


def report(path: str) -> None:
    with open_store(path) as store:
        graph, jump, _ = folded_graph(store)
        exact = pagerank(graph, preference=jump)
        ours = np.zeros(graph.size)
        urls = [""] * graph.size
        page_of = {url: page for page, url in enumerate(store.urls())}
        for page in store.pages():
            ours[page_of[page.url]] = page.importance
            urls[page_of[page.url]] = page.url
    best = set(np.argsort(-exact, kind="stable")[:_TOP].tolist())
    same = len(best & set(np.argsort(-ours, kind="stable")[:_TOP].tolist()))
    print(
        f"{path}: {graph.size:,} pages, L1 distance {np.abs(exact - ours).sum():.2e}, "
        f"top {_TOP}: {same} agree, largest difference {np.abs(exact - ours).max():.2e}"
    )


def report_order(path: str, whole: str) -> None:
    with open_store(whole) as store:
        importance = {page.url: page.importance for page in store.pages()}
        answers = len(store.fetch_order())
    with open_store(path) as store:
        masses = np.cumsum([importance.get(url, 0.0) for url in store.fetch_order()])
    held = [f"{share:.0%}: {masses[round(share * answers) - 1]:.4f}" for share in (0.1, 0.3)]
    print(f"{path}: importance fetched after " + ", ".join(held))


if __name__ == "__main__":
    stores = sys.argv[1:] or [str(Path("data/crawl.db"))]
    for number, name in enumerate(stores):
        report(name)
        if number:
            report_order(name, stores[0])
