"""The live crawl and a plain loop over the same graph drive the papers' algorithm to the same end."""

from pathlib import Path

import numpy as np
import pytest
from support.plain import plain_loop
from support.sites import crawl, random_site, rows

from minicrawl.opic import GRANT, STRATEGIES, Adaptive, Basic, seed_grant
from minicrawl.opic.anticipated import key, rate
from minicrawl.opic.strategy import Greedy

# Anticipated cash depends on hosts, which the plain loop does not have: it has a loop of its own below.
WITHOUT_HOSTS = sorted(name for name, strategy in STRATEGIES.items() if not strategy.anticipates)


@pytest.mark.parametrize("strategy", WITHOUT_HOSTS)
@pytest.mark.parametrize("seed", range(4))
def test_crawl_and_plain_loop_visit_the_same_pages_in_the_same_order_with_the_same_cash(
    tmp_path: Path, seed: int, strategy: str
) -> None:
    site, seeds = random_site(seed)
    visits, cash, _ = plain_loop(site, seeds, strategy)
    store = tmp_path / "crawl.db"
    _, server = crawl(site, store, seeds, strategy=strategy, jump="pages", ignore_robots=True)
    assert server.asked == visits
    assert dict(rows(store, "SELECT url, cash FROM ranks")) == cash


@pytest.mark.parametrize("seed", range(4))
def test_ledger_of_the_crawl_settles_to_that_of_the_plain_loop(tmp_path: Path, seed: int) -> None:
    site, seeds = random_site(seed)
    visits, _, ledger = plain_loop(site, seeds, "greedy")
    store = tmp_path / "crawl.db"
    crawl(site, store, seeds, jump="pages")
    number = {url: page for page, url in rows(store, "SELECT id, url FROM pages")}
    for _ in range(200):
        for url in visits:
            links = [number[target] for target in dict.fromkeys(site[url]) if target != url]
            ledger.visit(number[url], np.array(links, dtype=np.int32), np.array(links, dtype=np.int32))
    importance = [value for (value,) in rows(store, "SELECT importance FROM ranks ORDER BY id")]
    assert np.abs(np.array(importance) - ledger.importance()).sum() < 2e-6


def anticipated_loop(links: list[list[int]], seeds: list[int], hosts: list[int]) -> list[int]:
    """The pages in the order by anticipated cash; everything but cash is counted anew from the list of visits."""
    book = Adaptive(Basic())
    known = list(seeds)
    seeded = seed_grant(Greedy(), book, len(seeds))
    book.discover([seeded] * len(seeds))
    sent: list[tuple[int, int, int]] = []  # from, to, cash
    read: dict[int, int] = {}  # what each visit spent

    def rate_now(host: int) -> float:
        waiting = sum(book.cash(known.index(each)) for each in known if each not in read and hosts[each] == host)
        spent = [cash for each, cash in read.items() if hosts[each] == host]
        came = sum(cash for source, target, cash in sent if hosts[target] == host and is_foreign(source, target))
        came += seeded * sum(hosts[seed] == host for seed in seeds)
        return rate(waiting, sum(spent), came, len(spent))

    def is_foreign(source: int, target: int) -> bool:
        return hosts[source] != hosts[target]

    def key_of(page: int, by: float) -> int:
        came = sum(cash for source, target, cash in sent if target == page and is_foreign(source, target))
        return key(book.cash(known.index(page)), came, by)

    while waiting := [each for each in known if each not in read]:
        best: dict[int, int] = {}
        for page in waiting:
            host = hosts[page]
            if host not in best or book.cash(known.index(page)) > book.cash(known.index(best[host])):
                best[host] = page
        page = max(best.values(), key=lambda each: (key_of(each, rate_now(hosts[each])), -known.index(each)))
        new = [target for target in links[page] if target not in known]
        book.discover([GRANT] * len(new))
        known += new
        outlinks = np.array([known.index(target) for target in links[page]], dtype=np.int32)
        visit = book.visit(known.index(page), outlinks)
        read[page] = visit.cash
        sent += [(page, target, int(np.max(visit.each))) for target in links[page]]
    return list(read)


@pytest.mark.parametrize("seed", range(4))
def test_order_by_anticipated_cash_is_that_of_a_slow_loop(tmp_path: Path, seed: int) -> None:
    """One request at a time and without delay; every host is a site of its own."""
    site, seeds = random_site(seed, pages=60, hosts=6)
    settings = {"strategy": "anticipated", "ignore_robots": True, "merge_duplicates": False, "probe": False}
    _, server = crawl(site, tmp_path / "crawl.db", seeds, **settings)
    urls = list(site)
    number = {url: page for page, url in enumerate(urls)}
    links = [[number[url] for url in dict.fromkeys(site[page]) if url != page] for page in urls]
    hosts = [int(url.removeprefix("http://h").partition(".")[0]) for url in urls]
    assert [urls[page] for page in anticipated_loop(links, [number[url] for url in seeds], hosts)] == server.asked
