"""minicrawl status"""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sites import Site, crawl

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


def test_status_counts_every_known_page_once(store: Path) -> None:
    status = json.loads(run("status", "--json", "--store", store).stdout)
    assert status["stopped"] == "nothing-left"
    assert status["states"] == {"fetched": 3, "error": 1, "alias": 1}
    assert sum(status["reasons"].values()) == status["known"] == 5
    assert "stopped: nothing-left" in run("status", "--store", store).output
