"""minicrawl top"""

import csv
import json
import re
from pathlib import Path

import pytest
from support.command_line import HOME, answer, run
from support.sites import Site, crawl, rows, wide_site


def test_top_as_json_is_the_order_of_the_export(store: Path, tmp_path: Path) -> None:
    top = json.loads(run("top", "--all", "--n", "100", "--json", "--store", store).stdout)
    file = tmp_path / "ranks.csv"
    assert run("export", file, "--store", store).output == f"5 pages written to {file}\n"
    with file.open(newline="") as lines:
        exported = list(csv.DictReader(lines))
    head = "rank,url,importance,history,cash,depth,status,inlinks,outlinks,fetched_at,title"
    assert file.read_text().startswith(head)
    assert [page["url"] for page in top] == [page["url"] for page in exported]
    assert sum(float(page["importance"]) for page in exported) == pytest.approx(1.0)


def test_top_shows_what_can_be_opened_and_says_what_it_leaves_out(store: Path) -> None:
    whole = run("top", "--all", "--store", store).output.splitlines()
    *shown, last = run("top", "--store", store).output.splitlines()
    assert shown == [line for line in whole if " error " not in line and " alias " not in line]
    assert len(shown) < len(whole)
    assert last == "Not shown: 2 pages that were not read (error 1, alias 1); see --all."


def test_top_counts_copies_beside_the_page(tmp_path: Path) -> None:
    text = " ".join(f"word{number}" for number in range(80))
    site: Site = {HOME: ["/a", "/b"], HOME + "a": ["<p>" + text, HOME], HOME + "b": ["<p>" + text, HOME]}
    crawl(site, tmp_path / "crawl.db", [HOME])
    _, _, line, last = run("top", "--store", tmp_path / "crawl.db").output.splitlines()
    assert line.endswith("http://a.test/a  (1 more like this)")
    assert last == "Not shown: 1 like one of these; see --all."
    _, page = answer("top", "--store", tmp_path / "crawl.db")
    assert page["alike"] == [HOME + "b"]


def test_by_cash_pages_that_wait_are_shown(tmp_path: Path) -> None:
    crawl({HOME: ["/a", "/b"]}, tmp_path / "crawl.db", [HOME], pages=1)
    assert {page["state"] for page in answer("top", "--by", "cash", "--store", tmp_path / "crawl.db")} >= {"waiting"}


def test_why_says_who_links_to_each_page(store: Path) -> None:
    _, *lines = run("top", "--why", "--store", store).output.splitlines()
    pages = answer("top", "--why", "--store", store)
    for line, why, page in zip(lines[::2], lines[1::2], pages, strict=False):
        assert page["url"] in line
        linking = page["why"]["pages"]
        assert linking == page["inlinks"]
        share = f"{page['why']['most_share']:.0%}"
        assert why.strip().startswith("1 page links to it" if linking == 1 else f"{linking} pages link to it")
        assert re.search("; the largest part comes (from|through) ", why)
        assert f" {page['why']['most_by']} ({share})" in why
    assert any("of them from 1 other site;" in why for why in lines[1::2])


def test_hubs_are_an_order_of_their_own(tmp_path: Path) -> None:
    site: Site = {HOME: ["/contents"], HOME + "contents": ["/a", "/b", HOME]}
    site |= {HOME + page: ["/contents"] for page in "ab"}
    crawl(site, tmp_path / "crawl.db", [HOME])
    head, first, *_ = run("top", "--hubs", "--why", "--store", tmp_path / "crawl.db").output.splitlines()
    assert head.split() == ["rank", "importance", "hub", "inlinks", "state", "url"]
    assert first.endswith(HOME + "contents")
    pages = answer("top", "--hubs", "--n", "2", "--store", tmp_path / "crawl.db")
    assert pages[0]["value"] > pages[1]["value"]
    for words, way_out in {("--all",): "leave out --all", ("--by", "cash"): "leave out --by cash"}.items():
        result = run("top", "--hubs", *words, "--store", tmp_path / "crawl.db")
        assert (result.exit_code, result.stderr) == (2, f"Error: --hubs is an order of its own; {way_out}\n")


def test_it_says_by_what_pages_are_ordered_and_what_that_rests_on(tmp_path: Path) -> None:
    stopped = tmp_path / "stopped.db"
    site, seeds = wide_site(3)
    crawl(site, stopped, seeds, pages=40)
    ((known,),) = rows(stopped, "SELECT count(*) FROM pages")
    lines = run("top", "--n", "3", "--store", stopped).output.splitlines()
    assert lines[0].split() == ["rank", "importance", "inlinks", "state", "url"]
    assert lines[4] == f"Ordered by importance, of the links found so far: 40 of {known} known pages read."


def test_columns_are_those_that_are_named(store: Path) -> None:
    pages = answer("top", "--store", store)
    names = ["rank", "url", "importance", "bytes", "title"]
    rows_ = answer("top", "--columns", ",".join(names), "--store", store)
    assert [list(row) for row in rows_] == [names] * len(pages)
    assert [(row["url"], row["rank"]) for row in rows_] == [(page["url"], page["rank"]) for page in pages]
    head, *lines = run("top", "--columns", ",".join(names), "--store", store).output.splitlines()
    assert head.split() == names
    assert [line.split()[:2] for line in lines[: len(pages)]] == [[str(row["rank"]), row["url"]] for row in rows_]
    assert lines[-1].startswith("Not shown: ")
    assert "\x1b" not in "".join(lines)


def test_named_columns_go_with_hubs_and_not_with_what_has_lines_of_its_own(store: Path) -> None:
    (first, *_) = answer("top", "--hubs", "--columns", "url,hub", "--store", store)
    assert first["hub"] > 0
    for words, sentence in (
        (["--why"], "--columns and --why do not go together"),
        (["--sites"], "--columns is about pages"),
        (["--columns", "titel"], "not 'titel': is it 'title'?"),
    ):
        result = run("top", "--columns", "url", *words, "--store", store)
        assert (result.exit_code, sentence in result.stderr) == (2, True)
