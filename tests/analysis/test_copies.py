"""Pages that carry the text of a document, against what was planted."""

import random
from pathlib import Path

import pytest
from support.planted_copies import DOCUMENT, HOME, Planted, in_paragraphs, planted_copies, said
from support.sites import Site, crawl

from minicrawl.analysis.copies import FEWEST, copies
from minicrawl.errors import SettingError
from minicrawl.store.reader import open_store


@pytest.fixture(scope="module")
def planted() -> Planted:
    return planted_copies(5)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, planted: Planted) -> Path:
    path = tmp_path_factory.mktemp("copies") / "crawl.db"
    crawl(planted.site, path, [HOME], strategy="breadth-first", traps=False, text=True)
    return path


def test_all_that_was_planted_is_found_and_nothing_else(store: Path, planted: Planted) -> None:
    with open_store(store) as reader:
        found = {copy.url: copy for copy in copies(reader, [DOCUMENT], least=0.1)}
    assert found.keys() == planted.shares.keys()
    for url, copy in found.items():
        least = 0.65 if url.endswith("edited") else 1.0
        assert least * planted.shares[url] - 0.02 <= copy.share <= planted.shares[url] + 0.02
    with open_store(store) as reader:
        halves = {copy.url for copy in copies(reader, [DOCUMENT], least=0.3)}
    assert halves == {url for url, part in planted.shares.items() if part >= 0.5}


def test_a_file_is_watched_like_a_page(store: Path, tmp_path: Path, planted: Planted) -> None:
    text, html = tmp_path / "document.txt", tmp_path / "document.html"
    text.write_text(" ".join(planted.words), "utf-8")
    html.write_text(f"<title>x</title><nav>Menu</nav>{in_paragraphs(planted.words)}", "utf-8")
    with open_store(store) as reader:
        of_page = {copy.url: copy.share for copy in copies(reader, [DOCUMENT])}
        for file in (text, html):
            found = copies(reader, [str(file)])
            assert {copy.url: copy.share for copy in found if copy.url != DOCUMENT} == of_page
            assert {copy.document for copy in found} == {str(file)}
            assert {copy.after for copy in found} == {None}
        both = copies(reader, [str(text), DOCUMENT])
        assert len(both) == 2 * len(of_page) + 1
        assert copies(reader, [DOCUMENT], since=2**33) == []


def test_a_copy_is_seen_first_when_its_page_got_the_text(tmp_path: Path) -> None:
    rng = random.Random(2)
    document, other = said(rng, 100), said(rng, 100)
    file, store = tmp_path / "document.txt", tmp_path / "crawl.db"
    file.write_text(" ".join(document), "utf-8")
    home = "http://h.test/"
    site: Site = {home: [in_paragraphs(other), home + "x"], home + "x": [in_paragraphs(document)]}
    crawl(site, store, [home], text=True, traps=False)
    with open_store(store) as reader:
        (before,) = copies(reader, [str(file)])
    assert before.url == home + "x"
    site[home] = [in_paragraphs(document), home + "x"]
    for _ in range(3):
        crawl(site, store, [], text=True, traps=False, refresh=True, refresh_min=0.001, pages=6)
    with open_store(store) as reader:
        new = copies(reader, [str(file)], since=before.seen_at + 1e-6)
        assert [copy.url for copy in new] == [home]
        assert {copy.url for copy in copies(reader, [str(file)])} == {home, home + "x"}


def test_what_is_too_short_or_unknown_is_refused(store: Path, tmp_path: Path) -> None:
    file = tmp_path / "short.txt"
    file.write_text("too short", "utf-8")
    with open_store(store) as reader:
        with pytest.raises(SettingError, match=rf"has 2 words; a document to look for has {FEWEST} or more"):
            copies(reader, [str(file)])
        with pytest.raises(SettingError, match="is not known to this crawl"):
            copies(reader, ["http://nowhere.test/"])
        with pytest.raises(SettingError, match="'terms' is neither a file nor an http or https URL"):
            copies(reader, ["terms"])
