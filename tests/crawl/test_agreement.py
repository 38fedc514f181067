"""The live crawl and a plain loop over the same graph drive the same algorithm to the same end."""

from pathlib import Path

import numpy as np
import pytest
from sites import Site, crawl, random_site, rows

from minicrawl.opic import GRANT, SEED_GRANTS, STRATEGIES, Adaptive, Ledger, PageQueue
from minicrawl.opic.strategy import packed, unpacked


def plain_loop(site: Site, seeds: list[str], strategy_name: str) -> tuple[list[str], dict[str, int], Ledger]:
    """Visit every page once with one queue, no hosts and no network: visits, cash per URL, ledger."""
    strategy, book, ledger = STRATEGIES[strategy_name], Adaptive(), Ledger()
    urls: list[str] = []
    number: dict[str, int] = {}
    queued: set[int] = set()

    def entry(page: int) -> int:
        return packed(page, strategy.priority(page, book))

    queue = PageQueue(lambda old: unpacked(old) in queued and entry(unpacked(old)) == old)

    def discover(new: list[str], grant: int) -> None:
        number.update(zip(new, book.discover([grant] * len(new)), strict=True))
        ledger.discover(len(new))
        urls.extend(new)

    def enqueue(new: list[str]) -> None:
        for url in new:
            queued.add(number[url])
            queue.add(entry(number[url]))

    discover(seeds, SEED_GRANTS * GRANT)
    enqueue(seeds)
    visits: list[str] = []
    while (page := queue.pop()) is not None:
        queued.discard(page)
        visits.append(urls[page])
        targets = list(dict.fromkeys(site[urls[page]]))  # type: ignore[arg-type]
        new = [url for url in targets if url not in number]
        discover(new, GRANT if strategy.birth_grants else 0)
        outlinks = np.array([number[url] for url in targets if url != urls[page]], dtype=np.int32)
        ledger.visit(page, outlinks)
        book.visit(page, outlinks)
        for credited in outlinks.tolist():
            if strategy.follows_cash and credited in queued:
                queue.rise(entry(credited))
        enqueue(new)
    return visits, {url: book.cash(number[url]) for url in urls}, ledger


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@pytest.mark.parametrize("seed", range(4))
def test_crawl_and_plain_loop_visit_the_same_pages_in_the_same_order_with_the_same_cash(
    tmp_path: Path, seed: int, strategy: str
) -> None:
    site, seeds = random_site(seed)
    visits, cash, _ = plain_loop(site, seeds, strategy)
    store = tmp_path / "crawl.db"
    _, server = crawl(site, store, seeds, strategy=strategy, ignore_robots=True)
    assert server.asked == visits
    assert dict(rows(store, "SELECT url, cash FROM ranks")) == cash


@pytest.mark.parametrize("seed", range(4))
def test_ledger_of_the_crawl_settles_to_that_of_the_plain_loop(tmp_path: Path, seed: int) -> None:
    site, seeds = random_site(seed)
    visits, _, ledger = plain_loop(site, seeds, "greedy")
    store = tmp_path / "crawl.db"
    crawl(site, store, seeds)
    number = {url: page for page, url in rows(store, "SELECT id, url FROM pages")}
    for _ in range(200):
        for url in visits:
            links = [number[target] for target in dict.fromkeys(site[url]) if target != url]  # type: ignore[arg-type]
            ledger.visit(number[url], np.array(links, dtype=np.int32), np.array(links, dtype=np.int32))
    importance = [value for (value,) in rows(store, "SELECT importance FROM ranks ORDER BY id")]
    assert np.abs(np.array(importance) - ledger.importance()).sum() < 2e-6
