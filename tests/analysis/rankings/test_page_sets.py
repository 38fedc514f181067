"""Pages that a user names."""

from pathlib import Path

import pytest
from support.sites import Site, crawl

from minicrawl.analysis.folded_aliases import folded_pages
from minicrawl.analysis.rankings.page_sets import named_pages, pages_with_words
from minicrawl.errors import SettingError
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
SITE: Site = {
    HOME: ["/shop", "/old", "<title>Home of Things</title>"],
    HOME + "shop": [HOME, "<title>All THINGS</title>"],
    HOME + "old": HOME + "shop",
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sets") / "crawl.db"
    crawl(SITE, path, [HOME])
    return path


def named(store: Path, given: str) -> set[str]:
    with open_store(store) as reader:
        pages = named_pages(given, "trusted", reader, folded_pages(reader))
        return set(map(reader.page_table.url, pages.tolist()))


def test_pages_are_named_by_url_pattern_or_file(store: Path, tmp_path: Path) -> None:
    (tmp_path / "pages.txt").write_text(f"{HOME}\nhttp://unknown.test/\n")
    assert named(store, "http://A.test") == {HOME}
    assert named(store, "sh.p$") == {HOME + "shop"}
    assert named(store, str(tmp_path / "pages.txt")) == {HOME}


def test_an_alias_means_the_page_that_it_stands_for(store: Path) -> None:
    assert named(store, HOME + "old") == {HOME + "shop"}


def test_names_of_nothing_are_told(store: Path, tmp_path: Path) -> None:
    (tmp_path / "pages.txt").write_text("http://unknown.test/\n")
    with pytest.raises(SettingError, match="--trusted 'nothing' is no file, and matches no URL in"):
        named(store, "nothing")
    with pytest.raises(SettingError, match=r"--trusted: no page of .* is known in"):
        named(store, str(tmp_path / "pages.txt"))


def test_words_are_looked_for_in_url_and_title_whatever_their_case(store: Path) -> None:
    with open_store(store) as reader:
        folded = folded_pages(reader)
        found = [reader.page_table.url(page) for page in pages_with_words("things HOME", 5, reader, folded).tolist()]
        assert found == [HOME]
        assert len(pages_with_words("things", 5, reader, folded)) == 2
        assert len(pages_with_words("things", 1, reader, folded)) == 1
        with pytest.raises(SettingError, match="no page has 'nonsense' in its URL or title"):
            pages_with_words("nonsense", 5, reader, folded)
