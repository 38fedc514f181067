"""The index's folder: made, opened, held, thrown away."""

import errno
import json
import os
import re
import sys
from pathlib import Path

import pytest
from support.searching import damage

from minicrawl.errors import SettingError, StoreError
from minicrawl.installed import adding
from minicrawl.search.index_folder import hold_index, index_errors, open_index, remove_index, replacing, store_mark
from minicrawl.search.inverted import InvertedIndex
from minicrawl.search.searching import Matching, parse_query
from minicrawl.search.words import readable, stemmer, words_of
from minicrawl.web.kept_text import KeptText

MARK = store_mark(b"store")


def put(words: InvertedIndex) -> None:
    words.put(1, 0, KeptText(title="", url="http://a.test/", content="zebra lion", rest=""))


def pages(words: InvertedIndex, query: str = "zebra") -> list[int]:
    return list(Matching(words, parse_query(query)).best(5))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "crawl.db.search"


def test_index_is_made_once_and_read_by_others(path: Path) -> None:
    with open_index(path, MARK, writes=True) as index:
        index.set_state(end=7)
        with open_index(path, MARK) as reader:
            assert reader.state["end"] == 7
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name]


def test_what_breaks_off_leaves_the_index_as_it_was(path: Path) -> None:
    with open_index(path, MARK, writes=True) as index:
        with pytest.raises(KeyError), index.transaction():
            put(index)
            raise KeyError
        assert pages(index) == []


def test_index_of_another_store_is_not_taken(path: Path) -> None:
    open_index(path, MARK, writes=True).close()
    for writes in (False, True):
        with pytest.raises(StoreError, match="index of another store"):
            open_index(path, store_mark(b"other"), writes=writes)


def test_index_of_another_version_is_refused_but_that_of_an_upgraded_store_is_made_anew(path: Path) -> None:
    for version, writes in ((6, False), (99, True)):
        with open_index(path, MARK, writes=True) as index:
            assert "texts" not in index.state
            index.set_state(version=version, texts=9)
        with pytest.raises(StoreError, match="another version; 'minicrawl index --rebuild'"):
            open_index(path, MARK, writes=writes)


@pytest.mark.parametrize("part", ["index.json", "words/meta.json"])
def test_index_that_is_broken_can_be_thrown_away(path: Path, part: str) -> None:
    open_index(path, MARK, writes=True).close()
    (path / part).write_bytes(b"x" * 5_000)
    with pytest.raises(StoreError, match="index --rebuild"):
        open_index(path, MARK, writes=True)
    remove_index(path)
    open_index(path, MARK, writes=True).close()


@pytest.mark.parametrize(
    "written",
    [
        *("[]", "[1]", "5", "null", "true", '"text"', "", " ", "NaN", "[" * 100_000, '{"a":' * 100_000, "\xff"),
        *('{"texts": "many"', '{"texts": [1]', '{"least": {"a": 1}', '{"least": NaN', '{"least": 1e999'),
        '{"texts": true',
        '{"least": ' + "9" * 400,
    ],
    ids=lambda written: written[:20],
)
@pytest.mark.parametrize("writes", [False, True])
def test_an_index_that_says_what_none_says_is_damaged(path: Path, written: str, writes: bool) -> None:
    open_index(path, MARK, writes=True).close()
    is_object = written.startswith('{"') and written[-1] != ":"
    rest = (path / "index.json").read_text().replace("{", ", ") if is_object else ""
    (path / "index.json").write_text(written + rest, "latin-1")
    with pytest.raises(StoreError) as caught:
        open_index(path, MARK, writes=writes)
    assert str(caught.value) == f"the index {path} is damaged; 'minicrawl index --rebuild' rebuilds it"


@pytest.mark.parametrize("more", [{}, {"texts": None, "least": 0}, {"texts": 3, "least": 1e-9, "other": []}])
def test_an_index_that_says_less_or_more_is_read(path: Path, more: dict[str, object]) -> None:
    open_index(path, MARK, writes=True).close()
    state = json.loads((path / "index.json").read_text())
    (path / "index.json").write_text(json.dumps(state | more))
    open_index(path, MARK).close()


@pytest.mark.parametrize("part", ["index.json", "words/meta.json"])
@pytest.mark.parametrize("writes", [False, True])
def test_index_without_one_of_its_files_is_said_to_be_incomplete(path: Path, part: str, writes: bool) -> None:
    open_index(path, MARK, writes=True).close()
    (path / part).unlink()
    with pytest.raises(StoreError, match="not an index of this version; 'minicrawl index --rebuild'"):
        open_index(path, MARK, writes=writes)


def test_panic_of_tantivy_is_one_sentence(path: Path) -> None:
    with open_index(path, MARK, writes=True) as index, index.transaction():
        put(index)
    damage(path)
    with pytest.raises(StoreError) as caught, open_index(path, MARK) as index, index_errors(path):
        pages(index, '"zebra lion"')
    assert str(caught.value) == f"the index {path} is damaged; 'minicrawl index --rebuild' rebuilds it"


def test_index_is_replaced_when_whole_and_its_reader_goes_on(path: Path) -> None:
    with open_index(path, MARK, writes=True) as index, index.transaction():
        put(index)
    with pytest.raises(KeyError), hold_index(path), replacing(path) as new:
        open_index(new, MARK, writes=True).close()
        raise KeyError
    with open_index(path, MARK) as reader:
        with hold_index(path), replacing(path) as new:
            open_index(new, MARK, writes=True).close()
        assert pages(reader) == [1]
    with open_index(path, MARK) as reader:
        assert pages(reader) == []
    assert [file.name for file in path.parent.iterdir() if file.is_dir()] == [path.name]


def test_index_in_a_folder_that_cannot_be_written_is_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_index(path, MARK, writes=True) as index, index.transaction():
        put(index)
    before = sorted(path.rglob("*"))
    monkeypatch.setattr(os, "access", lambda *_: False)
    with open_index(path, MARK) as index:
        assert pages(index) == [1]
    assert sorted(path.rglob("*")) == before


def test_without_tantivy_one_sentence_says_how_to_get_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tantivy", None)
    with pytest.raises(SettingError, match=re.escape(f"a search needs tantivy; run: {adding('search')}")):
        open_index(path, MARK, writes=True)


def test_one_writes_at_a_time(path: Path) -> None:
    with hold_index(path), pytest.raises(StoreError, match="another process is writing"), hold_index(path):
        pass
    with hold_index(path):
        pass


def test_a_full_disk_is_no_reason_to_build_the_index_anew(path: Path) -> None:
    with pytest.raises(StoreError, match="is full; free some space"), index_errors(path):
        raise OSError(errno.ENOSPC, "No space left on device")


def words(text: str, language: str = "") -> list[str]:
    return list(filter(None, map(stemmer(language), words_of(readable(text)))))


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("C++ and g++, libstdc++", "", "c++ and g++ libstdc++"),
        ("C# but page# and #1", "", "c# but page and 1"),
        ("std::vector, mod_rewrite", "", "std vector mod rewrite"),
        ("Linux内核! ひら", "", "linux 内 核 ひ ら"),
        ("l’été — nai\u0308ve", "", "l ete naive"),
        ("Donau\u00addampf\u00adschiff g\u00ad++", "", "donaudampfschiff g++"),
        ("Running in the hotels", "en", "run in the hotel"),
        ("Häuser der Straße", "de", "haus der strass"),
        ("Häuser", "ja", "hauser"),
        ("İSTANBUL, I\u0307stanbul i\u0307stanbul: İzmir", "az", "istanbul istanbul istanbul izmir"),
        ("İNDİRİM BİTTİ", "tr", "indir bit"),
        ("ISTANBUL and Iowa, IBM, dış, \u1e40 m\u0307", "", "istanbul and iowa ibm dis m m"),
        ("ok " + "x" * 500, "", "ok"),
    ],
)
def test_words_are_runs_of_letters_stemmed_in_the_language(text: str, language: str, expected: str) -> None:
    assert words(text, language) == expected.split()
