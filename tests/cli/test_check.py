"""minicrawl check"""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sites import Site, crawl, rows

from minicrawl.cli import main

HOME = "http://a.test/"


SITE: Site = {
    HOME: ["/a", "/b", "/gone", "http://b.test/"],
    HOME + "a": [HOME, "/b", '<title>=cmd("x")</title>'],
    HOME + "b": ["/a", "<title>B\x1b[31m\n page</title>"],
    "http://b.test/": HOME,
}


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    crawl(SITE, path, [HOME])
    return path


def test_check_passes_on_a_good_store_and_exits_with_4_on_a_bad_one(store: Path) -> None:
    assert run("check", "--store", store).exit_code == 0
    rows(store, "UPDATE pages SET standing = standing + 1 WHERE id = 0")
    result = run("check", "--store", store)
    assert result.exit_code == 4
    assert "the cash book holds" in result.output
    assert len(json.loads(run("check", "--json", "--store", store).stdout)["problems"]) == 1
