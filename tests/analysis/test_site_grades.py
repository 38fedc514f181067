"""Which sites are worth an archive, on a web whose sites differ by what links to them."""

from pathlib import Path

import pytest
from support.sites import Site, crawl

from minicrawl.analysis.site_grades import Agreement, GradedSite, agreements, graded_sites, read_votes
from minicrawl.analysis.sites import best_sites
from minicrawl.errors import SettingError
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
        crawl(site, store, [HOME], traps=False, probe=False)
    with open_store(store) as reader:
        return graded_sites(reader, "site", 4, most)


def test_sites_are_graded_by_importance_as_many_to_each_grade(sites: list[GradedSite]) -> None:
    assert [one.site for one in sites] == ["home.test", *reversed(NAMES)]
    assert [one.grade for one in sites] == [4, 4, 3, 3, 2, 2, 1, 1]
    assert [one.pages for one in sites] == [65, *[1] * 7]
    assert all(one.is_selected for one in sites)
    assert sites[1].bytes == len(f'<a href="{HOME}">to</a>')


def test_projects_of_a_shared_domain_are_sites_as_in_every_list(tmp_path: Path) -> None:
    names = [f"p{number}.readthedocs.io" for number in range(51)]
    site: Site = {HOME: [f"http://{name}/" for name in names]} | {f"http://{name}/": [HOME] for name in names}
    crawl(site, tmp_path / "crawl.db", [HOME], traps=False, probe=False)
    (tmp_path / "votes.csv").write_text("site,anna\n" + "".join(f"http://{name}/en,1\n" for name in names))
    with open_store(tmp_path / "crawl.db") as reader:
        graded, listed = graded_sites(reader, "site", 4), best_sites(reader, "site")
    assert {one.site for one in graded} == {one.site for one in listed} == {"home.test", *names}
    assert read_votes(tmp_path / "votes.csv", "site", 4).grades.keys() == set(names)


def test_the_most_important_sites_that_fit_are_selected(sites: list[GradedSite], tmp_path: Path) -> None:
    small = sites[1].bytes
    fitting = graded(tmp_path, 3 * small)
    assert [one.site for one in fitting if one.is_selected] == ["g.test", "f.test", "e.test"]


def test_librarians_and_importance_agree_as_often_as_can_be_derived(tmp_path: Path) -> None:
    """Two grades, eight sites, and the most important one has grade 1 by all; anna is silent of two, ben wrong of two.

    Of three who say 2 2 1 the mean is 5/3, which is 2; of two who say 2 1 it is 3/2, which is 2 as well. Importance is
    wrong of the first site and of the least one with grade 2, see tests/rank/test_grades.py.
    """
    importance = [100.0, 1.1, 1.2, 1.3, 10.0, 11.0, 12.0, 13.0]
    sites = [GradedSite(f"{number}.test", 1, one, 1, 1, True) for number, one in enumerate(importance)]
    votes = [(1, 1, 1), ("", 1, 1), (1, 1, 1), (1, 1, 1), ("", 1, 2), (2, 2, 2), (2, 1, 2), (2, 2, 2)]
    lines = [f"http://www.{number}.test/a,{anna},{ben},{carl}" for number, (anna, ben, carl) in enumerate(votes)]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(["site,anna,ben,carl", *lines, "elsewhere.test,1,1,1", "silent.test,,,"]) + "\n")
    assert agreements(sites, read_votes(path, "site", 2), 2) == [
        Agreement("anna", 1.0, 6),
        Agreement("ben", 6 / 8, 8),
        Agreement("carl", 1.0, 8),
        Agreement("importance", 6 / 8, 8),
    ]


WRONG = {
    "empty": ("", "takes a head such as"),
    "too high": ("site,anna\na.test,5\n", "or nothing, not '5'"),
    "no number": ("site,anna\na.test,good\n", "not 'good'"),
    "no site": ("site,anna\nhttp://[,1\n", r"a line for 'http://\[', which is no site"),
    "in two lines": ("site,anna\na.test,1\nwww.a.test,2\n", "a.test in two lines"),
}


@pytest.mark.parametrize(("text", "sentence"), WRONG.values(), ids=WRONG.keys())
def test_a_file_that_is_wrong_is_a_sentence(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text(text)
    with pytest.raises(SettingError, match=sentence):
        read_votes(tmp_path / "votes.csv", "site", 4)


def test_votes_for_no_known_site_are_a_sentence(sites: list[GradedSite], tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text("site,anna\nelsewhere.test,1\n")
    with pytest.raises(SettingError, match="no site that is in the store"):
        agreements(sites, read_votes(tmp_path / "votes.csv", "site", 4), 4)
