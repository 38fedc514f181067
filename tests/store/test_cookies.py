"""Cookies in the store."""

from pathlib import Path

from minicrawl.store.cookies import CookieRow, keep_private
from minicrawl.store.upkeep import backup
from minicrawl.store.writer import Writer

A = CookieRow("a.test", "/", "n", "1", 1, 0, 1, None, 1.0, 2.0)
B = CookieRow("b.test", "/x", "n", "2", 0, 1, 0, 9.5, 3.0, 1.0)


def test_a_copy_of_a_private_store_is_private_and_has_its_cookies_by_their_last_change(tmp_path: Path) -> None:
    with Writer(tmp_path / "crawl.db") as writer, writer.transaction():
        keep_private(writer.path)
        writer.put(CookieRow, [A, B])
    backup(tmp_path / "crawl.db", tmp_path / "copy.db")
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    with Writer(tmp_path / "copy.db") as writer:
        assert writer.cookies() == [B, A]
