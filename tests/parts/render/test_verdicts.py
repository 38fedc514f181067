"""Verdicts on classes of URLs, by what rendered pages have shown."""

import random

import pytest

from minicrawl.model import Rendering
from minicrawl.parts.render.verdicts import AGAIN, FRONT, ClassRow, Gain, asked, pattern_of

NONE = frozenset[int]()
ITEM = "/item/{}"
SHELLS, ALL = Rendering(), Rendering(others=True, scrolls=False)
NOBODY = Rendering(shells=False)


@pytest.mark.parametrize(
    ("own", "words", "links", "counts"),
    [
        (0, 0, 0, False),
        (9, 40, 0, False),
        (10, 60, 0, True),
        (10, 67, 0, False),
        (150, 1000, 0, True),
        (149, 1000, 0, False),
        (0, 500, 2, False),
        (0, 500, 3, True),
        (3, 4, 0, True),
        (3, 6, 0, False),
        (2, 2, 0, False),
    ],
)
def test_a_gain_is_enough_own_words_or_links_that_nobody_knew(own: int, words: int, links: int, counts: bool) -> None:
    assert Gain("", own, words, links).counts is counts


def test_a_page_that_leads_to_routes_has_a_gain() -> None:
    assert Gain("", 0, 500, 1, leads_to_routes=True).counts


def after(history: str, *, is_sample: bool = False) -> ClassRow:
    """A class after pages with a gain (+) and without (-)."""
    row = ClassRow("h.test", ITEM)
    for each in history:
        row = row.after(Gain("", 40 * (each == "+"), 40, 0), 1, is_sample=is_sample)
    return row


HISTORIES = {
    "": SHELLS, "-": SHELLS, "--": NOBODY, "+": ALL, "-+": ALL, "--+": ALL, "+--": ALL,
    "+---": SHELLS, "+----": NOBODY, "+---+": ALL, "+----+---": SHELLS,
}  # fmt: skip


@pytest.mark.parametrize("history", HISTORIES)
def test_one_page_with_gain_makes_a_class_need_a_browser_and_two_or_three_without_make_it_plain(history: str) -> None:
    classes = {ITEM: after(history, is_sample=True)} if history else {}
    assert asked(classes, ITEM, 2, NONE) == HISTORIES[history]


def test_a_class_is_as_its_last_pages_were() -> None:
    """Against a slow oracle, of random histories."""
    draw = random.Random(1)
    for _ in range(500):
        history = "".join(draw.choices("+-", k=draw.randrange(9)))
        row = after(history)
        assert row.needs_browser == ("+" in history[-3:])
        assert row.is_plain == (len(history) >= 2 and "+" not in (history[-3:] if "+" in history else history))


def test_the_figures_are_those_of_the_page_that_made_the_verdict() -> None:
    row = ClassRow("h.test", ITEM)
    gain, dull = Gain("gain", 40, 50, 1), Gain("dull", 1, 300, 0)
    assert row.after(gain, 1, is_sample=False).url == "gain"
    assert row.after(gain, 1, is_sample=False).after(dull, 1, is_sample=False).url == "gain"
    assert row.after(dull, 1, is_sample=False)[-4:] == dull[:4]


def of_classes(**rows: ClassRow) -> dict[str, ClassRow]:
    return {f"/{name}/{{}}": row._replace(pattern=f"/{name}/{{}}") for name, row in rows.items()}


def test_three_classes_of_a_host_have_a_sample_once_three_of_their_urls_are_known_and_its_front_page_has() -> None:
    sample, no_gain = Rendering(others=True, spared=frozenset({7})), after("-", is_sample=True)
    spared = frozenset({7})
    assert asked({}, FRONT, 1, spared) == asked({}, ITEM, 3, spared) == sample
    assert asked({}, ITEM, 2, spared) == SHELLS._replace(spared=spared)
    assert asked(of_classes(a=no_gain, b=no_gain) | {FRONT: no_gain._replace(pattern=FRONT)}, ITEM, 3, spared) == sample
    assert not asked(of_classes(a=no_gain, b=no_gain, c=no_gain), ITEM, 3, spared).others
    assert not asked({}, ITEM, 3, None).others  # there is no time for samples
    assert asked({ITEM: after("-")}, ITEM, 3, spared).others  # a suspect that was rendered is no sample
    assert not asked({ITEM: no_gain}, ITEM, 3, spared).others


def test_small_classes_have_the_verdict_on_which_three_classes_of_the_host_agree() -> None:
    needs, plain = after("+"), after("--", is_sample=True)
    assert asked(of_classes(a=needs, b=needs, c=needs), ITEM, 2, NONE) == ALL
    assert asked(of_classes(a=plain, b=plain, c=plain), ITEM, 2, NONE) == NOBODY._replace(scrolls=False)
    assert asked(of_classes(a=needs, b=needs), ITEM, 2, NONE) == SHELLS
    assert asked(of_classes(a=needs, b=needs, c=needs, d=plain), ITEM, 2, NONE) == SHELLS
    assert asked(of_classes(a=needs, b=needs, c=needs), ITEM, 3, NONE) == Rendering(others=True)  # as a sample


def test_one_page_in_two_hundred_of_a_plain_class_is_rendered_again() -> None:
    plain = after("--", is_sample=True)
    assert asked({ITEM: plain._replace(unseen=AGAIN - 2)}, ITEM, 3, NONE) == NOBODY
    assert asked({ITEM: plain._replace(unseen=AGAIN - 1)}, ITEM, 3, NONE) == Rendering(others=True)
    assert asked({ITEM: plain._replace(unseen=AGAIN - 1)}, ITEM, 3, None) == NOBODY
    assert plain._replace(unseen=AGAIN).after(Gain("", 0, 9, 0), 1, is_sample=True).unseen == 0


def test_pages_of_a_class_are_scrolled_until_its_verdict_and_where_that_has_brought_links() -> None:
    gain = Gain("", 40, 40, 0)
    assert asked({}, FRONT, 1, NONE).scrolls
    assert not asked({ITEM: after("+")}, ITEM, 3, NONE).scrolls
    for scrolled, is_scrolled in ((0, False), (7, True)):
        row = ClassRow("h.test", ITEM).after(gain, 1, is_sample=False, scrolled=scrolled)
        assert asked({ITEM: row}, ITEM, 3, NONE).scrolls is is_scrolled


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("http://h.test/", FRONT),
        ("http://h.test/?q=1", "//?q"),
        ("http://h.test/item/7", "/item/{n}"),
        ("http://h.test/item/a?b=1&a=2", "/item/{}?a&b"),
        ("http://h.test/a/7/c/d.html", "/a/{n}/*.html"),
    ],
)
def test_the_front_page_is_a_class_of_its_own(url: str, pattern: str) -> None:
    assert pattern_of(url) == pattern
