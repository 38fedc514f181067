"""What judgements of pages change in a search, and within which bounds."""

import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any  # Any: fields that no test looks at

import pytest
from support.partition_twins import THREE, twins
from support.searching import found, indexed, page

from minicrawl.errors import SettingError
from minicrawl.search.judgements import (
    BOUND,
    LEAST,
    LEAST_QUERIES,
    MOVE,
    UNTAUGHT,
    judge,
    judged_queries,
    kind_of,
    learn,
    places,
    sums,
    taught,
)
from minicrawl.search.ranking import WEIGHTS
from minicrawl.search.searching import FoundPage
from minicrawl.store.reader import Store, open_store

A = "http://a.test/"
LAST, FIRST = f"{A}4", f"{A}0"
SITE = {
    A: page("Menu", "", *((f"{A}{i}", f"page {i}") for i in range(5))),
    **{f"{A}{i}": page("Zebra" if i == 0 else f"Lion {i}", "zebra stripes " + "mane " * 9 * i) for i in range(5)},
}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return indexed(SITE, tmp_path / "crawl.db")


def judged(store: Path, words: str, good: Sequence[str] = (), bad: Sequence[str] = (), now: float = 1.0) -> None:
    with open_store(store) as reader:
        judge(reader, words, good, bad, now)


def scores(store: Path, words: str, **asked: bool) -> Mapping[str, float]:
    return {page.url: page.score for page in found(store, words, **asked).pages}


def test_without_judgements_and_for_other_words_nothing_moves_by_a_bit(store: Path) -> None:
    before = found(store, "zebra stripes", is_taught=False).pages
    assert found(store, "zebra stripes").pages == before
    judged(store, "an unlike query of zebra", bad=[FIRST])
    assert found(store, "zebra stripes").pages == before
    with open_store(store) as reader:
        assert taught(reader, "zebra stripes").weights is WEIGHTS


def test_judged_pages_move_by_no_more_than_the_bound(store: Path) -> None:
    before = scores(store, "zebra stripes")
    judged(store, "Zebra  stripes", good=[LAST], bad=[FIRST])
    after = scores(store, "stripes zebra")
    assert (min(after, key=after.__getitem__), max(after, key=after.__getitem__)) == (FIRST, LAST)
    assert {url: round(after[url] - before[url], 9) for url in before} == {
        url: {LAST: MOVE, FIRST: -MOVE}.get(url, 0.0) for url in before
    }


def test_alike_queries_move_less_and_the_last_judgement_counts(store: Path) -> None:
    before = scores(store, "zebra")
    judged(store, "zebra stripes", good=[LAST])
    assert scores(store, "zebra")[LAST] == pytest.approx(before[LAST] + MOVE / 4)
    judged(store, "zebra stripes", bad=[LAST], now=2.0)
    assert scores(store, "zebra")[LAST] == pytest.approx(before[LAST] - MOVE / 4)
    assert scores(store, "zebra", is_taught=False) == before


def test_page_without_the_words_is_not_found_however_good(store: Path) -> None:
    judged(store, "zebra", good=[A])
    assert A not in scores(store, "zebra stripes")


def test_unknown_page_is_not_judged(store: Path) -> None:
    with pytest.raises(SettingError, match=r"no page http:.* is known"):
        judged(store, "zebra", good=[LAST, "http://b.test/"])
    with open_store(store) as reader:
        assert judged_queries(reader) == {}


def test_judgement_survives_a_kill(store: Path) -> None:
    script = (
        "import os, signal\nfrom minicrawl.search.judgements import judge\nfrom minicrawl.store import writer\n"
        "from minicrawl.store.reader import open_store\n"
        "writer.Writer.close = lambda self: os.kill(os.getpid(), signal.SIGKILL)\n"
        f"judge(open_store({str(store)!r}), 'zebra', [{LAST!r}], [], 1.0)"
    )
    ended = subprocess.run([sys.executable, "-c", script], check=False)
    assert ended.returncode == -signal.SIGKILL
    with open_store(store) as reader:
        assert judged_queries(reader) == {"zebra": {LAST: True}}


def test_each_partition_keeps_the_judgements_of_its_pages(tmp_path: Path) -> None:
    _, many = twins(tmp_path, THREE)
    with open_store(many) as folder:
        own = [part.ranks.values("importance") for part in folder.parts]
        urls = [min(pages) for pages in own if pages]
        assert len(urls) > 1
        judge(folder, "words", urls, [], 1.0)
    with open_store(many) as folder:
        assert judged_queries(folder) == {"words": dict.fromkeys(urls, True)}
        assert [len(part.judgements.all()) for part in folder.parts] == [int(bool(pages)) for pages in own]


# Learning.


def searching(signal: str) -> Sequence[FoundPage]:
    """Two pages, of which the second is only better by a signal."""
    none = WEIGHTS._replace(**dict.fromkeys(WEIGHTS._fields, 0.0))
    first, second = none._replace(text=0.5), none._replace(**{signal: 0.5})
    return [_found(FIRST, 1, first), _found(LAST, 2, second)]


def _found(url: str, rank: int, signals: object) -> FoundPage:
    fields: dict[str, Any] = dict.fromkeys(FoundPage.__dataclass_fields__)
    return FoundPage(**{**fields, "url": url, "rank": rank, "signals": signals, "place": 0.0, "alike": ()})


def taught_store(store: Path, queries: int) -> Store:
    for number in range(queries):
        judged(store, f"query{number}", good=[LAST], bad=[FIRST], now=number)
    return open_store(store)


def test_weights_are_learned_within_their_bounds_from_enough_judgements_on(store: Path) -> None:
    with taught_store(store, LEAST_QUERIES - 1) as reader:
        assert not learn(reader, lambda query: searching("url_named"))
        assert taught(reader, "other").weights == WEIGHTS
    assert LEAST_QUERIES * 2 >= LEAST
    with taught_store(store, LEAST_QUERIES) as reader:
        assert learn(reader, lambda query: searching("title"))
    with open_store(store) as reader:
        learned = taught(reader, "other").weights
    factors = {name: getattr(learned, name) / weight for name, weight in WEIGHTS._asdict().items()}
    assert factors["title"] > 1.1
    assert factors["text"] < 0.9
    assert all(1 / BOUND <= factor <= BOUND for factor in factors.values())


def test_weights_are_learned_anew_once_judgements_have_grown_by_a_tenth(store: Path) -> None:
    asked = list[str]()

    def search(query: str) -> Sequence[FoundPage]:
        asked.append(query)
        return searching("title")

    with taught_store(store, LEAST_QUERIES) as reader:
        assert learn(reader, search)
    for number, replays in ((0, 0), (1, 0), (2, LEAST_QUERIES + 2)):
        asked.clear()
        if number:
            judged(store, f"further{number}", good=[LAST], now=100 + number)
        with open_store(store) as reader:
            learn(reader, search)
            assert len(asked) == replays


def test_weights_that_do_not_help_are_not_taken(store: Path) -> None:
    def contrary(query: str) -> Sequence[FoundPage]:
        one, other = searching("title")
        is_odd = int(query[-1]) % 2
        return [replace(one, signals=other.signals), replace(other, signals=one.signals)] if is_odd else [one, other]

    with taught_store(store, LEAST_QUERIES) as reader:
        assert not learn(reader, contrary)
        assert taught(reader, "other").weights == WEIGHTS


# Replaying.


def test_places_are_summed_up() -> None:
    pages = searching("title")
    assert places({LAST: True, A: False}, pages) == [(LAST, True, 2), (A, False, None)]
    assert sums([places({LAST: True, FIRST: False}, pages)]) == pytest.approx((0.6309, 0.5, 1), abs=1e-4)
    assert sums([]) == (0.0, 0.0, 0)


def test_kinds_of_queries_are_told_by_what_is_found_first() -> None:
    (first, _) = searching("title")
    none = first.signals._replace(text=0.0)
    assert kind_of("zebra", replace(first, signals=none._replace(home=1.0))) == "navigational"
    assert kind_of("zebra", replace(first, signals=none._replace(title_named=1.0))) == "known item"
    assert kind_of("std::vector", None) == "known item"
    assert kind_of("why zebras?", first) == "informational"
    assert UNTAUGHT.moves == {}
