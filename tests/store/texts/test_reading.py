"""What check says of the texts of a store."""

from pathlib import Path

import pytest
from support.sites import crawl, faults_in, rows

from minicrawl.store.reader import open_store
from minicrawl.store.texts.text_file import text_path


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
