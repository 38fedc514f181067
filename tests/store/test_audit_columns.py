"""Columns of all pages for an audit."""

from pathlib import Path

from support.sites import Reply, canonical, crawl

from minicrawl.store.audit_columns import NO_PAGE
from minicrawl.store.reader import open_store

HOME = "http://a.test/"


def test_columns_are_those_of_the_rows(tmp_path: Path) -> None:
    site: dict[str, Reply] = {
        HOME: [f"{HOME}a", f"{HOME}b", f"{HOME}c"],
        f"{HOME}a": f"{HOME}b",
        f"{HOME}c": [canonical(HOME)],
    }
    crawl(site, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as store:
        found = store.audit_table.columns()
        assert found.state.tolist() == ["fetched", "alias", "error", "alias"]
        assert found.status.tolist() == [200, 301, 404, 200]
        assert found.target.tolist() == [NO_PAGE, 2, NO_PAGE, 0]
        assert found.is_seed.tolist() == [True, False, False, False]
        assert list(store.audit_table.texts("canonical")) == [(3, HOME)]
