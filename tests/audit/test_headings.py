"""Rules on headings, language and viewport: what is planted is found, and nothing else."""

from pathlib import Path

from support.faulty_site import found
from support.sites import crawl

from minicrawl.store.reader import open_store

HOME = "http://a.test/"


def test_pages_without_a_heading_are_found(tmp_path: Path) -> None:
    crawl({HOME: ["<h1>x</h1>", "/a", "/b"], f"{HOME}a": ["a"], f"{HOME}b": ["<h1>b</h1>"]}, tmp_path / "crawl.db",
          [HOME], audit=True)  # fmt: skip
    with open_store(tmp_path / "crawl.db") as store:
        assert found(store, "h1-missing") == {f"{HOME}a": 0}
