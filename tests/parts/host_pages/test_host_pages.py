"""Limits of pages for each host: what is requested, left out, and told."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.command_line import run
from support.partition_twins import THREE, twins
from support.sites import Server, Site, crawl, rows

A, B = "http://a.test/", "http://b.test/"
PAGES = [f"{A}{name}" for name in ("one", "two", "three", "four", "five", "six")]
SITE: Site = {A: [*PAGES, B], **{page: [A] for page in PAGES}, B: [f"{B}x"], f"{B}x": [B]}


def asked(server: Server, host: str) -> list[str]:
    return [url for url in server.asked if url.startswith(host) and not url.endswith("robots.txt")]


@pytest.mark.parametrize("at_once", [1, 4])
def test_each_host_has_as_many_pages_requested_as_it_may(tmp_path: Path, at_once: int) -> None:
    store = tmp_path / "crawl.db"
    report, server = crawl(SITE, store, [A], host_pages=3, per_host=at_once)
    assert (len(asked(server, A)), len(asked(server, B))) == (3, 2)
    assert report.failures == {"host-pages": 4}
    told = run("status", "--store", store).stdout
    assert "--host-pages has left out 4 pages" in told
    assert "its host has as many pages as --host-pages allows" in run("why", PAGES[-1], "--store", store).stdout
    assert run("links", "--broken", "--store", store).stdout == "No link matches.\n"


def test_a_limit_that_no_host_reaches_leaves_nothing_out(tmp_path: Path) -> None:
    report, server = crawl(SITE, tmp_path / "crawl.db", [A], host_pages=7)
    assert (len(asked(server, A)), len(asked(server, B)), report.failures) == (7, 2, {})
    assert "host-pages" not in run("status", "--store", tmp_path / "crawl.db").stdout


def test_a_limit_holds_for_all_runs_and_a_higher_one_is_used_by_retry(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    given: list[dict[str, Any]] = [
        {"host_pages": 2, "pages": 1}, {}, {"host_pages": 5}, {"host_pages": 5, "retry": "host-pages"}
    ]  # fmt: skip
    answered = list[tuple[int]]()
    for settings in given:
        crawl(SITE, store, [] if answered else [A], **settings)
        answered += rows(store, "SELECT count(*) FROM pages WHERE fetch IS NOT NULL AND url LIKE 'http://a.%'")
    assert [count for (count,) in answered] == [1, 2, 2, 5]


def test_pages_that_robots_txt_forbids_take_no_place(tmp_path: Path) -> None:
    rules = "User-agent: *\nDisallow: /one\nDisallow: /two\nDisallow: /three"
    _, server = crawl(Server(SITE, rules), tmp_path / "crawl.db", [A], host_pages=4)
    assert len(asked(server, A)) == 4


def test_seeds_are_requested_whatever_the_limit_is_and_pages_that_were_read_again(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    _, server = crawl(SITE, store, PAGES[:4], host_pages=2)
    assert len(asked(server, A)) == 4
    _, server = crawl(SITE, store, [], discovery=0.0, pages=20)
    assert set(asked(server, A)) == set(PAGES[:4])


def test_status_of_a_folder_counts_those_of_all_partitions(tmp_path: Path) -> None:
    folder = twins(tmp_path, THREE)[1]
    changed = "UPDATE pages SET state = 'error', reason = 'host-pages' WHERE state = 'fetched'"
    pages = list[int]()
    for store in folder.glob("*.db"):
        with closing(sqlite3.connect(store)) as db, db:
            pages.append(db.execute(changed).rowcount)
    assert sum(pages) > max(pages) > 0
    assert f"--host-pages has left out {sum(pages)} pages\n" in run("status", "--store", folder).stdout
