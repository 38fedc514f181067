"""What changes nothing, and the lines that are known."""

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.parts.samepage.known_lines import KnownLines
from minicrawl.parts.samepage.pairs import (
    DIFFERING,
    EXPERIMENTS,
    MANY_VALUES,
    MOST_EXACT,
    READ_ALL_THE_SAME,
    TEXTS,
    VALUES,
    WAITING,
    Evidence,
    Pair,
    Pairs,
    plainer,
)
from minicrawl.web.urls.shapes import shape_of, without

HOST = "http://a.test"


def agreeing(values: int, *, pages: int = 1, is_linked: bool = False, of: str = "sid") -> list[Evidence]:
    """So many values with which a page is the one without, of so many pages."""
    urls = [f"{HOST}/p{value % pages}?{of}={value}" for value in range(values)]
    return [Evidence(url, f"?{of}", url.partition("?")[0], agrees=True, is_linked=is_linked) for url in urls]


def differing(values: int) -> list[Evidence]:
    return [Evidence(f"{HOST}/d?sid=d{value}", "?sid", "", agrees=False) for value in range(values)]


def anything(url: str) -> bool:
    return True


HISTORIES = {
    "too few": (agreeing(VALUES - 1, pages=TEXTS), False),
    "of several pages": (agreeing(VALUES, pages=TEXTS), True),
    "of too few pages": (agreeing(VALUES, pages=TEXTS - 1), False),
    "linked": (agreeing(VALUES, is_linked=True), True),
    "not all linked": (agreeing(VALUES - 1, is_linked=True) + agreeing(VALUES)[-1:], False),
    "many": (agreeing(MANY_VALUES), True),
    "one less than many": (agreeing(MANY_VALUES - 1), False),
    "one value again and again": (agreeing(1, is_linked=True) * MANY_VALUES, False),
    "one differs, then many agree": (differing(1) + agreeing(10 * MANY_VALUES, pages=TEXTS, is_linked=True), False),
    "one differs before it is sure": (agreeing(VALUES - 1, is_linked=True) + differing(1) + agreeing(99), False),
    "few differ later": (agreeing(DIFFERING - 1, is_linked=True) + differing(1), True),
    "too many differ later": (agreeing(2 * DIFFERING - 3, is_linked=True) + differing(2), False),
    "void no more, for good": (agreeing(VALUES, is_linked=True) + differing(1) + agreeing(99, is_linked=True), False),
}


@pytest.mark.parametrize(("history", "is_void"), HISTORIES.values(), ids=HISTORIES)
def test_a_parameter_is_void_by_what_was_seen_of_it(history: list[Evidence], is_void: bool) -> None:
    """The store may have been read anew at any time; and each change of the verdict is said once."""
    pairs, was_void = Pairs(), False
    for found in history:
        changed = pairs.note(found)
        assert ("?sid" in pairs.void) == (was_void != ("?sid" in changed))
        was_void = "?sid" in pairs.void
        pairs = Pairs(pairs.by_name.items())
    assert ("?sid" in pairs.void) is is_void
    urls = [f"{HOST}/x?a={number}&sid=z" for number in range(20 * READ_ALL_THE_SAME)]
    kept = [url for url in urls if zlib.crc32(url.encode()) % READ_ALL_THE_SAME == 0] if is_void else urls
    assert [url for url in urls if pairs.plain(url, anything) == url] == kept
    assert {pairs.plain(url, anything) for url in urls} <= {*kept} | {without(url, "sid") for url in urls}
    assert pairs.plain(f"{HOST}/x?SID=z", anything) == f"{HOST}/x?SID=z"


def test_one_value_of_a_parameter_changes_nothing() -> None:
    """Page 1 of each list is the list; page 2 is another page, and so is a plainer URL that nobody knows."""
    pairs, said = Pairs(), list[list[str]]()
    for topic in range(VALUES):
        for page in (2, 1):
            url, plain = f"{HOST}/t{topic}?page={page}", f"{HOST}/t{topic}"
            said.append(pairs.note(Evidence(url, "?page", plain, agrees=page == 1)))
            pairs = Pairs(pairs.by_name.items())
    assert said == [[]] * (2 * VALUES - 1) + [["?page=1"]]
    near = [Evidence(f"{HOST}/t{topic}?page=3", "?page", "", agrees=True, is_near=True) for topic in range(VALUES)]
    assert [pairs.note(found) for found in near] == [[]] * VALUES
    urls = [f"{HOST}/t{topic}?page={page}&a=b" for topic in range(40) for page in (1, 2, 11)]
    known = {f"{HOST}/t{topic}?a=b" for topic in range(20)}
    changed = {url for url in urls if pairs.plain(url, known.__contains__) != url}
    kept = {url for url in urls if zlib.crc32(url.encode()) % READ_ALL_THE_SAME == 0}
    assert changed == {url for url in urls if "page=1&" in url and url.replace("page=1&", "") in known} - kept
    twice = f"{HOST}/t1?page=1&page=1"
    assert pairs.plain(twice, anything) == twice
    assert pairs.note(Evidence(urls[0], "?page", urls[0], agrees=False)) == ["?page=1"]


def test_names_with_a_value_are_few() -> None:
    pairs = Pairs()
    for found in agreeing(3 * MOST_EXACT, pages=9, of="id"):
        pairs.note(found)
    pairs.note(differing(1)[0])
    assert len(pairs.by_name) < 10
    pairs = Pairs()
    pairs.note(Evidence(f"{HOST}/a?id=0", "?id", f"{HOST}/b", agrees=False))
    for found in agreeing(3 * MOST_EXACT, pages=9, of="id"):
        pairs.note(found)
    assert len(pairs.by_name) == MOST_EXACT + 1


NAMES = st.sampled_from(["?a", "?b", "?", "case", "order", "www.", "front"])
URLS = st.builds(
    "http://{}/{}{}".format,
    st.sampled_from(["a.test", "www.a.test"]),
    st.sampled_from(["", "x", "X/y", "index.html"]),
    st.sampled_from(["", "?", "?a=1", "?b=1&a=2", "?c=1&b=2&a=3", "?a=1&a=2", "?b"]),
)


@given(st.sets(NAMES), URLS)
def test_a_plain_url_has_nothing_void_left(void: set[str], url: str) -> None:
    plain = Pairs((name, Pair(is_void=True)) for name in void).plain(url, anything)
    if plain != url:
        assert not void & plainer(plain).keys()
    elif void & plainer(url).keys():
        assert zlib.crc32(url.encode()) % READ_ALL_THE_SAME == 0


def test_an_experiment_is_made_where_it_pays() -> None:
    random_value = "cc8cf0596231f9a7dba4da6e77c29db3"
    pairs, url = Pairs(), f"{HOST}/x?a=1&sid={random_value}"
    assert pairs.experiment(url, repeats=False, is_worth_it=True) is None  # few wait
    for number in range(WAITING):
        pairs.note_known(f"{HOST}/{number}?a={number}&sid={number}")
    assert pairs.experiment(f"{HOST}/x?a=1", repeats=False, is_worth_it=True) is None
    assert pairs.experiment(f"{HOST}/x?a=1", repeats=True, is_worth_it=False) is None
    assert pairs.experiment(f"{HOST}/x?a=1", repeats=True, is_worth_it=True) == ("?a", f"{HOST}/x")
    for _ in range(EXPERIMENTS):
        assert pairs.experiment(url, repeats=False, is_worth_it=False) == ("?sid", f"{HOST}/x?a=1")
    assert pairs.experiment(url, repeats=False, is_worth_it=False) is None
    pairs.note(Evidence(f"{HOST}/x?a=2", "?a", "", agrees=False))
    assert pairs.experiment(f"{HOST}/x?a=3", repeats=True, is_worth_it=True) is None
    pairs.note_known(f"{HOST}/0?a=0&b={random_value}", -1)
    assert [shape_of(url).names, sorted(pairs.by_name)] == [("a", "sid"), ["?a", "?sid"]]


@given(st.lists(st.lists(st.integers(0, 2**32 - 1) | st.integers(0, 9), max_size=40), max_size=12), st.integers(0, 12))
def test_known_lines_are_a_set_also_across_a_restart(pages: list[list[int]], restart: int) -> None:
    known, slow, stored = KnownLines(), set[int](), list[bytes]()
    for number, page in enumerate(pages):
        if number == restart:
            stored.append(known.take_new())
            known = KnownLines(b"".join(stored), known.pieces)
        lines = np.unique(np.array(page, dtype=np.uint32))
        assert known.has(lines).tolist() == [line in slow for line in lines.tolist()]
        assert [known.knows(line) for line in page] == [line in slow for line in page]
        known.add(lines[~known.has(lines)].tolist())
        slow |= set(page)
        assert len(known) == len(slow)


def test_very_many_known_lines_are_a_set_as_well() -> None:
    draw, known, slow = np.random.default_rng(1), KnownLines(), set[int]()
    for _ in range(40):
        lines = np.unique(draw.integers(0, 50_000, 500, dtype=np.uint32))
        assert known.has(lines).tolist() == [line in slow for line in lines.tolist()]
        known.add(lines[~known.has(lines)].tolist())
        slow.update(lines.tolist())
    assert set(np.frombuffer(known.take_new(), np.uint32).tolist()) == slow
    assert known.take_new() == b""
    assert known.pieces == 1


@pytest.mark.parametrize(("answers", "most"), [(MANY_VALUES, MANY_VALUES), (EXPERIMENTS - 1, EXPERIMENTS)])
def test_experiments_that_all_agree_go_on_until_they_decide(answers: int, most: int) -> None:
    """A front page is one page under all sessions; its twin is a host of which an answer did not come."""
    pairs = Pairs()
    for number in range(WAITING):
        pairs.note_known(f"{HOST}/{number}?sid={number}")
    for number in range(MANY_VALUES):
        url = f"{HOST}/?sid={number:032x}"
        found = pairs.experiment(url, repeats=True, is_worth_it=True)
        assert (found is not None) == (number < most)
        if number < answers:
            pairs.note(Evidence(url, "?sid", HOST, agrees=True, is_linked=False))
    assert ("?sid" in pairs.void) == (answers == MANY_VALUES)
