"""The text of the page a user names, or why there is none."""

from pathlib import Path

import pytest
from support.preferring import preferring
from support.sites import Site, canonical, crawl, page

from minicrawl.analysis.page_text import page_text
from minicrawl.errors import SettingError
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
EARLY = f"{HOME}early"
SITE: Site = {
    HOME: ["<p>home says this", "/moved", "/gone", "/silent", "/copy", "/unwanted", "/data", "/empty"],
    f"{HOME}moved": f"{HOME}on",
    f"{HOME}on": f"{HOME}target",
    f"{HOME}target": ["<p>target says that"],
    f"{HOME}data": page("a { }", headers={"Content-Type": "text/css"}),
    f"{HOME}gone": 404,
    f"{HOME}silent": ["<meta name=robots content=noarchive>nothing of this"],
    f"{HOME}unwanted": ["<meta name=robots content=noai>nothing of this"],
    f"{HOME}empty": [],
    f"{HOME}copy": [canonical(HOME), "<p>copy says more"],
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "crawl.db"
    crawl({EARLY: ["<p>early words"]}, path, [EARLY])
    server = preferring(SITE)
    crawl(server, path, [HOME], text=True, respect_usage="ai-train")
    return path


@pytest.mark.parametrize(
    ("asked", "url", "text"),
    [
        ("a.test", HOME, "home says this"),
        ("HTTP://A.test/#part", HOME, "home says this"),
        (f"{HOME}moved", f"{HOME}target", "target says that"),
        (f"{HOME}copy", f"{HOME}copy", "copy says more"),
    ],
)
def test_page_is_found_as_the_user_writes_it(store: Path, asked: str, url: str, text: str) -> None:
    with open_store(store) as reader:
        kept = page_text(reader, asked)
    assert kept.url == url
    assert kept.text.startswith(text)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ("http://b.test/", r"http://b\.test/ is not known to this crawl"),
        (f"{HOME}gone", r"http://a\.test/gone has not been read: error \(http-404\); see 'minicrawl why'"),
        (f"{HOME}silent", r"the text of http://a\.test/silent is not kept: the page says noarchive$"),
        (f"{HOME}unwanted", r"/unwanted is not kept: the page forbids ai-train, which the crawl respects$"),
        (
            f"{HOME}data",
            r"/data is not kept: it is text/css; texts are kept of HTML, plain text, .* with --pdf of PDF files$",
        ),
        (f"{HOME}empty", r"/empty is not kept: the page is empty$"),
        (EARLY, r"/early is not kept: the page was read without --text; 'minicrawl refresh' reads it again$"),
        ("ftp://a.test/", "is not an http or https URL"),
    ],
)
def test_where_there_is_none_it_is_told_why(store: Path, asked: str, sentence: str) -> None:
    with open_store(store) as reader, pytest.raises(SettingError, match=sentence):
        page_text(reader, asked)


def test_store_without_texts_says_how_to_keep_them(tmp_path: Path) -> None:
    crawl({HOME: ["<p>words"]}, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as reader, pytest.raises(SettingError, match=r"has no texts; .* --text"):
        page_text(reader, HOME)
