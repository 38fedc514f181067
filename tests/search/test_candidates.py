"""Candidates of a query: those with all words first, by rarity; compared with a slow look at every page."""

import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from minicrawl.search.candidates import Candidates, Finder
from minicrawl.search.index.index_folder import Index, open_index, store_mark
from minicrawl.search.index.inverted import BODY, HEAD
from minicrawl.search.index.words import analysed
from minicrawl.search.query import parse_query


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    with open_index(tmp_path / "index", store_mark(b"x"), writes=True) as index:
        yield index


def add(index: Index, page: int, text: str = "", title: str = "") -> None:
    head = f"| {analysed(title)} |" if title else ""
    index.db.execute("INSERT INTO heads VALUES (?, ?, '', '', '', '| a test |')", (page, head))
    index.words.put(page, HEAD, head, {"title": analysed(title), "hosts": "a.test"})
    more = {"title": analysed(title), "hosts": "a.test", "language": ["en"] if page % 2 else ["de"]}
    index.words.put(page, BODY, analysed(f"{title} {text}"), more)


def candidates(index: Index, query: str) -> Candidates:
    index.words.commit()
    index.words.reload()
    return Finder(index.words, index.db, parse_query(query)).candidates()


def test_all_pages_with_all_words_are_candidates_and_know_their_words(index: Index) -> None:
    draw = random.Random(3)
    words = [f"w{i}" for i in range(20)]
    pages = {}
    for page in range(120):
        title, text = draw.choices(words, k=2), draw.choices(words, k=6)
        pages[page] = title + text
        add(index, page, " ".join(text), " ".join(title))
    for _ in range(30):
        wanted = draw.sample(words, draw.choice([1, 2, 3]))
        found = candidates(index, " ".join(wanted))
        having = {page for page, said in pages.items() if set(wanted) <= set(said)}
        assert having <= found.by_page.keys()
        for page, candidate in found.by_page.items():
            slow = sum(1 << i for i, word in enumerate(wanted) if word in pages[page])
            assert candidate.words == slow
            near = sum(
                1 << i
                for i, (a, b) in enumerate(pairwise(wanted))
                if any(
                    x != y and {pages[page][x], pages[page][y]} == {a, b} and abs(x - y) == 1
                    for x in range(8)
                    for y in range(8)
                )
            )
            assert candidate.near & near == near


def test_rarity_is_by_documents(index: Index) -> None:
    for page in range(50):
        add(index, page, "common rare" if page == 7 else "common")
    found = candidates(index, "common rare")
    common, rare = found.words
    assert common.rarity + rare.rarity == pytest.approx(1.0)
    assert rare.rarity > 0.8
    assert found.by_page[7].words == 0b11


@pytest.mark.parametrize(
    ("query", "pages"),
    [
        ('"task group"', [1]),
        ("group -task", [3]),
        ('group -"task group"', [2, 3]),
        ("title:task group", [2]),
        ("intitle:task", [2]),
        ("task -title:task", [1]),
        ("+++ group", [1, 2, 3]),
        ("group lang:de", [2]),
        ("group site:b.test", []),
        ("group site:a.test lang:en", [1, 3]),
    ],
)
def test_parts_of_a_query_say_what_is_there(index: Index, query: str, pages: list[int]) -> None:
    add(index, 1, "a task group here", "x")
    add(index, 2, "the group", "task")
    add(index, 3, "a group of its own", "y")
    add(index, 5, "other", "other")
    assert sorted(candidates(index, query).by_page) == pages


def test_word_of_no_page_is_not_required(index: Index) -> None:
    add(index, 1, "zebra", "x")
    found = candidates(index, "zebra crocodile")
    assert found.by_page[1].words == 0b01
    assert candidates(index, "crocodile").by_page == {}
