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


@pytest.mark.parametrize(("partitions", "length"), [(2, 2), (2, 3), (3, 3), (2, 7), (3, 9)])
def test_loop_of_redirects_over_partitions_ends(partitions: int, length: int, tmp_path: Path) -> None:
    urls = hosts_by_turns(partitions, length)
    web: Web = {url: urls[(at + 1) % length] for at, url in enumerate(urls)}
    with Partitions(tmp_path, web, urls[:1], partitions) as crawl:
        crawl.crawl()
        assert crawl.settle(1e-6) <= 12 + MAX_HOPS
        assert crawl.faults() == []
        pages = crawl.pages("state, reason")
    assert set(pages) == set(urls)
    assert {reason for state, reason in pages.values() if state == "error"} == {"redirect-chain"}
