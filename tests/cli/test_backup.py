"""minicrawl backup"""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.sites import crawl

from minicrawl.cli import main
from minicrawl.store.reader import open_store

HOME = "http://a.test/"


def run(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["backup", *(str(word) for word in words)])


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    crawl({HOME: ["/b"], HOME + "b": []}, path, [HOME])
    return path


def test_a_copy_is_a_store_and_its_size_is_printed(store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    result = run(copy, "--store", store)
    assert (result.exit_code, result.output.startswith(f"{copy}: 2 pages, ")) == (0, True)
    with open_store(copy) as reader:
        assert list(reader.page_table.urls()) == [HOME, HOME + "b"]


def test_a_file_that_is_there_is_replaced_only_by_force(store: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    copy.write_text("precious")
    assert run(copy, "--store", store).exit_code != 0
    assert copy.read_text() == "precious"
    told = json.loads(run(copy, "--force", "--json", "--store", store).stdout)
    assert told == {"store": str(store), "file": str(copy), "pages": 2, "bytes": copy.stat().st_size}
