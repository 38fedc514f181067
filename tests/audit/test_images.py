"""Rules on images: what is planted is found, and nothing else."""

from pathlib import Path

from support.sites import crawl

from minicrawl.audit.auditing import audited
from minicrawl.store.reader import open_store


def test_what_the_crawl_has_not_kept_is_not_checked(tmp_path: Path) -> None:
    crawl({"http://a.test/": ["<img src=x>"]}, tmp_path / "crawl.db", ["http://a.test/"])
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        audit = audited(store)
    assert "--profile audit --store NEW" in audit.not_checked["image-without-alt"]
    assert "title-missing" not in audit.not_checked
