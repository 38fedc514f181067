"""Sites for people."""

from pathlib import Path

import pytest
from command_line import answer, run
from shops import SITE, A, B
from sites import crawl, rows


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    crawl(SITE, path, [A])
    return path


def test_sites_are_registrable_domains(store: Path) -> None:
    """The shop's two hosts are one; its alias and the page not found are known, but the latter was not read."""
    importance = dict(rows(store, "SELECT url, importance FROM ranks"))
    found = answer("top", "--sites", "--store", store)
    by_name = {row["site"]: row for row in found}
    assert by_name.keys() == {"shop.co.uk", "forum.test", "news.example"}
    shop = by_name["shop.co.uk"]
    assert shop["importance"] == pytest.approx(importance[A] + importance[A + "cart"] + importance[B])
    assert {name: (row["known"], row["read"], row["linking_domains"]) for name, row in by_name.items()} == {
        "shop.co.uk": (4, 4, 2), "forum.test": (1, 1, 2), "news.example": (2, 1, 1)
    }  # fmt: skip
    assert [row["importance"] for row in found] == sorted((row["importance"] for row in found), reverse=True)


def test_sites_as_a_table(store: Path) -> None:
    lines = run("top", "--sites", "--n", "1", "--store", store).output.splitlines()
    assert lines[0].split() == ["importance", "pagerank", "known", "read", "linking", "domains", "site"]
    assert (lines[1].split()[2:], len(lines)) == (["4", "4", "2", "shop.co.uk"], 2)
    assert run("rank", "--by", "sites", "--store", store).output.splitlines()[0] == lines[0]


def test_sites_are_not_ordered_by_anything_else(store: Path) -> None:
    result = run("top", "--sites", "--by", "cash", "--store", store)
    assert (result.exit_code, "leave out --sites or --by cash" in result.stderr) == (2, True)
