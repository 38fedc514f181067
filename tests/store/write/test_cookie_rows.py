"""Cookies in the store."""

from contextlib import closing
from pathlib import Path

from minicrawl.store.upkeep import backup
from minicrawl.store.write.cookie_rows import CookieRow
from minicrawl.store.writer import Writer

A = CookieRow("a.test", "/", "n", "1", 1, 0, 1, None, 1.0, 2.0)
B = CookieRow("b.test", "/x", "n", "2", 0, 1, 0, 9.5, 3.0, 1.0)


def test_cookies_are_written_replaced_and_forgotten(tmp_path: Path) -> None:
    with closing(Writer(tmp_path / "crawl.db")) as writer:
        with writer.transaction():
            writer.cookie_rows.save([A, B])
        assert writer.cookie_rows.all() == [B, A]
        with writer.transaction():
            writer.cookie_rows.save([A._replace(value="3")])
            writer.cookie_rows.forget([("b.test", "/x", "n"), ("c.test", "/", "n")])
        assert writer.cookie_rows.all() == [A._replace(value="3")]


def test_a_copy_of_a_private_store_is_private(tmp_path: Path) -> None:
    with closing(Writer(tmp_path / "crawl.db")) as writer:
        writer.cookie_rows.keep_private()
        with writer.transaction():
            writer.cookie_rows.save([A])
    backup(tmp_path / "crawl.db", tmp_path / "copy.db")
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    with closing(Writer(tmp_path / "copy.db")) as writer:
        assert writer.cookie_rows.all() == [A]
