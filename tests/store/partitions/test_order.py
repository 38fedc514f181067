"""Pages of all partitions come in one order, however few rows of each are in memory."""

import random
from itertools import islice, pairwise
from pathlib import Path

import pytest
from support.partition_twins import twins
from support.partitions import random_web
from support.sites import rows

from minicrawl.settings import RANKINGS
from minicrawl.store.reader import open_store


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    file, folder = twins(tmp_path_factory.mktemp("crawls"), random_web(random.Random(8), pages=300, hosts=30))
    for store in (file, *folder.glob("*.db")):
        rows(store, "INSERT INTO rankings SELECT 'length', id, length(url) FROM pages WHERE id % 3 <> 1")
    return file, folder


@pytest.mark.parametrize("by", RANKINGS)
def test_it_is_that_of_sorting_all_rows(crawls: tuple[Path, Path], by: str) -> None:
    with open_store(crawls[1]) as store:
        found = list(store.ranks.best_first(by))
        numbers = [number for number, *_ in found]
        assert sorted(numbers) == list(range(store.size()))
        key = {number: (-getattr(row, by), -row.importance, number) for number, row, _ in found}
        assert numbers == sorted(numbers, key=key.__getitem__)
        assert store.page_table.urls_of(numbers) == {number: row.url for number, row, _ in found}
        assert list(islice(store.ranks.best_first(by), 5)) == found[:5]
        ranks = [row.rank for row in store.ranks.numbered()]
        assert [row.rank for row in store.ranks.pages(by)] == [ranks[number] for number in numbers]


def test_the_first_are_those_of_one_store(crawls: tuple[Path, Path]) -> None:
    with open_store(crawls[0]) as one, open_store(crawls[1]) as all_of_them:
        worth = {page.url: page.importance for page in one.pages("importance")}
        first = [page.url for page in all_of_them.pages("importance", 100)]
        for better, worse in pairwise(first):
            assert worth[better] >= worth[worse] - 1e-6
        assert first[:20] == [page.url for page in one.pages("importance", 20)]


def test_a_kept_ranking_has_its_pages_alone(crawls: tuple[Path, Path]) -> None:
    with open_store(crawls[1]) as store:
        found = [(value, len(row.url)) for _, row, value in store.ranks.best_first("length")]
    there = sum(
        len(rows(path, "SELECT 1 FROM pages JOIN rankings ON page = id WHERE state <> 'elsewhere'"))
        for path in crawls[1].glob("*.db")
    )
    assert len(found) == there
    assert found == sorted(found, reverse=True)
    assert all(value == length for value, length in found)
