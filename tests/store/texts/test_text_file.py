"""The file of texts: what belongs to which store, and what is cut."""

from pathlib import Path

import pytest
from support.sites import crawl, faults_in, rows

from minicrawl.errors import StoreError
from minicrawl.store.reader import open_store
from minicrawl.store.texts.text_file import HEAD, TextFile, first_line, text_path, unfinished

KEY = b"k" * 16
LINE, NEXT = first_line(KEY, 0), first_line(KEY, 1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "crawl.db.text"


def test_line_is_as_long_as_it_is_said_to_be() -> None:
    assert {len(first_line(KEY, made)) for made in (0, 7, 99_999_999)} == {HEAD}


def test_file_that_is_too_short_is_refused(path: Path) -> None:
    with TextFile(path, LINE, writes=True) as file:
        with pytest.raises(StoreError, match=r"has \d+ bytes of \d+; use a backup"):
            file.cut(HEAD + 1)
        with pytest.raises(StoreError, match="ends before a text"):
            file.read(HEAD, 1)


@pytest.mark.parametrize("content", [first_line(b"other", 0), b"", b"letters to a friend", NEXT])
@pytest.mark.parametrize("writes", [True, False])
def test_what_belongs_to_no_or_another_store_or_time_is_left_alone(path: Path, content: bytes, writes: bool) -> None:
    path.write_bytes(content)
    told = "older or newer than its" if content.startswith(LINE[:-9]) else "does not belong to this store; move it away"
    with pytest.raises(StoreError, match=told):
        TextFile(path, LINE, writes=writes)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    ("new", "line", "writes", "said"),
    [(NEXT + b"new", NEXT, False, b"new"), (NEXT + b"new", NEXT, True, b"new"), (NEXT[:9], LINE, True, b"old")],
)
def test_file_made_anew_is_found_before_it_has_its_name_and_forgotten_if_it_was_not_finished(
    path: Path, new: bytes, line: bytes, writes: bool, said: bytes
) -> None:
    path.write_bytes(LINE + b"old")
    unfinished(path).write_bytes(new)
    with TextFile(path, line, writes=writes) as file:
        assert file.read(HEAD, 3) == said
    assert unfinished(path).exists() != writes
    assert writes or path.read_bytes() == LINE + b"old"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    home = "http://a.test/"
    crawl({home: ["<h1>Welcome</h1>", "/x"], f"{home}x": ["<p>words of x</p>"]}, path, [home], text=True)
    return path


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        ("UPDATE texts SET start = start + 1 WHERE page = 0", "the text of page 1 stands where another or none is"),
        ("UPDATE texts SET size = size + 1 WHERE page = 1", "the text of page 1 stands where another or none is"),
        ("UPDATE texts SET size = size - 1 WHERE page = 1", "the kept text of page 1 is damaged"),
        ("UPDATE meta SET value = 'x' WHERE key = 'text_size'", "meta.text_size is 'x', which cannot be meant"),
    ],
)
def test_check_finds_what_is_wrong(store: Path, damage: str, sentence: str) -> None:
    rows(store, damage)
    assert any(found.startswith(sentence) for found in faults_in(store))


def test_check_finds_damaged_bytes_and_a_missing_file(store: Path) -> None:
    path = text_path(store)
    content = bytearray(path.read_bytes())
    content[-4] ^= 255
    path.write_bytes(content)
    assert [found.partition(" (")[0] for found in faults_in(store)] == ["the kept text of page 1 is damaged"]
    path.unlink()
    with open_store(store) as reader:
        (found,) = set(reader.texts.flaws())
    assert found.startswith(f"{path} is missing; it has the texts")
