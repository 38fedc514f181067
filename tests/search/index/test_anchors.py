"""What links say, counted; compared with a slow count of the same links."""

import math
import random
import sqlite3
from collections import defaultdict
from collections.abc import Iterator

import pytest

from minicrawl.search.index.anchors import MOST_OTHERS, MOST_OWN, NOTHING, AnchorBook, LinkText
from minicrawl.search.index.index_folder import SCHEMA


@pytest.fixture
def db() -> Iterator[sqlite3.Connection]:
    """The book of an index without anything in it."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    db.executescript(SCHEMA)
    yield db
    db.close()


def stale(db: sqlite3.Connection) -> set[int]:
    return {page for (page,) in db.execute("SELECT page FROM stale")}


def test_books_are_those_of_the_links_that_are_there(db: sqlite3.Connection) -> None:
    draw = random.Random(4)
    book = AnchorBook(db)
    links: dict[int, list[LinkText]] = {}
    packed: dict[int, bytes] = {}
    for _ in range(300):
        page = draw.randrange(12)
        if draw.random() < 0.2:
            db.execute("BEGIN")
            book.add({99: [(draw.randrange(4), None, "lost"), (0, 1, "a")]})
            db.execute("ROLLBACK")
            book.forget()
        elif page in links:
            book.remove([packed.pop(page)])
            del links[page]
        else:
            site = draw.choice([None, 1, 2])
            links[page] = [(draw.randrange(4), site, draw.choice("abc")) for _ in range(draw.randrange(5))]
            packed |= book.add({page: links[page]})
        counts: dict[LinkText, int] = defaultdict(int)
        for some in links.values():
            for link in set(some):
                counts[link] += 1
        rows = db.execute("SELECT target, site, text, links FROM anchors").fetchall()
        assert {(*link,): count for *link, count in rows} == counts
        assert len(rows) == len(counts)


def test_text_counts_by_the_logarithm_of_its_sites_and_once_for_its_own(db: sqlite3.Connection) -> None:
    book = AnchorBook(db)
    link = {site: [(7, site, "Guide" if site % 2 else "guide")] for site in range(8)}
    book.add(link | {100 + i: [(7, None, "own"), (7, None, f"rare{i}")] for i in range(30)})
    others, own = book.texts_of([7])[7]
    assert [text.lower() for text in others] == ["guide"] * (1 + int(math.log2(8)))
    assert own[0] == "own"
    assert len(own) == MOST_OWN


def test_few_texts_of_a_page_count(db: sqlite3.Connection) -> None:
    book = AnchorBook(db)
    book.add({site: [(7, site, f"text{i}") for i in range(60)] for site in (1, 2)} | {9: [(7, 3, "text59")]})
    texts = book.texts_of([7])[7][0]
    assert len(set(texts)) == MOST_OTHERS
    assert texts[0] == "text59"


def test_aliases_give_what_is_said_of_them_to_the_page_they_stand_for(db: sqlite3.Connection) -> None:
    book = AnchorBook(db)
    book.add({1: [(10, 1, "ten"), (11, 1, "eleven"), (12, 1, "twelve")]})
    book.set_aliases({10: 11, 11: 12, 20: 21, 21: 20, 30: NOTHING})
    assert set(book.texts_of([12])[12][0]) == {"ten", "eleven", "twelve"}
    assert book.stands_for(10) == 12
    assert book.ends_of([10, 11, 12, 30]) == {10: 12, 11: 12, 30: NOTHING}
    book.stands_for(20)  # aliases of one another: it ends
    db.execute("DELETE FROM stale")
    book.set_aliases({11: 12, 20: 21, 21: 20, 30: NOTHING})
    assert set(book.texts_of([12])[12][0]) == {"eleven", "twelve"}
    assert stale(db) == {10, 12}
