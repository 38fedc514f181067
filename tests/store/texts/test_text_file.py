"""The file of texts: what belongs to which store, and what is cut."""

from pathlib import Path

import pytest

from minicrawl.errors import StoreError
from minicrawl.store.texts.text_file import HEAD, TextFile, first_line, unfinished

KEY = b"k" * 16
LINE = first_line(KEY, 0)


def test_line_is_as_long_as_it_is_said_to_be() -> None:
    assert {len(first_line(KEY, made)) for made in (0, 7, 99_999_999)} == {HEAD}


def test_file_that_is_too_short_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db.text"
    with TextFile(path, LINE, writes=True) as file:
        with pytest.raises(StoreError, match=r"has \d+ bytes of \d+; use a backup"):
            file.cut(HEAD + 1)
        with pytest.raises(StoreError, match="ends before a text"):
            file.read(HEAD, 1)


@pytest.mark.parametrize("content", [first_line(b"other", 0), b"", b"letters to a friend"])
@pytest.mark.parametrize("writes", [True, False])
def test_what_belongs_to_no_or_another_store_is_left_alone(tmp_path: Path, content: bytes, writes: bool) -> None:
    path = tmp_path / "crawl.db.text"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="does not belong to this store; move it away"):
        TextFile(path, LINE, writes=writes)
    assert path.read_bytes() == content


def test_file_that_was_made_anew_since_is_told(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db.text"
    path.write_bytes(first_line(KEY, 1))
    with pytest.raises(StoreError, match="older or newer than its store"):
        TextFile(path, LINE)


def test_file_made_anew_is_found_before_it_has_its_name(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db.text"
    path.write_bytes(LINE + b"old")
    unfinished(path).write_bytes(first_line(KEY, 1) + b"new")
    with TextFile(path, first_line(KEY, 1)) as file:
        assert file.read(HEAD, 3) == b"new"
    assert path.read_bytes() == LINE + b"old"
    with TextFile(path, first_line(KEY, 1), writes=True) as file:
        assert file.read(HEAD, 3) == b"new"
    assert not unfinished(path).exists()


def test_file_that_was_not_finished_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db.text"
    path.write_bytes(LINE + b"old")
    unfinished(path).write_bytes(first_line(KEY, 1)[:9])
    with TextFile(path, LINE, writes=True) as file:
        assert file.read(HEAD, 3) == b"old"
    assert not unfinished(path).exists()
