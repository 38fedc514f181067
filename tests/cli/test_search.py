"""minicrawl search"""

from pathlib import Path

import pytest
from support.command_line import answer, run
from support.searching import indexed, page
from support.sites import crawl

A, B = "http://a.test/", "http://b.test/"
SITE = {
    A: page("Zebra &lt;b&gt; \x1b[31m", "The zebra has stripes.", (B, "striped horse")),
    B: page("Horse", "A horse without stripes", (A, "zebra")),
    f"{B}lion": page("Lion", "mane " + " ".join(f"hair{i}" for i in range(99))),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(SITE, tmp_path_factory.mktemp("search") / "crawl.db")


def test_pages_are_printed_with_what_was_found_in_them(store: Path) -> None:
    result = run("search", "zebra", "stripes", "--store", store)
    first, second, third, *_ = result.stdout.split("\n")
    assert result.exit_code == 0
    assert (first, second) == ("  1  Zebra <b> \ufffd[31m", "     http://a.test/")
    assert third == "     The *zebra* has *stripes*. *striped* horse"


def test_json_has_the_names_that_programs_ask_for(store: Path) -> None:
    (best, *_) = found = answer("search", "zebra", "--store", store)
    assert {"rank", "url", "title", "score", "importance", "snippet"} <= best.keys()
    assert [page["rank"] for page in found] == list(range(1, len(found) + 1))
    assert best["url"] == A
    start, end = best["marks"][0]
    assert best["snippet"][start:end] == "zebra"
    assert answer("search", "nothing at all of it", "--store", store) == []


@pytest.mark.parametrize(
    ("words", "urls"),
    [
        (["stripes", "-has"], [B]),
        (["stripes", "--site", "b.test"], [B]),
        (["zebra", "--n", "1"], [A]),
        (["stripes", "--since", "2100-01-01"], []),
    ],
)
def test_words_and_options_say_which_pages(store: Path, words: list[str], urls: list[str]) -> None:
    assert sorted(page["url"] for page in answer("search", *words, "--store", store)) == sorted(urls)


def test_long_queries_are_not_echoed_whole(store: Path) -> None:
    nothing = run("search", "x" * 100_000, "--store", store).stdout
    refused = run("search", "." * 100_000, "--store", store).stderr
    assert nothing == f"Nothing was found for {'x' * 200}….\n"
    assert len(refused) < 400


def test_index_that_is_behind_says_so(tmp_path: Path) -> None:
    store = indexed(SITE, tmp_path / "crawl.db", A, pages=1)
    crawl(SITE, store, [], text=True)
    assert "The index is behind the store: 1 text to take in" in run("search", "zebra", "--store", store).stderr


HOME = "http://a.test/"
PAGES = {HOME: page("Zebra", "stripes", (f"{HOME}x", "x")), f"{HOME}x": page("X", "y")}


def test_index_is_brought_up_to_the_store(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl(PAGES, store, [HOME], text=True)
    assert run("index", "--store", store).stdout.startswith("2 texts taken in; the index has 2 pages, ")
    found = answer("index", "--store", store)
    assert (found["taken_in"], found["pages"]) == (0, 2)
    assert answer("index", "--rebuild", "--store", store)["taken_in"] == 2
