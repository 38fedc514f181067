"""Sites for people."""

from pathlib import Path

import pytest
from support.command_line import answer, run
from support.shops import SITE, A
from support.sites import crawl, crawled_once

store = crawled_once(SITE, [A], jump="pages")


def test_sites_as_a_table(store: Path) -> None:
    lines = run("top", "--sites", "--n", "1", "--store", store).output.splitlines()
    assert lines[0].split() == ["importance", "known", "read", "linking", "domains", "site"]
    assert (lines[1].split()[1:], len(lines)) == (["4", "4", "2", "shop.co.uk"], 2)


def test_where_walkers_jump_to_sites_they_are_by_trust_with_who_trusts_them(tmp_path: Path) -> None:
    first, second, third = (f"http://{name}.test/" for name in ("first", "second", "third"))
    site = {first: [second, first + "1"], second: [first, third], third: [], first + "1": []}
    crawl(site, tmp_path / "crawl.db", [first], jump="sites")
    head, *lines = run("top", "--sites", "--store", tmp_path / "crawl.db").output.splitlines()
    assert head.split() == ["trust", "importance", "known", "read", "site"]
    assert [" ".join(line.split()[2:]) for line in lines] == [
        "2 2 first.test seed, trusted by 1 site, first second.test",
        "1 1 second.test trusted by 1 site, first first.test",
        "1 1 third.test trusted by 1 site, first second.test",
    ]
    found = answer("top", "--sites", "--store", tmp_path / "crawl.db")
    assert sum(row["trust"] for row in found) == pytest.approx(1.0)
    assert found[2].keys() >= {"site", "importance", "known", "read", "linking_domains"}
    assert [(row["trusted_by"], row["trusted_first"], row["is_seed"]) for row in found] == [
        (1, "second.test", True), (1, "first.test", False), (1, "second.test", False)
    ]  # fmt: skip


@pytest.mark.parametrize("count", [9, 10])
def test_crawl_of_many_sites_ends_with_the_most_trusted_and_the_best_page_of_each(tmp_path: Path, count: int) -> None:
    """The first links to all others, which link back, but the last; one inner page is named by seven others."""
    first, *others = (f"http://s{number}.test/" for number in range(count))
    site = {first: others, f"{others[0]}inner": []} | {home: [first, f"{others[0]}inner"] for home in others[:-1]}
    site |= {others[-1]: []}
    crawl(site, tmp_path / "crawl.db", [first], jump="sites")
    head, *lines = run("crawl", "--store", tmp_path / "crawl.db").stdout.split("\n\n")[1].splitlines()
    if count == 9:
        assert head.split()[0] == "rank"
        return
    assert head == "The most trusted sites, and the best page of each:"
    assert lines[0].split() == f"s0.test seed, trusted by 8 sites, first s1.test -> {first}".split()
    assert lines[1].split() == f"s1.test trusted by 8 sites, first s0.test -> {others[0]}inner".split()
