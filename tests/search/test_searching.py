"""Searches: facts of pages, their order, duplicates, filters."""

from pathlib import Path

import pytest
from support.searching import found, indexed, page, urls
from support.sites import Site, crawl, rows

import minicrawl
from minicrawl.errors import SettingError
from minicrawl.reading import open_store
from minicrawl.search.following import following
from minicrawl.search.index_folder import index_path, remove_index

A, B, C = "http://a.test/", "http://b.test/", "http://c.test/"


FILLER = {f"{A}f{i}": page(f"Filler {i}", f"some words{i} of filling") for i in range(12)}


def test_result_says_all_that_is_known_of_it(tmp_path: Path) -> None:
    site = {A: page("Asyncio guide", "How to gather what was begun."), f"{B}x": page("Other", "nothing")}
    store = indexed(site | FILLER, tmp_path / "crawl.db")
    (best,) = found(store, "asyncio guide").pages
    assert (best.rank, best.url, best.title) == (1, A, "Asyncio guide")
    assert best.snippet.text.startswith("How to gather")
    assert best.importance > 0
    assert best.fetched_at is not None


def test_duplicates_stand_under_their_leader(tmp_path: Path) -> None:
    text = " ".join(f"word{i}" for i in range(200))
    site = {A: page("Leader", text), f"{B}copy": page("Leader", text), f"{C}copy": page("Leader", text)}
    store = indexed(site | FILLER, tmp_path / "crawl.db", strategy="breadth-first")
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


def test_importance_decides_among_pages_that_agree_alike(tmp_path: Path) -> None:
    links = [(f"{B}hub", "here") for _ in range(1)]
    site = {f"{C}{i}": page(f"L{i}", f"text{i}", *links) for i in range(20)}
    site |= {A: page("Zebra", "stripes"), f"{B}hub": page("Zebra", "stripes and more")}
    store = indexed(site | FILLER, tmp_path / "crawl.db")
    assert urls(store, "zebra")[0] == f"{B}hub"


@pytest.mark.parametrize("pages", [3, 30, 300])
def test_the_page_called_so_is_before_the_front_page_on_a_web_of_any_size(tmp_path: Path, pages: int) -> None:
    names = [f"{letter}{vowel}{end}" for letter in "bdfgklmnpr" for vowel in "aeiou" for end in ("lto", "mbi")] * 3
    names = [f"{name}{'xyz'[i // 100]}" for i, name in enumerate(names)][: pages - 1]
    said = ". ".join(f"{name}: all about {name}" for name in names)
    front = page("Acme", f"Welcome to Acme. {said}.", *((f"{A}{name}", name) for name in names))
    site = {A: front} | {f"{A}{name}": page(f"{name} at Acme", "Acme has it.", (A, "Acme")) for name in names}
    store = indexed(site, tmp_path / "crawl.db", A)
    first = {name: urls(store, name, n=2) for name in names[:20]}
    assert first == {name: [f"{A}{name}", A] for name in names[:20]}
    if pages < 100:  # among so many importance decides
        assert urls(store, "acme", n=1) == [A]


def test_store_without_index_says_the_way_out(tmp_path: Path) -> None:
    one = indexed({A: page("One", "x")}, tmp_path / "one.db")
    remove_index(index_path(one))
    with pytest.raises(SettingError, match=r"no index.*minicrawl index"):
        found(one, "one")


def test_pages_with_all_words_come_before_those_with_some(tmp_path: Path) -> None:
    notes = {f"{C}{i}": page(f"Note {i}", "a command, options of it") for i in range(20)}
    site = notes | {A: page("Commands", "squash a command"), B: page("All", "squash options of a command")}
    result = found(indexed(site, tmp_path / "crawl.db"), "squash command options", n=3)
    assert (result.pages[0].url, len(result.pages)) == (B, 3)
    assert result.matches == 1


def test_title_counts_more_than_text(tmp_path: Path) -> None:
    notes = {f"{C}{i}": page(f"Note {i}", "some words") for i in range(20)}
    site = notes | {A: page("Django", "The web framework"), B: page("Blog", "We like Django " * 3)}
    assert urls(indexed(site, tmp_path / "crawl.db"), "django") == [A, B]


@pytest.mark.parametrize("pages", [0, 1])
def test_crawl_with_search_of_hardly_any_page_is_searched(tmp_path: Path, pages: int) -> None:
    site: Site = {f"{A}{i}": page("Zebra", f"stripes {i}") for i in range(pages)} or {f"{A}0": 404}
    crawl(site, tmp_path / "crawl.db", [f"{A}{i}" for i in range(max(1, pages))], search=True)
    assert len(urls(tmp_path / "crawl.db", "zebra")) == pages


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


ZOO = "http://a.test/"


def test_store_is_searched_again_and_again(tmp_path: Path) -> None:
    store = indexed({ZOO: page("Zebra", "stripes"), f"{ZOO}x": page("Lion", "mane")}, tmp_path / "crawl.db")
    with minicrawl.open_store(store) as reader:
        assert [found.url for found in reader.search("zebra")] == [ZOO]
        assert [found.url for found in reader.search("lion", n=1)] == [f"{ZOO}x"]
        assert reader.search("zebra", sites=["b.test"]) == []
        with pytest.raises(minicrawl.ConfigError, match="at least one word"):
            reader.search("-")
        assert reader.top(1)
