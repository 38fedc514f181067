"""Cookies in the store and in the user's file."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from minicrawl.crawler.http.logins.cookie_file import read_cookie_file
from minicrawl.crawler.http.logins.kept_cookies import KeptCookies
from minicrawl.store.writer import Writer

HOME = "https://example.com/"
NOW = 2_000_000_000.0
LINE = "example.com\tFALSE\t/\tFALSE\t0\t{}\n"


def commit(writer: Writer, kept: KeptCookies) -> None:
    with writer.transaction():
        kept.save(writer)


def test_a_commit_keeps_what_changed_and_forgets_what_is_gone(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    with closing(Writer(store)) as writer:
        kept = KeptCookies(writer, None)
        fields = ["a=1; Domain=example.com; Path=/x; Secure; HttpOnly; Max-Age=60", "b=2", "c=3"]
        kept.jar.take(HOME, fields, NOW)
        commit(writer, kept)
        kept.jar.take(HOME, ["b=; Max-Age=0", "c=4"], NOW + 1)
        commit(writer, kept)
        jar = kept.jar
    with closing(Writer(store)) as writer:
        again = KeptCookies(writer, None).jar
    assert sorted(again) == sorted(jar)
    assert {cookie.name: cookie.value for cookie in again} == {"a": "1", "c": "4"}


def test_a_store_with_cookies_is_private_and_so_are_its_logs(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    store_before = Writer(store)
    store_before.close()
    store.chmod(0o664)
    with closing(Writer(store)) as writer:
        with writer.transaction():
            writer.save_meta({"x": 1})
        kept = KeptCookies(writer, None)
        kept.jar.take(HOME, ["a=1"], NOW)
        commit(writer, kept)
        files = sorted(tmp_path.glob("crawl.db*"))
        modes = {file.name: file.stat().st_mode & 0o077 for file in files if not file.name.endswith(".lock")}
    assert modes == {"crawl.db": 0, "crawl.db-shm": 0, "crawl.db-wal": 0}


@pytest.mark.parametrize(("changed", "expected"), [(NOW - 1, "kept"), (NOW + 1, "file")])
def test_of_the_store_and_the_file_the_newer_counts(changed: float, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "cookies.txt"
    with closing(Writer(tmp_path / "crawl.db")) as writer:
        kept = KeptCookies(writer, None)
        kept.jar.take(HOME, ["a=kept", "b=kept"], NOW)
        commit(writer, kept)
        file.write_text(LINE.format("a\tfile") + LINE.format("c\tfile"))
        os.utime(file, (changed, changed))
        again = KeptCookies(writer, file)
    assert {cookie.name: cookie.value for cookie in again.jar} == {"a": expected, "b": "kept", "c": "file"}


def test_the_file_is_written_at_the_end(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "folder" / "cookies.txt"
    with closing(Writer(tmp_path / "crawl.db")) as writer:
        kept = KeptCookies(writer, file)
        kept.jar.take(HOME, ["a=1"], NOW)
        kept.end()
        assert "cookies.txt cannot be written: No such file or directory; the store has all" in caplog.text
        file.parent.mkdir()
        kept.end()
    assert [(cookie.name, cookie.value) for cookie in read_cookie_file(file)] == [("a", "1")]
