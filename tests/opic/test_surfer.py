"""Cash carried by links according to their places: against whole numbers of any size, PageRank, and cheats."""

import random
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.opic_webs import csr, pages

from minicrawl.opic import Book
from minicrawl.opic.book import SETTLED_ERROR
from minicrawl.opic.surfer import REASONABLE, UNIFORM, Shares, Surfer
from minicrawl.opic.units import damped
from minicrawl.rank import Graph, pagerank

TEXT, LIST, NAVIGATION = range(3)
HEAVIEST = 1000
surfers = st.builds(Surfer, *[st.integers(1, HEAVIEST)] * 3)
several_places = st.lists(st.integers(0, 2), max_size=30)
cash = st.one_of(st.integers(0, 1000), st.integers(0, 2**62))


def as_array(places: Sequence[int]) -> npt.NDArray[np.uint8]:
    return np.array(places, dtype=np.uint8)


def by_hand(surfer: Surfer, passed: int, places: Sequence[int]) -> list[int]:
    """floor(K w / W), in fractions."""
    weights = [(surfer.text, surfer.list, surfer.navigation)[place] for place in places]
    whole = sum(weights)
    return [int(Fraction(passed * weight, whole)) for weight in weights]


@given(surfers, cash, several_places)
@example(Surfer(1, 1, 5), 2**61, [0])
def test_links_of_a_page_carry_what_their_places_weigh(surfer: Surfer, passed: int, places: list[int]) -> None:
    expected = by_hand(surfer, passed, places)
    each, in_all = surfer.sent(passed, len(places), as_array(places))
    assert np.broadcast_to(each, len(places)).tolist() == expected
    assert in_all == sum(expected)
    assert passed - len(places) < in_all <= passed or not places


@given(surfers, st.lists(st.tuples(cash, several_places), min_size=1, max_size=8))
def test_many_pages_at_once_share_as_each_alone_does(surfer: Surfer, some: list[tuple[int, list[int]]]) -> None:
    """Without an overflow, whatever they pass on."""
    indptr, places = csr([places for _, places in some])
    shares = Shares(surfer, indptr, places.astype(np.uint8))
    sigmas = shares.sigmas(pages(passed for passed, _ in some))
    expected = [by_hand(surfer, *one) for one in some]
    assert shares.each(sigmas).tolist() == [units for row in expected for units in row]
    assert shares.in_all(sigmas).tolist() == [sum(row) for row in expected]


def test_page_of_fifty_thousand_links_of_the_utmost_weights_shares_to_the_unit() -> None:
    surfer, places = Surfer(HEAVIEST, HEAVIEST - 1, 1), [at % 3 for at in range(50_000)]
    shares = Shares(surfer, np.array([0, 50_000]), as_array(places))
    for passed in (2**62, 2**62 - 1, 49_999, 33_333_333):
        expected = by_hand(surfer, passed, places)
        assert shares.each(shares.sigmas(pages([passed]))).tolist() == expected
        assert surfer.sent(passed, 50_000, as_array(places))[1] == sum(expected)


@given(surfers, st.integers(0, 2**62), st.integers(1, 2000), st.integers(0, 2))
def test_links_that_all_stand_alike_carry_what_they_did_to_the_unit(
    surfer: Surfer, h: int, links: int, place: int
) -> None:
    """Wherever that is; and so do those of whose places nothing is known."""
    passed = 17 * h // 20
    each = damped(h) // links
    alike, _ = surfer.sent(passed, links, np.full(links, place, dtype=np.uint8))
    assert np.broadcast_to(alike, links).tolist() == [each] * links
    assert surfer.sent(passed, links) == UNIFORM.sent(passed, links) == (each, links * each)


# Rankings.


Web = tuple[list[list[int]], list[list[int]]]
"""Links and their places, by page."""


def made_up(seed: int, n: int) -> Web:
    """A web of sites: of each page some links lead anywhere in the text, some are lists, some lead to the same few."""
    draw = random.Random(seed)
    popular = [int(n * draw.random() ** 3) for _ in range(40 * n)]
    links, places = [], []
    for page in range(n):
        found: dict[int, int] = {}
        for place, most in ((TEXT, 4), (LIST, 8), (NAVIGATION, 12)):
            many = draw.randrange(most) if draw.random() < 0.8 else 0
            menu = range(page // 100 * 100, page // 100 * 100 + 9)
            for _ in range(many):
                target = draw.choice(menu) if place == NAVIGATION else draw.choice(popular)
                if target != page and target < n:
                    found.setdefault(target, place)
        links.append(list(found))
        places.append(list(found.values()))
    return links, places


def settled(web: Web, surfer: Surfer, *, knows_places: bool = True) -> Book:
    """A book that has visited every page, until its ranking is settled."""
    links, places = web
    n = len(links)
    book = Book(surfer=surfer)
    book.discover(n)
    indptr, targets = csr(links)
    _, all_places = csr(places)
    stored = all_places.astype(np.uint8)
    book.visit_many(np.arange(n), indptr, targets, stored if knows_places else None)
    while (least := book.least_worth(SETTLED_ERROR)) is not None:
        rows = book.unsettled(np.arange(n), least)
        some = csr([links[row] for row in rows])
        book.visit_many(rows, *some, csr([places[row] for row in rows])[1].astype(np.uint8) if knows_places else None)
    return book


@pytest.mark.parametrize("surfer", [UNIFORM, REASONABLE, Surfer(1, 2, 50)], ids=repr)
def test_settled_book_is_weighted_pagerank(surfer: Surfer) -> None:
    links, places = web = made_up(3, 3000)
    graph = Graph.from_links(links)
    weights = surfer.weights[csr(places)[1]].astype(np.float64)
    exact = pagerank(graph, weights=weights)
    importance = settled(web, surfer).importance()
    assert np.abs(importance - exact).sum() <= 2e-6
    assert set(np.argsort(-importance)[:100]) == set(np.argsort(-exact)[:100])
    if not surfer.is_uniform:
        assert np.abs(importance - pagerank(graph)).sum() > 0.01


def test_uniform_surfer_ranks_as_if_nothing_were_known_of_places() -> None:
    """To the unit."""
    web = made_up(4, 2000)
    one, other = settled(web, UNIFORM), settled(web, UNIFORM, knows_places=False)
    assert one.received(slice(0, one.size)).tolist() == other.received(slice(0, other.size)).tolist()
    assert one.virtual == other.virtual


# Who would cheat.


@pytest.mark.parametrize("seed", range(5))
def test_link_slipped_into_text_carries_at_most_eight_times_what_it_would_for_the_papers_surfer(seed: int) -> None:
    """W is at least the number of links, so 8 / W is at most 8 times 1 / o."""
    draw = random.Random(seed)
    places = as_array([TEXT] + [draw.choice([TEXT, LIST, NAVIGATION]) for _ in range(draw.randrange(1, 300))])
    slipped = int(np.broadcast_to(REASONABLE.sent(2**40, len(places), places)[0], len(places))[0])
    plain = UNIFORM.sent(2**40, len(places))[0]
    assert slipped <= 8 * (plain + 1)
    all_else_in_navigation = as_array([TEXT] + [NAVIGATION] * 1000)
    most = np.broadcast_to(REASONABLE.sent(2**40, 1001, all_else_in_navigation)[0], 1001)[0]
    assert most / UNIFORM.sent(2**40, 1001)[0] == pytest.approx(8, rel=0.01)


def test_site_with_everything_in_navigation_ranks_as_for_the_papers_surfer() -> None:
    links, places = made_up(5, 300)
    in_navigation = links, [[NAVIGATION] * len(row) for row in places]
    one, other = settled(in_navigation, REASONABLE), settled((links, places), UNIFORM)
    assert one.received(slice(0, one.size)).tolist() == other.received(slice(0, other.size)).tolist()
