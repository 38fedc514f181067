"""Rules on http where https is meant: what is planted is found, and nothing else."""

from pathlib import Path

from support.faulty_site import found
from support.sites import crawl

from minicrawl.store.reader import open_store


def test_addresses_need_no_hsts(tmp_path: Path) -> None:
    """Browsers ignore the header of a host without a name."""
    crawl(
        {"https://192.0.2.1/": ["<p>x"], "https://a.test/": ["<p>y"]},
        tmp_path / "crawl.db",
        ["https://192.0.2.1/", "https://a.test/"],
        audit=True,
    )
    with open_store(tmp_path / "crawl.db") as store:
        assert found(store, "hsts-missing") == {"a.test": 1}
