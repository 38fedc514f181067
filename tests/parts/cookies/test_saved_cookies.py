"""Cookies in the store and in the user's file."""

import os
from contextlib import closing
from pathlib import Path

import pytest
from support.sites import crawl

from minicrawl.errors import SettingError
from minicrawl.parts import wanted_fields
from minicrawl.parts.cookies import CookieRow
from minicrawl.parts.cookies.step import kept_cookies, save_cookies
from minicrawl.settings import CrawlSettings
from minicrawl.store.database import keep_private
from minicrawl.store.upkeep import backup
from minicrawl.store.writer import Writer
from minicrawl.web.http.cookies import CookieJar, read_cookie_file, write_cookie_file

HOME = "https://example.com/"
NOW = 2_000_000_000.0
LINE = "example.com\tFALSE\t/\tFALSE\t0\t{}\n"


def commit(writer: Writer, kept: CookieJar) -> None:
    with writer.transaction():
        save_cookies(writer, kept)


def test_a_commit_keeps_what_changed_and_forgets_what_is_gone(store: Path) -> None:
    with closing(Writer(store)) as writer:
        kept = kept_cookies(writer, None)
        fields = ["a=1; Domain=example.com; Path=/x; Secure; HttpOnly; Max-Age=60", "b=2", "c=3"]
        kept.take(HOME, fields, NOW)
        commit(writer, kept)
        kept.take(HOME, ["b=; Max-Age=0", "c=4"], NOW + 1)
        commit(writer, kept)
    with closing(Writer(store)) as writer:
        again = kept_cookies(writer, None)
    assert sorted(again) == sorted(kept)
    assert {cookie.name: cookie.value for cookie in again} == {"a": "1", "c": "4"}


def test_a_store_with_cookies_is_private_and_so_are_its_logs(tmp_path: Path, store: Path) -> None:
    store_before = Writer(store)
    store_before.close()
    store.chmod(0o664)
    with closing(Writer(store)) as writer:
        with writer.transaction():
            writer.save_meta({"x": 1})
        kept = kept_cookies(writer, None)
        kept.take(HOME, ["a=1"], NOW)
        commit(writer, kept)
        files = sorted(tmp_path.glob("crawl.db*"))
        modes = {file.name: file.stat().st_mode & 0o077 for file in files if not file.name.endswith(".lock")}
    assert modes == {"crawl.db": 0, "crawl.db-shm": 0, "crawl.db-wal": 0}


def test_a_copy_of_a_private_store_is_private_and_has_its_cookies_by_their_last_change(
    store: Path, tmp_path: Path
) -> None:
    a = CookieRow("a.test", "/", "n", "1", 1, 0, 1, None, 1.0, 2.0)
    b = CookieRow("b.test", "/x", "n", "2", 0, 1, 0, 9.5, 3.0, 1.0)
    with Writer(store) as writer, writer.transaction():
        keep_private(writer.path)
        writer.put(CookieRow, [a, b])
    backup(store, tmp_path / "copy.db")
    assert (tmp_path / "copy.db").stat().st_mode & 0o777 == 0o600
    with Writer(tmp_path / "copy.db") as writer:
        assert writer.records(CookieRow, "cookies ORDER BY changed") == [b, a]


@pytest.mark.parametrize(("changed", "expected"), [(NOW - 1, "kept"), (NOW + 1, "file")])
def test_of_the_store_and_the_file_the_newer_counts(changed: float, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "cookies.txt"
    with closing(Writer(tmp_path / "crawl.db")) as writer:
        kept = kept_cookies(writer, None)
        kept.take(HOME, ["a=kept", "b=kept"], NOW)
        commit(writer, kept)
        file.write_text(LINE.format("a\tfile") + LINE.format("c\tfile"))
        os.utime(file, (changed, changed))
        again = kept_cookies(writer, file)
    assert {cookie.name: cookie.value for cookie in again} == {"a": expected, "b": "kept", "c": "file"}


def test_the_file_is_written_at_the_end(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "folder" / "cookies.txt"
    with closing(Writer(tmp_path / "crawl.db")) as writer:
        kept = kept_cookies(writer, file)
        kept.take(HOME, ["a=1"], NOW)
        write_cookie_file(file, kept)
        assert "cookies.txt cannot be written: No such file or directory; the store has the cookies" in caplog.text
        file.parent.mkdir()
        write_cookie_file(file, kept)
    assert [(cookie.name, cookie.value) for cookie in read_cookie_file(file)] == [("a", "1")]


def test_expired_cookies_of_the_file_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "cookies.txt"
    file.write_text("a.test\tFALSE\t/\tFALSE\t1\tid\tx\n" + LINE.format("a\tkept"))
    crawl({HOME: []}, tmp_path / "crawl.db", [HOME], cookie_file=file)
    assert f"1 of 2 cookies in --cookie-file {file} have expired" in caplog.text


def test_a_file_of_cookies_is_in_a_folder_that_is_there(tmp_path: Path) -> None:
    assert list(wanted_fields(CrawlSettings.of({"cookie_file": tmp_path / "new"}))) == ["set-cookie"]
    for path, problem in ((tmp_path, "is a folder"), (tmp_path / "a" / "b", "is in a folder that does not exist")):
        with pytest.raises(SettingError, match=f"--cookie-file {path} {problem}; name a file of cookies"):
            CrawlSettings.of({"cookie_file": path})
