"""Partitions of a process are settled as one book, whichever of them are in it."""

import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from support.partitions import COMPARED, Partitions, crawled_alone, random_web

from minicrawl.cluster.settling import Settling, certificate
from minicrawl.sizes import Sizes

pytestmark = pytest.mark.slow


def settled(partitions: Partitions, processes: Sequence[Sequence[int]], error: float) -> int:
    """Settle the partitions of each process together, and let all hand over. Returns the number of rounds."""
    settling = [Settling() for _ in processes]
    for rounds in range(500):
        for numbers, one in zip(processes, settling, strict=True):
            intakes = [partitions.open[number] for number in numbers]
            for number in numbers:
                partitions.commit(number)
            was_settled = one.visit(intakes, error)
            for intake in intakes:
                assert intake.state.mirrors is not None
                intake.state.mirrors.hands_over_all = not was_settled
        if not partitions.exchange():
            for one in settling:
                one.close()
            return rounds
    raise AssertionError("not settled after 500 rounds")


@pytest.mark.parametrize("links", [Sizes().links, 3], ids=["joined", "kept-on-disk"])
@pytest.mark.parametrize("seed", range(2))
def test_partitions_of_one_process_find_what_one_crawl_finds(seed: int, links: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    web = random_web(rng)
    count = rng.randrange(2, 6)
    crawl = Partitions(tmp_path, web, list(web)[-3:], count)
    crawl.sizes = Sizes(links=links)
    with crawl as partitions:
        partitions.crawl()
        assert settled(partitions, [range(count)], 0.0) == 1, "all the cash goes in one row for a pair"
        assert partitions.faults() == []
        assert partitions.pages(COMPARED) == crawled_alone(tmp_path / "one.db", web, list(web)[-3:])


@pytest.mark.parametrize("seed", range(2))
def test_processes_hand_over_to_each_other_until_all_is_settled(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    web = random_web(rng)
    with Partitions(tmp_path, web, list(web)[-3:], 5) as partitions:
        partitions.crawl()
        assert settled(partitions, [(0, 3), (1,), (2, 4)], 1e-9) >= 1
        assert partitions.faults() == []
        assert certificate(list(partitions.open.values())) <= 1e-9


def test_links_are_read_again_when_some_have_changed(tmp_path: Path) -> None:
    """Pages are read again, and link elsewhere, between two rankings by the same process."""
    rng = random.Random(3)
    web = random_web(rng)
    urls = list(web)
    with Partitions(tmp_path, web, urls[-3:], 3, discovery=0.5) as partitions:
        settling = Settling()
        for _ in range(4):
            for number in partitions.numbers:
                for _ in range(12):
                    partitions.turn(number)
            while partitions.exchange():
                pass
            settling.visit(list(partitions.open.values()), 0.0)
            for number in partitions.numbers:
                partitions.commit(number)
            assert partitions.faults() == []
            web[rng.choice(urls)] = rng.choices(urls, k=3)
        settling.close()
