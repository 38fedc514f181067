"""Searches: facts of pages, their order, duplicates, filters."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from support.searching import found, indexed, page, urls
from support.sites import Reply, Site, crawl, rows

import minicrawl
from minicrawl.errors import SettingError, StoreError
from minicrawl.search.index.following import following
from minicrawl.search.index.index_folder import index_path, remove_index
from minicrawl.search.partitions import facets_of as facets
from minicrawl.search.searched_store import open_store
from minicrawl.search.searching import PageFacts

A, B, C = "http://a.test/", "http://b.test/", "http://c.test/"


def facts(**given: Any) -> PageFacts:
    known: dict[str, Any] = {"page": 1, "url": A, "host": "a.test", "title": None, "state": "fetched"}
    return PageFacts(**(known | {"leader": None, "changed_at": None, "content_type": "text/html"} | given))


@pytest.mark.parametrize(
    ("given", "has_text", "is_shown"),
    [
        ({}, True, True),
        ({}, False, False),  # it may have said noindex
        ({"content_type": "application/pdf"}, False, True),
        ({"content_type": None}, False, True),
        ({"state": "waiting"}, False, True),
        ({"state": "disallowed"}, False, True),
        ({"state": "error"}, True, False),
        ({"state": "gone"}, True, False),
        ({"state": "alias"}, True, False),
    ],
)
def test_pages_that_may_be_shown(given: dict[str, Any], has_text: bool, is_shown: bool) -> None:
    assert facts(**given).can_be_shown(has_text=has_text) is is_shown


FILLER = {f"{A}f{i}": page(f"Filler {i}", f"some words{i} of filling") for i in range(12)}


def test_result_says_all_that_is_known_of_it(tmp_path: Path) -> None:
    site = {
        A: page("Asyncio guide", "How to gather what was begun.", (f"{B}x", "the other guide")),
        f"{B}x": page("Other", "nothing"),
    }
    store = indexed(site | FILLER, tmp_path / "crawl.db")
    (best,) = found(store, "asyncio guide").pages[:1]
    assert (best.rank, best.url, best.title, best.is_read, best.has_all) == (1, A, "Asyncio guide", True, True)
    assert best.snippet.text.startswith("How to gather")
    assert best.score == pytest.approx(0.9 * best.similarity + 0.1 * best.place)
    assert set(best.hits) >= {"title"}


def test_links_from_other_sites_count_for_their_target_also_if_it_is_not_fetched(tmp_path: Path) -> None:
    site = {A: page("Start", "text", (f"{C}never", "zebra crossing")), **FILLER}
    store = indexed(site, tmp_path / "crawl.db", A, scope="host")
    # The scope leaves the target out: what is out of scope is not known, and not found.
    assert urls(store, "zebra") in ([], [A])
    wide = indexed(site, tmp_path / "wide.db", A, pages=1)
    (unread,) = [hit for hit in found(wide, "zebra crossing").pages if hit.url == f"{C}never"]
    assert (unread.is_read, unread.title, unread.hits) == (False, "zebra crossing", ("anchor",))


def test_links_to_an_alias_count_for_the_page_it_stands_for(tmp_path: Path) -> None:
    site: Site = {A: page("Start", "text", (f"{A}old", "zebra crossing"))}
    site |= {f"{A}old": f"{B}new", f"{B}new": page("N", "n")}
    store = indexed(site | FILLER, tmp_path / "crawl.db")
    found_urls = urls(store, "zebra crossing")
    assert f"{B}new" in found_urls
    assert f"{A}old" not in found_urls


def test_duplicates_stand_under_their_leader(tmp_path: Path) -> None:
    text = " ".join(f"word{i}" for i in range(200))
    site = {A: page("Leader", text), f"{B}copy": page("Leader", text), f"{C}copy": page("Leader", text)}
    store = indexed(site | FILLER, tmp_path / "crawl.db", merge_duplicates=False, strategy="breadth-first")
    (best,) = [hit for hit in found(store, "word7").pages if "word7" in hit.snippet.text]
    assert (best.url, len(best.alike)) == (A, 2)


def test_pages_that_say_noindex_are_never_found(tmp_path: Path) -> None:
    head = "<meta name=robots content=noindex>"
    site = {A: page("Start", "text", (f"{B}secret", "secret zebra")), f"{B}secret": page("Zebra", "zebra", head=head)}
    store = indexed(site | FILLER, tmp_path / "crawl.db")
    assert f"{B}secret" not in urls(store, "zebra")
    assert f"{B}secret" not in urls(store, "secret zebra site:b.test")


def test_pages_that_have_gone_are_not_found_even_before_the_index_knows(tmp_path: Path) -> None:
    store = indexed({A: page("Zebra", "zebra"), **FILLER}, tmp_path / "crawl.db")
    assert urls(store, "zebra") == [A]
    rows(store, "UPDATE pages SET state = 'gone' WHERE url = ?", A)
    assert urls(store, "zebra") == []


def test_site_language_and_date_say_which_pages(tmp_path: Path) -> None:
    site = {
        A: ["<html lang=en><title>Zebra</title><p>zebra"],
        f"{B}x": ["<html lang=de-AT><title>Zebra</title><p>zebra auf deutsch"],
    }
    store = indexed(site | FILLER, tmp_path / "crawl.db")
    assert sorted(urls(store, "zebra")) == [A, f"{B}x"]
    assert urls(store, "zebra site:b.test") == urls(store, "zebra", sites=("b.test",)) == [f"{B}x"]
    assert urls(store, "zebra lang:de") == [f"{B}x"]
    rows(store, "UPDATE fetches SET fetched_at = 1e9 WHERE page = (SELECT id FROM pages WHERE url = ?)", A)
    assert urls(store, "zebra", since=1.1e9) == [f"{B}x"]


def test_words_that_are_in_no_page_are_mended(tmp_path: Path) -> None:
    store = indexed({A: page("Asyncio gather", "x"), **FILLER}, tmp_path / "crawl.db")
    assert found(store, "asynciu gather").meant == "asyncio gather"
    assert found(store, "asyncio gather").meant is None
    assert found(store, "kites gather").meant is None
    with minicrawl.open_store(store) as opened:
        assert [hit.url for hit in opened.search('asynciu "gather" site:a.test -x1')] == [A]
        assert opened.search("asynciu gather site:b.test") == []


def test_importance_decides_among_pages_that_agree_alike(tmp_path: Path) -> None:
    links = [(f"{B}hub", "here") for _ in range(1)]
    site = {f"{C}{i}": page(f"L{i}", f"text{i}", *links) for i in range(20)}
    site |= {A: page("Zebra", "stripes"), f"{B}hub": page("Zebra", "stripes and more")}
    store = indexed(site | FILLER, tmp_path / "crawl.db")
    assert urls(store, "zebra")[0] == f"{B}hub"
    assert urls(store, "zebra", weight=0.0)[0] == f"{B}hub"


def test_kept_ranking_takes_the_place_of_importance(tmp_path: Path) -> None:
    store = indexed({A: page("Zebra", "one"), f"{B}x": page("Zebra", "one"), **FILLER}, tmp_path / "crawl.db")
    rows(store, "INSERT INTO rankings SELECT 'mine', id, CASE url WHEN ? THEN 1 ELSE .001 END FROM pages", f"{B}x")
    best = found(store, "zebra", by="mine").pages[0]
    assert (best.url, best.place) == (f"{B}x", 1.0)
    with pytest.raises(SettingError, match="no ranking 'other' is kept"):
        found(store, "zebra", by="other")


def test_store_without_index_or_with_that_of_another_says_the_way_out(tmp_path: Path) -> None:
    one = indexed({A: page("One", "x")}, tmp_path / "one.db")
    two = indexed({A: page("Two", "x")}, tmp_path / "two.db")
    remove_index(index_path(one))
    shutil.copytree(index_path(two), index_path(one))
    with pytest.raises(StoreError, match=r"index of another store.*index --rebuild"):
        found(one, "one")
    remove_index(index_path(one))
    with pytest.raises(SettingError, match=r"no index.*minicrawl index"):
        found(one, "one")


def test_pages_that_were_read_before_texts_were_kept_are_counted(tmp_path: Path) -> None:
    site: dict[str, Reply] = {
        A: page("Zebra", "zebra", (B, "b"), (f"{A}pdf", "pdf")),
        B: page("Lion", "zebra"),
        f"{A}pdf": 404,
    }
    store = tmp_path / "crawl.db"
    crawl(site, store, [A], pages=1)
    indexed(site, store)
    with following(store) as follower:
        follower.finish()
    result = found(store, "zebra")
    assert result.without_text == 1
    assert [hit.url for hit in result.pages] == [B]


ARGUMENTS = "command line arguments are read from the command line, and arguments of the command line are words"
GUIDES: Site = {
    "http://rust.test/book": page("Command line arguments - The Rust book", ARGUMENTS),
    "http://rust.test/cli": page("Accepting command line arguments", ARGUMENTS),
    "http://django.test/": page("Django", "The web framework", ("http://django.test/admin", "admin")),
    "http://django.test/admin": page("django-admin and manage.py", "squashmigrations app: a command with arguments"),
    "http://django.test/notes": page("Release notes", "Django has squashmigrations"),
    "http://cmake.test/find": page("find_package — CMake 3.27", "Find a package. " + "It says more of it. " * 50),
    "http://cmake.test/": page("CMake", "The build system", ("http://cmake.test/find", "find_package")),
    "http://llvm.test/": page("Building LLVM with CMake", "cmake find_package llvm " * 9),
    **{f"http://x.test/{i}": page(f"Notes {i}", f"The command line of {i} has arguments") for i in range(30)},
    "http://blog.test/": page("Why we like Django", "Django Django Django " * 20),
}


FIRST = {
    "squashmigrations command line arguments": ["http://django.test/admin"],
    "cmake find_package": ["http://cmake.test/find"],
    "django": ["http://django.test/"],
    "command line arguments": ["http://rust.test/book", "http://rust.test/cli"],
}


def test_rare_words_come_first_and_pages_that_are_named_before_those_that_mention(tmp_path: Path) -> None:
    store = indexed(GUIDES | FILLER, tmp_path / "crawl.db")
    for query, first in FIRST.items():
        assert sorted(urls(store, query, rank="none")[: len(first)]) == sorted(first), query


@pytest.mark.parametrize("pages", [0, 1])
def test_crawl_with_search_of_hardly_any_page_is_searched(tmp_path: Path, pages: int) -> None:
    site: Site = {f"{A}{i}": page("Zebra", f"stripes {i}") for i in range(pages)} or {f"{A}0": 404}
    crawl(site, tmp_path / "crawl.db", [f"{A}{i}" for i in range(max(1, pages))], search=True)
    assert len(urls(tmp_path / "crawl.db", "zebra")) == pages


def test_facets_count_pages_with_all_words(tmp_path: Path) -> None:
    site = {A: ["<html lang=en><title>Zebra</title><p>zebra"], B: ["<html lang=de-AT><title>Zebra</title><p>zebra"]}
    store = indexed(site | FILLER, tmp_path / "crawl.db")
    with open_store(store) as reader:
        counts = facets(reader, "zebra")
    assert counts == {"site": {"a.test": 1, "b.test": 1}, "language": {"en": 1, "de": 1, "de-at": 1}}


def test_rebuild_that_fails_leaves_the_index_and_one_that_succeeds_is_seen_by_an_open_store(tmp_path: Path) -> None:
    store = indexed({A: page("Zebra", "zebra")}, tmp_path / "crawl.db")
    with open_store(store) as reader:
        with pytest.raises(KeyError), following(store, rebuild=True):
            raise KeyError
        assert len(reader.search("zebra")) == 1
        indexed({A: page("Zebra", "zebra", (B, "b")), B: page("Lion", "zebra")}, store, B)
        with following(store, rebuild=True) as follower:
            follower.catch_up()
            assert len(reader.search("zebra")) == 2
        assert len(reader.search("zebra")) == 2
    assert not list(tmp_path.glob("*.search.*/"))
