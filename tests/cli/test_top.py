"""minicrawl top"""

import csv
import json
from pathlib import Path

import pytest
from support.command_line import HOME, answer, run
from support.sites import Site, crawl, rows, wide_site


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
    assert last == "Not shown: 2 pages that were not read (error 1, alias 1); see --where 1."


def test_top_counts_copies_beside_the_page(tmp_path: Path) -> None:
    text = " ".join(f"word{number}" for number in range(80))
    site: Site = {HOME: ["/a", "/b"], HOME + "a": ["<p>" + text, HOME], HOME + "b": ["<p>" + text, HOME]}
    crawl(site, tmp_path / "crawl.db", [HOME])
    _, _, line, last = run("top", "--store", tmp_path / "crawl.db").output.splitlines()
    assert line.endswith("http://a.test/a  (1 more like this)")
    assert last == "Not shown: 1 like one of these; see --where 1."
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
