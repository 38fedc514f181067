"""Words that may have been meant."""

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.search.spelling import distance, nearest_word


@pytest.fixture
def db():
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE spellings (word TEXT PRIMARY KEY, pages INTEGER)")
    words = {"asyncio": 9, "gather": 3, "gatherer": 1, "statistics": 2, "straße": 1, "cat": 5}
    db.executemany("INSERT INTO spellings VALUES (?, ?)", words.items())
    yield db
    db.close()


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("asynciu", "asyncio"),
        ("ASYNCOI", "asyncio"),
        ("gathr", "gather"),
        ("gatherr", "gather"),
        ("statistcis", "statistics"),
        ("statitcis", "statistics"),
        ("strasse", "straße"),
        ("straßee", "straße"),
        ("zzzzzz", None),
        ("cta", None),
        ("a1b2", None),
        ("x" * 1_000, None),
    ],
)
def test_nearest_word_of_the_index_is_meant(db, word, meant):
    assert nearest_word(db, word) == meant


def slow(a: str, b: str) -> int:
    """The distance by its recursive definition."""
    if not a or not b:
        return len(a) + len(b)
    best = min(slow(a[1:], b) + 1, slow(a, b[1:]) + 1, slow(a[1:], b[1:]) + (a[0] != b[0]))
    if len(a) > 1 and len(b) > 1 and a[0] == b[1] and a[1] == b[0]:
        best = min(best, slow(a[2:], b[2:]) + 1)
    return best


@given(st.text("ab", max_size=5), st.text("abc", max_size=5), st.integers(0, 4))
def test_distance_is_that_of_its_definition(a, b, most):
    assert distance(a, b, most) == min(slow(a, b), most + 1)
