"""Birth cash by site, entrance and voices: what a settled book makes of it is PageRank with that jump."""

import random
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.opic_webs import csr, exact_importance, pages, random_web

from minicrawl.opic import UNIT, Book
from minicrawl.opic.book import SETTLED_ERROR, resend
from minicrawl.opic.sites import ALL_BIRTHS, SiteBirths, SiteShares, entrances


def shares_of(trust: list[float], homes: float = 1_200.0, voice_level: int = 10) -> SiteShares:
    none = np.zeros(len(trust), dtype=np.int64)
    return SiteShares(np.array(trust), none, np.zeros(len(trust)), none > 0, homes, voice_level, none)


def shared_out(
    site: list[int], entrances: list[int], voices: list[int], trust: list[float], citations: tuple[int, ...] = ()
) -> SiteBirths:
    """Births of standing pages, where every unit of all is told apart."""
    births, size = SiteBirths(), len(site)
    births.grow(size)
    births.site[:size], births.voices[:size] = site, voices
    births.entrance[entrances] = True
    births.cite(np.array(citations, dtype=np.int64))
    births.share_out(shares_of(trust), np.ones(size, dtype=np.bool_), np.zeros(size, dtype=np.bool_))
    return births


def of_all(births: SiteBirths, size: int) -> list[int]:
    nowhere = np.zeros(size, dtype=np.bool_)
    found: list[int] = births.of(slice(0, size), nowhere, nowhere).tolist()
    return found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (([1, 1, 1, 1], [], [0, 0, 0, 0], [0, 1.0]), [300] * 4),  # no entrance: all alike
        (([1, 1, 1, 1], [0, 1], [0, 0, 0, 0], [0, 1.0]), [525, 525, 75, 75]),  # three quarters to entrances
        (([1, 1, 1, 1], [], [3, 0, 0, 1], [0, 1.0]), [330, 300, 300, 310]),  # and each voice to its page
        (([1, 2, 2], [], [0, 0, 0], [0, 0.5, 0.5]), [600, 300, 300]),  # sites first
        (([1, 2, 2], [1], [0, 2, 0], [0, 0.75, 0.25]), [900, 37 + 225 + 20, 37]),
        (([1, 0], [], [0, 0], [0, 1.0]), [1200, 1]),  # a page that became known since
        (([1, 2], [], [0, 0], [0, 1.0, 0.0]), [1200, 1]),  # a site that nobody trusts
        (
            ([1, 1, 1, 2], [0], [0] * 4, [0, 1.0, 0.0], (0, 1, 3, 2**30)),
            [920, 100, 180, 61],
        ),  # 1, 5, 9, 61 by citations
    ],
)
def test_births_by_hand(given: tuple[Any, ...], expected: list[int]) -> None:
    births = shared_out(*given)
    assert of_all(births, len(expected)) == expected
    assert [births.of_one(page, gone=False, alias=False) for page in range(len(expected))] == expected


def test_alias_has_what_leads_to_it_and_a_page_that_has_gone_nothing() -> None:
    births = shared_out([1, 1], [0, 1], [5, 5], [0, 1.0])
    flags = np.array([True, False])
    assert births.of(slice(0, 2), ~flags, flags).tolist() == [450 + 50, 0]
    assert births.of_one(0, gone=False, alias=True) == 500
    assert births.of_one(1, gone=True, alias=False) == 0


def test_site_that_is_left_with_no_page_gives_all_to_its_entrances() -> None:
    births = SiteBirths()
    births.grow(1)
    births.site[0], births.entrance[0] = 1, True
    births.share_out(shares_of([0.0, 1.0]), np.array([False]), np.array([False]))
    assert births.of(pages([0]), np.array([False]), np.array([True])).tolist() == [1200]


@pytest.mark.parametrize(
    ("doors", "stands_for", "read", "expected"),
    [
        ([0, 2], [0, 1, 2, 3, 4], [0, 1, 2], [0, 2]),  # two hosts, or two seeds: both were read
        ([0, 2], [0, 1, 2, 3, 4], [0, 1], [0]),  # nobody has read the other front page
        ([0, 2], [0, 1, 2, 3, 4], [1], [0, 2]),  # nor the first
        ([0, 2], [1, 1, 2, 3, 4], [1], [1]),  # that one stands for a page that was read
        ([0, 3], [0, 1, 2, 3, 4], [0], [0, 3]),  # of another site
        ([0, 3], [4, 1, 2, 3, 4], [4], [3]),  # and an entrance is no entrance of another site
    ],
)
def test_front_page_that_was_not_read_is_an_entrance_where_none_was(
    doors: list[int], stands_for: list[int], read: list[int], expected: list[int]
) -> None:
    """Nor is a seed that is not gone yet; of one that has gone nobody knows more than of a front page."""
    site, some, none = np.array([1, 1, 1, 2, 2]), np.isin(np.arange(5), read), np.zeros(5, dtype=np.bool_)
    for seed, known, gone in ((none, some, none), (some, none, none), (~none, some, ~some)):
        found = entrances(pages(doors), np.array(stands_for), site, seed, known, gone)
        assert np.flatnonzero(found).tolist() == expected


def test_many_voices_do_not_overflow() -> None:
    births = shared_out([1], [], [2**31 - 1], [0, 1.0])
    births.voice_level = 2**28
    assert births.of(slice(0, 1), np.array([False]), np.array([False])).tolist() == [1200 + (2**31 - 1) * 2**28]


class Changing:
    """A book on a web whose links, pages, sites and trust change."""

    def __init__(self, seed: int, size: int = 12) -> None:
        self.draw = random.Random(seed)
        self.links = random_web(self.draw, size, 0.3)
        self.book = Book()
        self.births = SiteBirths()
        self.kept: dict[int, list[int]] = {}
        self.aliases: set[int] = set()
        self.gone: set[int] = set()
        self.book.discover(size - 3)

    @property
    def size(self) -> int:
        return self.book.size

    def step(self) -> None:
        """Whatever may happen next."""
        deed, page = self.draw.randrange(12), self.draw.randrange(self.size)
        if deed == 0 and self.size < len(self.links):
            self.book.discover(1)
        elif deed == 1:
            self.share_out()
        elif page in self.gone:
            if deed == 2:  # it is asked for again
                self.book.revive(page)
                self.gone.remove(page)
                self.visit(page, [])
        elif deed == 2 and page in self.kept and page not in self.aliases:
            self.visit(page, [])
            self.book.retire(page)
            self.gone.add(page)
        elif deed == 3 and page and page - 1 not in self.gone:
            self.visit(page, [page - 1], alias=True)  # to smaller numbers only: none stands for itself
        elif deed == 4 and self.draw.random() < 0.1:
            before = self.book.twentieths
            self.book.share_births_alike(UNIT)
            self.resend(before)
        else:
            self.visit(page, self.draw.choice([self.links[page], self.draw.sample(range(len(self.links)), 3)]))

    def visit(self, page: int, targets: list[int], *, alias: bool = False) -> None:
        targets = [target for target in targets if target < self.size and target != page]
        self.book.visit(page, pages(targets), pages(self.kept.get(page, [])), alias=alias)
        self.kept[page] = targets
        (self.aliases.add if alias else self.aliases.discard)(page)

    def share_out(self) -> None:
        sites = 1 + self.draw.randrange(1, 4)
        self.births.grow(self.size)
        self.births.site[: self.size] = [self.draw.randrange(1, sites) for _ in range(self.size)]
        self.births.entrance[: self.size] = [self.draw.random() < 0.2 for _ in range(self.size)]
        self.births.voices[: self.size] = [self.draw.choice([0, 0, 256, 700]) for _ in range(self.size)]
        self.births.cited[: self.size] = [self.draw.choice([0, 0, 4, 60]) for _ in range(self.size)]
        trust = np.array([0.0, *(self.draw.random() for _ in range(sites - 1))])
        before = self.book.twentieths
        self.book.share_births_out(self.births, shares_of((trust / trust.sum()).tolist(), 2.0**55, 2**40))
        self.resend(before)

    def resend(self, before: int) -> None:
        sources = sorted(self.kept)
        if before != self.book.twentieths:
            resend(self.book, pages(sources), *csr([self.kept[page] for page in sources]), None, before)

    def check(self) -> None:
        """To the unit: what is kept beside the pages equals its definition, and nothing is made or lost."""
        book, known = self.book, slice(0, self.size)
        births, received = book.birth(known), book.received(slice(0, book.size))[known]
        visited = book.visited(known)
        assert book.births == births.sum()
        assert book.never_visited == (births + received).sum(where=~visited)
        assert received.sum() - book.forwarded[known].sum() + book.virtual == 0
        assert set(np.flatnonzero(visited).tolist()) == set(self.kept)
        assert [book.birth_of(page) for page in range(self.size)] == births.tolist()

    def settle(self) -> None:
        for _ in range(2_000):
            least = self.book.least_worth(SETTLED_ERROR / 10)
            if least is None:
                return
            sources = pages(sorted(self.kept))
            some = sources[self.book.unsettled(sources, least)]
            self.book.visit_many(some, *csr([self.kept[page] for page in some.tolist()]))
        raise AssertionError("the book does not settle")

    def exact(self) -> npt.NDArray[np.float64]:
        rows = [self.kept.get(page, []) for page in range(self.size)]
        born, damping = self.book.birth(slice(0, self.size)).tolist(), self.book.twentieths / 20
        return exact_importance(rows, born, self.aliases, damping=damping, gone=self.gone)


@pytest.mark.parametrize("seed", range(5))
def test_settled_book_is_pagerank_with_the_last_jump(seed: int) -> None:
    world = Changing(seed)
    for _ in range(120):
        world.step()
        world.check()
    world.share_out()
    world.check()
    world.settle()
    world.check()
    assert np.abs(world.book.importance() - world.exact()).sum() < 1e-6
    worths = world.book.worths(slice(0, world.size), world.book.held())
    assert world.book.total() == pytest.approx(worths.clip(0).sum())


@given(
    st.lists(st.sampled_from(["find", "find-many", "hear", "share", "leave", "return", "load"]), max_size=30),
    st.floats(0.1, 1.0),
    st.integers(0, 2**47),
)
@example(["find-many", "leave", "share", "return"], 1.0, 0)  # a site is back after all its pages but one were gone
@example(["find", "share", "find-many", "hear", "share", "find-many", "load"], 1.0, 2**47)
@example(["find-many", "leave", "share", "load", "return", "load"], 1.0, 2**47)
def test_no_order_of_events_makes_births_outgrow_twice_what_is_shared(
    events: list[str], trust: float, voice_level: int
) -> None:
    """What shares are worked out from may be little of what is known when they are applied, as in partitions."""
    book, rule, voices = Book(), SiteBirths(), np.zeros(0, dtype=np.int32)
    shares = shares_of([0.0, trust], ALL_BIRTHS, voice_level)
    book.discover(1)
    for event in events:
        if event.startswith("find"):
            book.discover(2_000 if event == "find-many" else 1)
        elif event == "hear":
            voices = np.full(book.size, 2**24, dtype=np.int32)
        elif event == "share":
            rule.grow(book.size)
            rule.site[: book.size], rule.entrance[0] = 1, True
            rule.voices[: len(voices)], rule.cited[1 : book.size] = voices, 60
            book.share_births_out(rule, shares)
        elif event == "leave":
            for page in range(1, book.size):
                book.retire(page)
        elif event == "return":
            for page in np.flatnonzero(book.gone[: book.size]).tolist():
                book.revive(page)
        else:  # as after a kill: the rule is that of the last time births were shared out
            known = slice(0, book.size)
            cash, forwarded = book.cash[known].copy(), book.forwarded[known].copy()
            gone, alias = book.gone[known].copy(), book.alias[known].copy()
            book = Book.of(cash, forwarded, gone, alias, book.virtual, rule=book.rule)
        assert 0 < book.births <= 2 * ALL_BIRTHS
        born = book.birth(slice(0, book.size))
        assert born.min() >= 0
        assert book.births == sum(born.tolist())
        assert sum(book.cash_of(slice(0, book.size)).tolist()) + book.virtual == book.births


@pytest.mark.parametrize("more", [50_000, 60_000])
def test_pages_found_since_births_were_shared_out_have_a_unit_each(more: int) -> None:
    """A seed with a page; then a sitemap, or a page of many links."""
    book, rule = Book(), SiteBirths()
    book.discover(1)
    rule.grow(1)
    rule.site[0], rule.entrance[0] = 1, True
    book.share_births_out(rule, shares_of([0.0, 1.0], ALL_BIRTHS, 2**47))
    before = book.births
    book.discover(more)
    assert book.births == before + more
