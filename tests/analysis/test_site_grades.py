"""Which sites are worth an archive, on a web whose sites differ by what links to them."""

from pathlib import Path

import pytest
from support.sites import Site, crawl

from minicrawl.analysis.sites import GradedSite, graded_sites
from minicrawl.store.reader import open_store

HOME = "http://home.test/"
NAMES = ["a.test", "b.test", "c.test", "d.test", "e.test", "f.test", "g.test"]


@pytest.fixture
def sites(tmp_path: Path) -> list[GradedSite]:
    return graded(tmp_path, None)


def graded(folder: Path, most: int | None) -> list[GradedSite]:
    """Sites of which each has twice as many links to it as the one before: pages of home lead there."""
    site: Site = {HOME: [f"/{number}" for number in range(64)]}
    for number in range(64):
        site[f"{HOME}{number}"] = [HOME, *(f"http://{name}/" for place, name in enumerate(NAMES) if number < 2**place)]
    site |= {f"http://{name}/": [HOME] for name in NAMES}
    store = folder / "crawl.db"
    if not store.exists():
        crawl(site, store, [HOME], traps=False)
    with open_store(store) as reader:
        return graded_sites(reader, "site", 4, most)


def test_sites_are_graded_by_importance_as_many_to_each_grade(sites: list[GradedSite]) -> None:
    assert [one.site for one in sites] == ["home.test", *reversed(NAMES)]
    assert [one.grade for one in sites] == [4, 4, 3, 3, 2, 2, 1, 1]
    assert [one.pages for one in sites] == [65, *[1] * 7]
    assert all(one.is_selected for one in sites)
    assert sites[1].bytes == len(f'<a href="{HOME}">to</a>')


def test_the_most_important_sites_that_fit_are_selected(sites: list[GradedSite], tmp_path: Path) -> None:
    small = sites[1].bytes
    fitting = graded(tmp_path, 3 * small)
    assert [one.site for one in fitting if one.is_selected] == ["g.test", "f.test", "e.test"]
