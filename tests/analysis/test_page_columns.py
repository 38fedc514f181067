"""Columns of an export, against what was served."""

from pathlib import Path
from typing import Any

import pytest
from support.intakes import DAYS_LATER
from support.sites import Site, canonical, crawl

from minicrawl.analysis.page_columns import COLUMNS, column_rows, named_columns
from minicrawl.analysis.top.order import best_first
from minicrawl.errors import SettingError
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
HEAD = '<html lang="en"><title>T</title><meta name="description" content="says much">'
SITE: Site = {
    HOME: [HEAD, "<h1>Home sweet</h1><p>three words more</p>", "/moved", "/copy", "/hidden", "/silent", "/fr", "/lost"],
    HOME + "moved": HOME + "copy",
    HOME + "copy": [canonical(HOME + "whole"), "<p>copy"],
    HOME + "whole": ["<p>whole"],
    HOME + "hidden": ["<meta name=robots content=noindex><p>hidden"],
    HOME + "silent": ["<meta name=robots content='nofollow,noindex'><p>silent"],
}
SITE[HOME].insert(1, f'<link rel="alternate" hreflang="fr" href="{HOME}fr">')
SITE[HOME + "fr"] = [canonical(HOME + "fr"), "<p>bonjour"]


def columns(path: Path, names: str) -> dict[str, list[Any]]:
    with open_store(path) as store, store.snapshot():
        named = tuple(named_columns(store, f"url,{names}"))
        return {str(url): values for url, *values in column_rows(store, best_first(store)[1], named)}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("columns") / "crawl.db"
    crawl(SITE, path, [HOME], text=True)
    return path


def test_columns_have_what_was_served(path: Path) -> None:
    assert columns(path, "language,description,h1,words")[HOME][:3] == ["en", "says much", "Home sweet"]
    assert columns(path, "words")[HOME] == [6]  # links that touch are one word
    found = columns(path, "redirects_to,canonical,robots,alternate_of")
    assert found[HOME] == [None, None, None, None]
    assert found[HOME + "moved"] == [HOME + "copy", None, None, None]
    assert found[HOME + "copy"] == [None, HOME + "whole", None, None]
    assert found[HOME + "hidden"] == [None, None, "noindex", None]
    assert found[HOME + "silent"] == [None, None, "noindex, nofollow", None]
    assert found[HOME + "fr"] == [None, HOME + "fr", None, HOME]
    assert columns(path, "hreflang")[HOME] == [f"fr={HOME}fr"]
    assert columns(path, "hreflang")[HOME + "fr"] == [None]
    assert columns(path, "host,bytes,status")[HOME + "lost"] == ["a.test", 0, 404]


def test_page_that_names_itself_no_longer_has_no_canonical(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    says: Site = {HOME: [f'<link rel="alternate" hreflang="fr" href="{HOME}fr">', canonical(HOME)]}
    crawl(says, path, [HOME])
    assert columns(path, "canonical,hreflang")[HOME] == [HOME, f"fr={HOME}fr"]
    crawl({HOME: ["<p>says no more"]}, path, [HOME], **DAYS_LATER)
    assert columns(path, "canonical,hreflang")[HOME] == [None, None]


def test_every_column_is_there_for_every_page_with_its_type(path: Path) -> None:
    names = [name for name in COLUMNS if name != "url"]
    for row in columns(path, ",".join(names)).values():
        assert all(value is None or isinstance(value, COLUMNS[name]) for name, value in zip(names, row, strict=True))


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        ("url,titel", "--columns takes rank, url, .*; not 'titel': is it 'title'"),
        ("url,url", "--columns names 'url' more than once; name it once"),
        ("words", "the column 'words' needs texts, and .* has none; let the crawl go on with --text"),
    ],
)
def test_mistake_is_a_sentence(tmp_path: Path, names: str, sentence: str) -> None:
    crawl({HOME: []}, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as store, pytest.raises(SettingError, match=sentence):
        named_columns(store, names)
