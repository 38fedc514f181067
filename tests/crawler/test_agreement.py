"""The live crawl and a plain loop over the same graph drive the papers' algorithm to the same end."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from support.sites import crawl, random_site

from minicrawl.opic import STRATEGIES, UNIT, Book, PageQueue


def plain_loop(links: Mapping[str, Sequence[str]], seeds: list[str], strategy_name: str) -> list[str]:
    """Visit every page once with one queue, no hosts and no network. links: of every page, by its URL."""
    strategy, book = STRATEGIES[strategy_name], Book()
    jumps = np.zeros(len(links) + len(seeds), dtype=np.float32)
    jumps[: len(seeds)] = 1000 * UNIT
    names: list[str] = []
    number: dict[str, int] = {}
    queued: set[int] = set()

    def priority(page: int) -> int | None:
        return strategy.priority(page, book, jumps) if page in queued else None

    queue = PageQueue(priority)

    def discover(new: list[str]) -> None:
        number.update(zip(new, book.discover(len(new)), strict=True))
        names.extend(new)

    def enqueue(new: list[str]) -> None:
        for name in new:
            queued.add(number[name])
            queue.add(number[name])

    discover(seeds)
    enqueue(seeds)
    visits: list[str] = []
    while (page := queue.pop()) is not None:
        queued.discard(page)
        visits.append(names[page])
        targets = list(dict.fromkeys(links[names[page]]))
        new = [name for name in targets if name not in number]
        discover(new)
        outlinks = np.array([number[name] for name in targets if name != names[page]], dtype=np.int32)
        book.visit(page, outlinks)
        for credited in outlinks.tolist():
            if strategy.follows_cash and credited in queued:
                queue.rise(credited, strategy.priority(credited, book, jumps))
        enqueue(new)
    return visits


@pytest.mark.parametrize("strategy", ["greedy", "breadth-first", "cycle", "random"])
@pytest.mark.parametrize("seed", range(2))
def test_crawl_and_plain_loop_visit_the_same_pages_in_the_same_order(store: Path, seed: int, strategy: str) -> None:
    site, seeds = random_site(seed)
    _, server = crawl(site, store, seeds, strategy=strategy, jump="pages", ignore_robots=True)
    assert server.asked == plain_loop(site, seeds, strategy)
