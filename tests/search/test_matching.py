"""How well pages agree with a query, on indexes that are written row by row."""

import random
import sqlite3
from collections.abc import Mapping

import pytest

from minicrawl.search.matching import ENOUGH, SOME, WEIGHTS, is_known, similar_pages
from minicrawl.search.query import parse_query


def add(db: sqlite3.Connection, page: int, text: str = "", document: int | None = None, **short: str) -> None:
    columns = [short.get(name, "") for name in WEIGHTS]
    db.execute(f"INSERT INTO short (rowid, {', '.join(WEIGHTS)}) VALUES (?, ?, ?, ?, ?, ?)", (page, *columns))
    number = page if document is None else document
    db.execute("INSERT INTO full (rowid, text) VALUES (?, ?)", (number, text))
    db.execute("INSERT INTO pages VALUES (?, 0, 0, ?, NULL, x'')", (page, number))


def ranked(db: sqlite3.Connection, query: str, enough: int = 1) -> list[int]:
    similarity: Mapping[int, float] = similar_pages(db, parse_query(query), enough).similarity
    assert all(0 <= value <= 1 for value in similarity.values())
    return sorted(similarity, key=lambda page: (-similarity[page], page))


def fill(db: sqlite3.Connection, pages: int = 20) -> None:
    """Pages that say other things, so that words of a few pages are rare."""
    for page in range(10_000, 10_000 + pages):
        add(db, page, f"other words number{page}", title=f"other{page}")


def test_title_counts_more_than_text(db: sqlite3.Connection) -> None:
    fill(db)
    add(db, 1, "it is said in the text once: asyncio", title="something")
    add(db, 2, "nothing", title="asyncio")
    assert ranked(db, "asyncio") == [2, 1]


def test_a_million_words_win_nothing(db: sqlite3.Connection) -> None:
    fill(db)
    add(db, 1, "asyncio gather " * 500_000, title="a page")
    add(db, 2, "how asyncio can gather what it has begun", title="asyncio gather")
    add(db, 3, "how asyncio can gather what it has begun", title="a page")
    assert ranked(db, "asyncio gather") == [2, 3, 1] or ranked(db, "asyncio gather")[0] == 2


def test_all_words_have_to_be_in_title_or_text_and_pages_with_some_come_after(db: sqlite3.Connection) -> None:
    fill(db)
    add(db, 1, "asyncio and gather", title="x")
    add(db, 2, "only asyncio", title="asyncio asyncio")
    assert ranked(db, "asyncio gather") == [1]
    similar = similar_pages(db, parse_query("asyncio gather"), 10)
    assert similar.has_all == {1}
    assert similar.similarity[2] <= SOME
    assert sorted(similar.similarity) == [1, 2]


def test_words_side_by_side_count_more(db: sqlite3.Connection) -> None:
    fill(db)
    add(db, 1, "gather is not asyncio here it is something else", title="x")
    add(db, 2, "here asyncio gather is what it is and nothing else", title="x")
    assert ranked(db, "asyncio gather") == [2, 1]


@pytest.mark.parametrize(
    ("query", "pages"),
    [
        ('"task group"', [1]),
        ("group -task", [3]),
        ('group -"task group"', [2, 3]),
        ("title:task group", [2]),
        ("title:task", [2]),
        ("task -title:task", [1]),
        ("+++ group", [1, 2, 3]),
    ],
)
def test_parts_of_a_query_say_what_is_there(db: sqlite3.Connection, query: str, pages: list[int]) -> None:
    if not db.execute("SELECT 1 FROM pages LIMIT 1").fetchone():
        fill(db)
        add(db, 1, "a task group here", title="x")
        add(db, 2, "the group", title="task")
        add(db, 3, "a group of its own", title="y")
    assert sorted(ranked(db, query)) == pages


def test_texts_that_a_page_has_no_more_are_not_found(db: sqlite3.Connection) -> None:
    fill(db)
    add(db, 1, "new words", document=(1 << 32) + 1)
    db.execute("INSERT INTO full (rowid, text) VALUES (1, 'old saying')")
    db.execute("INSERT INTO dead VALUES (1)")
    assert ranked(db, "saying") == []
    assert ranked(db, "new") == [1]


def test_common_words_need_not_be_there_and_alone_are_found_in_titles(db: sqlite3.Connection) -> None:
    for page in range(2_000):
        add(db, page, "the of and to", title="the cat" if page == 7 else f"t{page}")
    add(db, 5_000, "rare", title="rare")
    similar = similar_pages(db, parse_query("the rare"), 1)
    assert similar.common == ("the",)
    assert list(similar.similarity) == [5_000]
    assert ranked(db, "the") == [7]


def test_words_are_known_in_either_barrel(db: sqlite3.Connection) -> None:
    add(db, 1, "inside", title="front")
    assert [is_known(db, word) for word in ("inside", "front", "fronts", "else")] == [True, True, True, False]


def test_candidates_are_those_of_a_slow_look_at_every_page(db: sqlite3.Connection) -> None:
    draw = random.Random(3)
    words = [f"w{i}" for i in range(30)]
    pages = {}
    for page in range(200):
        title, text = draw.choices(words, k=2), draw.choices(words, k=6)
        pages[page] = set(title), set(text)
        add(db, page, " ".join(text), title=" ".join(title))
    for _ in range(50):
        wanted = set(draw.sample(words, 2))
        found = similar_pages(db, parse_query(" ".join(wanted)), 0).similarity
        assert found.keys() == {page for page, (title, text) in pages.items() if wanted <= title or wanted <= text}


def test_of_many_candidates_those_with_the_words_in_the_short_barrel_are_scored(db: sqlite3.Connection) -> None:
    for page in range(ENOUGH + 200):
        add(db, page, "zebra gather", title="zebra gather" if page >= 200 else "zebra" if page >= 100 else "lion")
    fill(db, 4 * ENOUGH)
    scored = similar_pages(db, parse_query("zebra gather"), 1)
    assert scored.similarity.keys() == set(range(200, ENOUGH + 200))
    whole = similar_pages(db, parse_query("zebra gather"), 1, all_of_them=True)
    assert whole.similarity.keys() == set(range(ENOUGH + 200))
    assert {page: whole.similarity[page] for page in scored.similarity} == scored.similarity
    some = similar_pages(db, parse_query("zebra gather -lion"), 1).similarity
    assert some.keys() == set(range(200, ENOUGH + 200))


def test_where_few_have_the_words_in_the_short_barrel_the_others_are_scored_too(db: sqlite3.Connection) -> None:
    for page in range(ENOUGH + 50):
        add(db, page, "zebra gather", title="zebra gather" if page == ENOUGH + 49 else "zebra" if page % 2 else "lion")
    fill(db, 4 * ENOUGH)
    similarity = similar_pages(db, parse_query("zebra gather"), 1).similarity
    assert len(similarity) == ENOUGH + 50
    assert max(similarity, key=similarity.__getitem__) == ENOUGH + 49


def test_text_with_two_of_three_words_side_by_side_is_a_candidate_like_one_with_all(db: sqlite3.Connection) -> None:
    fill(db)
    add(db, 1, "how the task group of asyncio begins")
    add(db, 2, "asyncio has each task in a group")
    assert sorted(similar_pages(db, parse_query("beginning9.9 task group"), 1).similarity) == [1]
