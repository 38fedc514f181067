"""What expected importance costs: 200,000 known pages of 300 sites; 60,000 were read and have 6.6 million links.

    python bench/expected.py [--pages 200000]

Nine of ten links stay on their site; half of all are in navigation. CPU seconds, cold from nothing and warm from shares
that are off by what a tenth of a crawl changes (an L1 distance of .08), to the two distances that a crawl asks for.
"""

import argparse
import time

import numpy as np

from minicrawl.crawler.known.expectation import FINE, ROUGH, as_rows
from minicrawl.opic.expected import KnownPages, expected_importance, from_unvisited, site_votes
from minicrawl.opic.surfer import REASONABLE, UNIFORM, Surfer
from minicrawl.store.links import LinkGraph
from minicrawl.store.read.expected import PAGES_A_ROW, to_digits

SITES, LINKS_A_PAGE = 300, 110


def made_up(size: int) -> tuple[LinkGraph, KnownPages]:
    """A web of sites of equal size, links to pages drawn from a skewed law, three of ten pages visited."""
    rng = np.random.default_rng(0)
    visited = np.zeros(size, dtype=bool)
    visited[rng.choice(size, 3 * size // 10, replace=False)] = True
    site = np.arange(size) * SITES // size
    first = np.searchsorted(site, np.arange(SITES + 1))
    sources = np.flatnonzero(visited)
    links = len(sources) * LINKS_A_PAGE
    of = np.repeat(sources, LINKS_A_PAGE)
    near = first[site[of]] + (np.diff(first)[site[of]] * rng.random(links) ** 3).astype(int)
    targets = np.where(rng.random(links) < 0.9, near, (size * rng.random(links) ** 4).astype(int)).astype(np.int32)
    places = rng.choice(np.array([0, 1, 2, 2], dtype=np.uint8), links)
    host = site * 4 + rng.integers(0, 4, size)
    levels = [site, host, *(host * folders + rng.integers(0, folders, size) for folders in (4, 16, 64))]
    graph = LinkGraph(sources, np.arange(0, links + 1, LINKS_A_PAGE), targets, size, places)
    return graph, KnownPages(visited, np.ones(size), levels, np.arange(size))


def seconds(what: str, began: float) -> None:
    print(f"  {what:<44}{time.process_time() - began:>7.2f} s")


def measure(graph: LinkGraph, pages: KnownPages, surfer: Surfer) -> None:
    rows = [as_rows(graph, surfer)]
    importance = expected_importance(lambda: rows, pages, np.zeros(pages.size), tolerance=ROUGH)
    votes = site_votes(pages, importance)
    exact = expected_importance(lambda: rows, pages, votes, tolerance=1e-9)
    off = exact * np.exp(0.1 * np.random.default_rng(1).standard_normal(pages.size))
    for tolerance in (ROUGH, FINE):
        for name, start in (("cold", None), ("warm", off)):
            began = time.process_time()
            shares = expected_importance(lambda: rows, pages, votes, tolerance=tolerance, start=start)
            seconds(f"to {tolerance:g}, {name} (is off by {np.abs(shares - exact).sum():.0e})", began)
    began = time.process_time()
    unread = from_unvisited(lambda: rows, pages, votes, exact)
    seconds("the part by links expected", began)
    began = time.process_time()
    for first in range(0, pages.size, PAGES_A_ROW):
        for values in (exact, unread):
            to_digits(values[first : first + PAGES_A_ROW])
    seconds("both as digits", began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200_000)
    graph, pages = made_up(parser.parse_args().pages)
    print(f"{pages.size:,} pages, {np.count_nonzero(pages.visited):,} of them read, {len(graph.targets):,} links")
    for surfer in (UNIFORM, REASONABLE):
        print(f"links weighed by {surfer}")
        measure(graph, pages, surfer)


if __name__ == "__main__":
    main()
