"""The ranking of all partitions against exact PageRank of all their links."""

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import astuple
from pathlib import Path

import pytest
from support.partitions import Partitions, crawled_alone, random_web
from support.sites import rows

from minicrawl.analysis.verify import Verification, verify
from minicrawl.cluster.reading.verification import verify_all
from minicrawl.errors import StoreError
from minicrawl.opic.ledger import SETTLED_ERROR
from minicrawl.store.reader import open_store

SEEDS = range(4)


@contextmanager
def some_partitions(folder: Path, seed: int) -> Iterator[Partitions]:
    web = random_web(random.Random(seed))
    with Partitions(folder, web, list(web)[:3], 1 + seed % 3) as partitions:
        yield partitions


def verified(partitions: Partitions) -> Verification:
    with ExitStack() as stack:
        return verify_all([stack.enter_context(open_store(store)) for store in partitions.stores])


@pytest.mark.parametrize("seed", SEEDS)
def test_what_all_have_settled_is_exact_as_it_would_be_in_one_process(tmp_path: Path, seed: int) -> None:
    with some_partitions(tmp_path, seed) as partitions:
        partitions.crawl()
        partitions.settle()
        found = verified(partitions)
        crawled_alone(tmp_path / "alone.db", partitions.web, partitions.seeds, SETTLED_ERROR)
    with open_store(tmp_path / "alone.db") as store:
        alone = verify(store)
    same = ("known", "read", "aliases", "links", "top")
    assert [getattr(found, name) for name in same] == [getattr(alone, name) for name in same]
    assert found.stored.l1 < 2 * SETTLED_ERROR + found.rounding
    assert found.excess() <= 0
    assert found.settled.overlap == 1.0
    assert astuple(found.inlinks) == pytest.approx(astuple(alone.inlinks), nan_ok=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_at_any_moment_what_is_on_its_way_counts_and_settles_to_what_is_exact(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    on_its_way = 0
    with some_partitions(tmp_path, seed) as partitions:
        for _ in range(6):
            for _ in range(12):
                partitions.turn(rng.choice(partitions.numbers))
            for source in partitions.numbers:
                partitions.commit(source)
            for source in partitions.numbers:
                for home in partitions.outbox(source).homes():
                    if rng.random() < 0.5:
                        partitions.take(home, source, partitions.outbox(source).rows(home)[:1])
            for number in partitions.numbers:
                partitions.commit(number)
            assert partitions.faults() == []
            found = verified(partitions)
            assert found.excess() <= 0
            assert found.settled.l1 < SETTLED_ERROR + found.rounding
            on_its_way += sum(len(rows(store, "SELECT 1 FROM outbox")) for store in partitions.stores)
    assert on_its_way or len(partitions.stores) == 1


def test_accounts_that_are_not_those_of_the_links_are_found(tmp_path: Path) -> None:
    with some_partitions(tmp_path, 1) as partitions:
        partitions.crawl()
        partitions.settle()
    rows(partitions.stores[1], "UPDATE pages SET received = received * 2 WHERE state = 'fetched'")
    assert verified(partitions).excess() > 1e-3


def test_a_crawl_that_has_read_nothing_is_one_sentence(tmp_path: Path) -> None:
    with some_partitions(tmp_path, 2) as partitions:
        for number in partitions.numbers:
            partitions.commit(number)
        with pytest.raises(StoreError, match="no page of this crawl has been read yet"):
            verified(partitions)
