"""minicrawl top"""

import csv
import json
from pathlib import Path

import pytest
from support.command_line import HOME, answer, run
from support.shops import SITE, A
from support.sites import Server, Site, crawl, crawled_once, rows, wide_site

from minicrawl.analysis.top import best_of_sites
from minicrawl.store.reader import open_store


def test_top_as_json_is_the_order_of_the_export(store: Path, tmp_path: Path) -> None:
    top = json.loads(run("top", "--where", "1", "--n", "100", "--json", "--store", store).stdout)
    file = tmp_path / "ranks.csv"
    assert run("export", file, "--store", store).output == f"5 pages written to {file}\n"
    with file.open(newline="") as lines:
        exported = list(csv.DictReader(lines))
    head = "rank,url,importance,history,cash,depth,status,inlinks,outlinks,fetched_at,title"
    assert file.read_text().startswith(head)
    assert [page["url"] for page in top] == [page["url"] for page in exported]
    assert sum(float(page["importance"]) for page in exported) == pytest.approx(1.0)


def test_top_shows_what_can_be_opened_and_says_what_it_leaves_out(store: Path) -> None:
    whole = run("top", "--where", "1", "--store", store).output.splitlines()
    *shown, last = run("top", "--store", store).output.splitlines()
    assert shown == [line for line in whole if " error " not in line and " alias " not in line]
    assert len(shown) < len(whole)
    left_out = "2 pages that were not read (error 1, alias 1)"
    assert last == f"Not shown: {left_out}; see 'minicrawl top --where 1 --store {store}'."


def test_top_counts_copies_beside_the_page(tmp_path: Path) -> None:
    text = " ".join(f"word{number}" for number in range(80))
    site: Site = {HOME: ["/a", "/b"], HOME + "a": ["<p>" + text, HOME], HOME + "b": ["<p>" + text, HOME]}
    crawl(site, tmp_path / "crawl.db", [HOME])
    _, _, line, last = run("top", "--store", tmp_path / "crawl.db").output.splitlines()
    assert line.endswith("http://a.test/a  (1 more like this)")
    store = tmp_path / "crawl.db"
    assert last == f"Not shown: 1 like one of these; see 'minicrawl top --where 1 --store {store}'."
    _, page = answer("top", "--store", tmp_path / "crawl.db")
    assert page["alike"] == [HOME + "b"]


def test_by_cash_pages_that_wait_are_shown(tmp_path: Path) -> None:
    crawl({HOME: ["/a", "/b"]}, tmp_path / "crawl.db", [HOME], pages=1)
    assert {page["state"] for page in answer("top", "--by", "cash", "--store", tmp_path / "crawl.db")} >= {"waiting"}


def test_it_says_by_what_pages_are_ordered_and_what_that_rests_on(tmp_path: Path) -> None:
    stopped = tmp_path / "stopped.db"
    site, seeds = wide_site(3)
    crawl(site, stopped, seeds, pages=40)
    ((known,),) = rows(stopped, "SELECT count(*) FROM pages")
    lines = run("top", "--n", "3", "--store", stopped).output.splitlines()
    assert lines[0].split() == ["rank", "importance", "inlinks", "state", "url"]
    assert lines[4] == f"Ordered by importance, for the links found so far: 40 of {known} known pages read."


# Sites for people.


shops = crawled_once(SITE, [A], jump="pages")


def test_sites_as_a_table(shops: Path) -> None:
    lines = run("top", "--sites", "--n", "1", "--store", shops).output.splitlines()
    assert lines[0].split() == ["importance", "known", "read", "linking", "domains", "site"]
    assert (lines[1].split()[1:], len(lines)) == (["4", "4", "2", "shop.co.uk"], 2)


def test_where_walkers_jump_to_sites_they_are_by_trust_with_who_trusts_them(tmp_path: Path) -> None:
    first, second, third = (f"http://{name}.test/" for name in ("first", "second", "third"))
    site = {first: [second, first + "1"], second: [first, third], third: [], first + "1": []}
    crawl(site, tmp_path / "crawl.db", [first], jump="sites")
    table, said = run("top", "--sites", "--store", tmp_path / "crawl.db").output.split("\n\n")
    assert said.startswith("Trust: of walkers who start at the seeds' sites")
    head, *lines = table.splitlines()
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


def test_a_trusted_site_without_a_page_gives_its_line_to_the_next(tmp_path: Path) -> None:
    seeds = [f"http://s{number}.test/" for number in range(12)]
    server = Server({seed: [] for seed in seeds}, beside={f"{seeds[0]}robots.txt": 500})
    crawl(server, tmp_path / "crawl.db", seeds, jump="sites")
    with open_store(tmp_path / "crawl.db") as store:
        assert [best.url for best in best_of_sites(store, 10)] == seeds[1:11]
