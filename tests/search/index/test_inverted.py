"""The inverted index: documents put, replaced and removed; what it finds, beside a slow look at every document."""

import random
from pathlib import Path

import pytest

from minicrawl.search.index.inverted import BODY, HEAD, InvertedIndex, all_of, any_of, marked


@pytest.fixture
def index(tmp_path: Path) -> InvertedIndex:
    return InvertedIndex(tmp_path, writes=True)


def test_document_takes_the_place_of_the_one_before(index: InvertedIndex) -> None:
    index.put(1, HEAD, "zebra", {})
    index.put(1, BODY, "zebra", {})
    index.put(2, HEAD, "zebra", {})
    index.commit()
    index.put(1, HEAD, "lion", {})
    index.put(1, HEAD, "lion", {})  # again, as after a kill
    index.remove(2, HEAD)
    index.commit()
    index.reload()
    assert index.documents() == 2
    assert [page for page, _ in index.best(index.has("body", ("zebra",)), 9)] == [1]
    assert index.best(index.has("head", ("zebra",)), 9) == []


def test_what_is_not_committed_is_not_there(index: InvertedIndex, tmp_path: Path) -> None:
    index.put(1, HEAD, "zebra", {})
    index.rollback()
    index.put(2, HEAD, "lion", {})
    index.commit()
    reader = InvertedIndex(tmp_path)
    assert reader.documents() == 1
    index.put(3, HEAD, "lion", {})
    index.commit()
    assert reader.documents() == 1
    reader.reload()
    assert reader.documents() == 2
    index.close()


def test_found_are_the_documents_of_a_slow_look_at_each(index: InvertedIndex) -> None:
    draw = random.Random(3)
    words = [f"w{i}" for i in range(12)]
    texts = {page: draw.choices(words, k=8) for page in range(150)}
    for page, text in texts.items():
        index.put(page, BODY, " ".join(text), {"hosts": "a.test" if page % 2 else "b.test"})
    index.commit()
    index.reload()
    for _ in range(40):
        a, b = draw.sample(words, 2)
        both = [index.has("body", (a,)), index.has("body", (b,))]

        def pages(query: object) -> set[int]:
            return {page for page, _ in index.best(query, 999)}  # type: ignore[arg-type]

        assert pages(all_of(both)) == {page for page, text in texts.items() if {a, b} <= set(text)}
        assert pages(any_of(both)) == {page for page, text in texts.items() if {a, b} & set(text)}
        assert pages(all_of(both[:1], both[1:])) == {p for p, text in texts.items() if a in text and b not in text}
        assert pages(index.has("body", (a, b))) == {p for p, t in texts.items() if f"{a} {b} " in " ".join([*t, ""])}
        assert index.frequency((a,)) == sum(a in text for text in texts.values())
        some = draw.sample(sorted(texts), 20)
        bits = any_of([marked(query, 1 << i) for i, query in enumerate(both)])
        found = dict(index.best(all_of([index.among(some, BODY), bits]), 20))
        assert found == {p: (a in texts[p]) + 2 * (b in texts[p]) for p in some if {a, b} & set(texts[p])}


def test_words_near_a_misspelt_one_and_counts_by_value(index: InvertedIndex) -> None:
    for page, word in enumerate(["asyncio", "asyncio", "async", "other"]):
        index.put(page, BODY, "x", {"spelled": word, "language": ["de-at", "de"], "site": "a.test"})
    index.commit()
    index.reload()
    assert index.near("asynciu") == [("asyncio", 2), ("async", 1)]
    assert index.near("sayncio") == [("asyncio", 2)]
    assert index.languages == ["de"]
    assert index.counts(index.has("body", ("x",)), "site", 5) == {"a.test": 4}
    assert index.knows("x")
    assert not index.knows("asyncio")
