"""Partitions of a crawl judge the hosts that are theirs, and read what one process reads."""

from pathlib import Path

import pytest
from support.made_webs import MADE
from support.made_webs.divided import DividedWeb

SITES = {"wiki.test": "wiki", "files.test": "index_sorted", "few.test": "three_links", "years.test": "rankings_by_year"}


def crawled(folder: Path, count: int, kills: bool = False) -> tuple[set[str], int]:
    """URLs of the wanted pages that were read, and the number of all requests."""
    with DividedWeb(folder, {host: MADE[name](0) for host, name in SITES.items()}, count) as web:
        if kills:
            for number in [*web.numbers] * 3:
                for _ in range(9):
                    web.turn(number)
                web.exchange()
                web.turn(number)
                web.kill(number)
                web.start(number)
        web.crawl()
        assert web.faults() == []
        read = {url for url, (state,) in web.pages("state").items() if state in ("fetched", "alias")}
        return web.hosts.wanted & read, len(web.hosts.asked)


def test_four_partitions_read_what_one_reads(tmp_path: Path) -> None:
    alone, asked_alone = crawled(tmp_path / "one", 1)
    divided, asked = crawled(tmp_path / "four", 4)
    wanted = sum(len(MADE[name](0).wanted) for name in SITES.values())
    assert len(alone) == wanted
    assert divided == alone
    assert asked == pytest.approx(asked_alone, rel=0.1)


def test_partitions_that_are_killed_lose_nothing(tmp_path: Path) -> None:
    alone, _ = crawled(tmp_path / "one", 1)
    killed, _ = crawled(tmp_path / "four", 4, kills=True)
    assert killed == alone
