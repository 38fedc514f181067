"""minicrawl compact"""

import json
from pathlib import Path

from click.testing import CliRunner
from support.sites import crawl, rows

from minicrawl.cli import main

HOME = "http://a.test/"


def test_a_store_is_as_small_as_it_can_be_and_says_what_it_said(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: ["/b"], HOME + "b": []}, store, [HOME])
    before = rows(store, "SELECT * FROM ranks")
    rows(store, "CREATE TABLE ballast AS SELECT zeroblob(1000000) AS weight")
    rows(store, "DROP TABLE ballast")
    told = json.loads(CliRunner().invoke(main, ["compact", "--json", "--store", str(store)]).stdout)
    assert told["store"] == str(store)
    assert told["bytes_after"] == store.stat().st_size < told["bytes_before"]
    assert rows(store, "SELECT * FROM ranks") == before
    assert " before, " in CliRunner().invoke(main, ["compact", "--store", str(store)]).output
