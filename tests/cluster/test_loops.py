"""Pages that stand for one another over several partitions: no partition sees the loop, and all see the end of it."""

from pathlib import Path

import pytest
from support.partitions import Partitions, Web

from minicrawl.cluster.homes import Homes
from minicrawl.crawler.outcomes.outcome import MAX_HOPS


def hosts_by_turns(partitions: int, count: int) -> list[str]:
    """So many hosts, their homes by turns 0, 1, 2 ..."""
    homes = Homes(partitions, b"a secret")
    found: list[list[str]] = [[] for _ in range(partitions)]
    number = 0
    while min(map(len, found)) * partitions < count:
        url = f"http://h{number}.test/"
        found[homes.home_of(url)].append(url)
        number += 1
    return [found[at % partitions][at // partitions] for at in range(count)]


def crawled(folder: Path, web: Web, seeds: list[str], count: int) -> tuple[dict[str, tuple[object, ...]], int]:
    with Partitions(folder, web, seeds, count) as partitions:
        partitions.crawl()
        exchanges = partitions.settle(1e-6)
        assert partitions.faults() == []
        return partitions.pages("state, reason, cash"), exchanges


@pytest.mark.parametrize(("partitions", "length"), [(2, 2), (2, 3), (3, 3), (2, 7), (3, 9)])
def test_loop_of_redirects_over_partitions_ends(partitions: int, length: int, tmp_path: Path) -> None:
    urls = hosts_by_turns(partitions, length)
    web = {url: urls[(at + 1) % length] for at, url in enumerate(urls)}
    pages, exchanges = crawled(tmp_path, web, urls[:1], partitions)
    assert set(pages) == set(urls)
    assert {reason for state, reason, _ in pages.values() if state == "error"} == {"redirect-chain"}
    assert sum(state == "error" for state, _, _ in pages.values()) >= 1
    assert exchanges <= 12 + MAX_HOPS
