"""Pages ranked by their links in other ways than the crawl's."""

from pathlib import Path

import pytest
from support.sites import crawl, random_site, rows

from minicrawl.analysis.rankings.options import Options
from minicrawl.analysis.rankings.ranking import RANKERS, check_name, rankings
from minicrawl.errors import SettingError
from minicrawl.store.reader import open_store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rankings") / "crawl.db"
    site, seeds = random_site(3)
    crawl(site, path, seeds)
    return path


@pytest.mark.parametrize("by", sorted(RANKERS))
def test_every_ranking_has_a_value_per_page_and_ranks_no_alias(store: Path, by: str) -> None:
    options = Options(per="page", topic=("all=.",))
    with open_store(store) as reader:
        found = rankings(reader, by, options)
        best = found.best(reader, 5)
        assert all(len(values) == reader.size() for values in found.values.values())
    for pages, values in best.values():
        assert values == sorted(values, reverse=True)
        assert all(page.state != "alias" for page in pages)


def test_pagerank_is_the_importance_of_a_crawl_that_has_ended(store: Path) -> None:
    importance = dict(rows(store, "SELECT url, importance FROM ranks"))
    with open_store(store) as reader:
        pages, values = rankings(reader, "pagerank", Options()).best(reader, 10)["pagerank"]
    assert values == pytest.approx([importance[page.url] for page in pages], abs=1e-6)


@pytest.mark.parametrize("name", ["", "1st", "a b", "x" * 41, "importance", "url"])
def test_a_ranking_is_kept_by_a_name_that_no_column_has(name: str) -> None:
    with pytest.raises(SettingError, match="--save"):
        check_name(name)


def test_other_names_are_free() -> None:
    check_name("mine-2_b")
