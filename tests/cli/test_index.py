"""minicrawl index"""

from pathlib import Path

from support.command_line import answer, run
from support.searching import page
from support.sites import crawl

A = "http://a.test/"
SITE = {A: page("Zebra", "stripes", (f"{A}x", "x")), f"{A}x": page("X", "y")}


def test_index_is_brought_up_to_the_store(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl(SITE, store, [A], text=True)
    assert run("index", "--store", store).stdout.startswith("2 texts taken in; the index has 2 pages, ")
    found = answer("index", "--store", store)
    assert (found["taken_in"], found["pages"]) == (0, 2)
    assert answer("index", "--rebuild", "--store", store)["taken_in"] == 2
