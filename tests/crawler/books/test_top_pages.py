"""Candidates for the most important pages: every better page is among them."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.books import stored as top_pages
from minicrawl.crawler.books.stored import TopPages, most_important
from minicrawl.opic import Book


@given(st.data())
def test_no_page_that_is_not_kept_is_better_than_one_that_is(data: st.DataObject) -> None:
    book, kept = Book(), TopPages()
    held: set[int] = set()
    book.discover(40)
    links = {page: np.zeros(0, dtype=np.int32) for page in range(40)}
    top_pages.KEPT, before = 6, top_pages.KEPT
    try:
        for _ in range(12):
            page = data.draw(st.integers(0, 39))
            old = links[page]
            targets = sorted(data.draw(st.sets(st.integers(0, 39), max_size=6)) - {page})
            links[page] = np.array(targets, dtype=np.int32)
            book.visit(page, links[page], old)
            added, is_anew = kept.changes(book, np.concatenate([[page], old, links[page]]).astype(np.int64))
            held = set(added) if is_anew else held | set(added)
            worths = book.worths(slice(0, 40), book.held())
            assert all(worths[other] < kept.floor for other in set(range(40)) - held)
            assert len(held) <= 12
            assert book.total() == pytest.approx(float(book._x(slice(0, 40)).sum()))
    finally:
        top_pages.KEPT = before


@pytest.mark.parametrize("block", [3, 7, 1000])
def test_most_important_pages_are_the_head_of_importance(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minicrawl.opic.arrays.BLOCK", block)
    draw = random.Random(2)
    book = Book()
    assert most_important(book, 5).tolist() == []
    book.discover(40)
    for _ in range(200):
        page = draw.randrange(30)
        book.visit(page, np.array([each for each in range(40) if each != page and (each * page) % 7 == 1]))
    importance = book.importance()
    best = most_important(book, 10)
    assert sorted(importance[best]) == pytest.approx(np.sort(importance)[-10:])
