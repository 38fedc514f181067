"""Coverage is never lower than said, whatever unread pages link to, and is what is said once all is settled."""

import random
from collections.abc import Iterable

import numpy as np
import pytest
from support.opic_webs import D, Rows, csr, exact_importance, final, pages, settled

from minicrawl.opic import Book, Coverage
from minicrawl.opic.book import resend
from minicrawl.opic.coverage import CoverageSums, PageKind, shares_of_all
from minicrawl.opic.sites import SiteBirths, SiteShares
from minicrawl.opic.surfer import REASONABLE, UNIFORM, Surfer

SURFERS = (UNIFORM, REASONABLE, Surfer(3, 2, 1))
READ = (PageKind.PAGE, PageKind.ALIAS)
ROUNDING = 1e-7
"""Birth cash of a page is 2^24 units, of which links carry whole ones."""


class Life:
    """A web whose pages appear, change and vanish, and a crawl of it that takes them in any order, again and again.

    Walkers jump to all pages alike, or to sites that are trusted more or less as time goes by.
    """

    def __init__(self, seed: int, n: int) -> None:
        self.draw = random.Random(seed)
        self.n = n
        self.surfer = SURFERS[seed % len(SURFERS)]
        self.book = Book(surfer=self.surfer)
        self.book.discover(n)
        self.coverage = Coverage(self.book)
        self.coverage.grow(n)
        self.links: list[list[int]] = [[] for _ in range(n)]
        self.places: list[list[int]] = [[] for _ in range(n)]
        self.kinds = [PageKind.UNKNOWN] * n
        self.gone: set[int] = set()

    def aliases(self) -> set[int]:
        return {page for page in range(self.n) if self.kinds[page] is PageKind.ALIAS}

    def turn(self) -> None:
        """A page has its turn: what is found there may be another thing than the last time, as may its links."""
        page = self.draw.randrange(self.n)
        kind = self.draw.choice([PageKind.PAGE, PageKind.PAGE, *PageKind])
        others = [other for other in range(self.n) if other != page]
        links = self.draw.sample(others, self.draw.choice([0, 1, 2, 3, 7])) if kind is PageKind.PAGE else []
        if kind is PageKind.ALIAS:
            others = [other for other in others if final(other, self.links, self.aliases() - {page}) != page]
            links = [self.draw.choice(others)]
        if self.kinds[page] is kind and self.draw.random() < 0.5:
            links = self.links[page]
        places = [self.draw.randrange(3) for _ in links]
        old, self.links[page], self.kinds[page] = self.links[page], links, kind
        old_places, self.places[page] = self.places[page], places
        new, before = (np.array(some, dtype=np.uint8) for some in (places, old_places))
        alias = kind is PageKind.ALIAS
        if page in self.gone:
            self.gone.remove(page)
            self.book.revive(page)
        self.book.visit(page, pages(links), pages(old), places=new, old_places=before, alias=alias)
        self.coverage.note(page, kind, leads=len(links) > 0)
        if kind is PageKind.NOTHING and self.draw.random() < 0.5:
            self.gone.add(page)
            self.book.retire(page)

    def rows(self, some: Iterable[int]) -> Rows:
        """Some rows of the table of links."""
        some = list(some)
        places = np.array([place for page in some for place in self.places[page]], dtype=np.uint8)
        return Rows(pages(some), *csr([self.links[page] for page in some]), places)

    def settle(self, some: Iterable[int]) -> None:
        """Virtual visits of pages that had a turn."""
        visited = [page for page in some if self.book.is_visited(page)]
        self.book.visit_many(*self.rows(visited))
        self.coverage.note_change()

    def settle_some(self) -> None:
        self.settle(sorted(self.draw.sample(range(self.n), self.draw.randrange(1, self.n))))

    def share_births_out(self) -> None:
        """Other sites are trusted from now on, and pages have other doors."""
        rule = SiteBirths()
        rule.grow(self.n)
        sites = self.draw.randrange(1, 4)
        rule.site[: self.n] = [self.draw.randrange(1, sites + 1) for _ in range(self.n)]
        rule.voices[: self.n] = [self.draw.choice([0, 0, 256, 700]) for _ in range(self.n)]
        trust = np.array([0.0, *(self.draw.random() for _ in range(sites))])
        before, none = self.book.twentieths, np.zeros(0, np.int64)
        self.book.share_births_out(rule, SiteShares(trust / trust.sum(), none, trust, none > 0, 2.0**55, 2**40, none))
        if before != self.book.twentieths:
            resend(self.book, *self.rows(range(self.n)), before)
        self.coverage.note_change()

    def truth(self, *, keep: bool = False) -> float:
        """Share of the pages read, by the linear system of the known graph. The others have no links, or `keep` all
        that comes to them."""
        jump = self.book.birth(slice(0, self.n)).astype(float).tolist()
        weights = [self.surfer.weights[places].tolist() if places else [] for places in self.places]
        links = list(self.links)
        for page in range(self.n):
            if keep and self.kinds[page] not in READ and page not in self.gone:
                links[page], weights[page] = [page], [1]
        importance = exact_importance(links, jump, self.aliases(), weights, self.book.twentieths / 20, self.gone)
        return share_of(importance, [page for page in range(self.n) if self.kinds[page] is PageKind.PAGE])

    def check(self) -> None:
        low, about, shown = self.coverage.shares()
        assert 0.0 <= low <= min(self.truth(keep=True) + ROUNDING, shown)
        assert low <= about <= shown
        assert self.coverage.kind[: self.n].tolist() == self.kinds
        collected = self.coverage.collected
        assert collected == sum(kind in READ for kind in self.kinds)
        self.coverage.recount()
        assert self.coverage.collected == collected


def unread(count: int) -> tuple[Book, Coverage]:
    """So many pages, none of which was read."""
    book = Book()
    book.discover(count)
    coverage = Coverage(book)
    coverage.grow(count)
    return book, coverage


def share_of(importance: np.ndarray, read: Iterable[int]) -> float:
    return float(sum(importance[page] for page in set(read)))


@pytest.mark.parametrize("seed", [0, 1, 3, 4, 5])
def test_low_stays_below_the_truth_whatever_becomes_of_pages(seed: int) -> None:
    """After each of 400 turns: forbidden pages, errors, pages lost and found again, new links, aliases, other trust."""
    life = Life(seed, n=12)
    for step in range(400):
        life.settle_some() if life.draw.random() < 0.3 else life.turn()
        if seed % 2 and step % 40 == 30:
            life.share_births_out()
        life.check()
    assert 0 < life.coverage.collected < life.n


@pytest.mark.parametrize("seed", range(5))
def test_both_are_the_truth_once_everything_is_settled_and_what_low_misses_is_in_pages_not_read(seed: int) -> None:
    life = Life(seed, n=12)
    if seed % 2:
        life.share_births_out()
    for _ in range(200):
        life.turn()
    while life.book.certificate() > 1e-8:
        life.settle(range(life.n))
        life.check()
    read, kept, sites = life.truth(), life.truth(keep=True), int((life.book.rule.page_level > 1).sum())
    assert kept * (1.0 - (1.0 - kept) * (1.0 - 1.0 / max(sites, 1))) == pytest.approx(life.coverage.shares()[0])
    assert life.coverage.shares() == pytest.approx(settled(read, sites), abs=1e-6)
    missing, importance = life.coverage.missing(), life.book.importance()
    assert missing.sum() == pytest.approx(1.0 - kept, abs=1e-6)
    for page, kind in enumerate(life.kinds):
        share = 0.0 if kind in READ else importance[page] / (1.0 - read) * (1.0 - kept)
        assert missing[page] == pytest.approx(share, abs=1e-6)


def test_nothing_known_or_read_is_nothing_covered() -> None:
    assert Coverage(Book()).shares() == settled(0.0, 2) == (0.0, 0.0, 0.0)
    book, coverage = unread(1)
    assert coverage.shares() == (0.0, 0.0, 0.0)
    book.visit(0, pages([]))
    coverage.note(0, PageKind.PAGE)
    assert coverage.shares() == (1.0, 1.0, 1.0)


def test_all_pages_read_are_everything_up_to_the_error_of_settled_importance_else_trust_may_move() -> None:
    """With a third of all unread, kept is 1 / (1 + 1). Between two sites a half of that half may move."""
    read, third = 10**8, 10**8 // 2
    ends = (0, 4, 9, 1.0), (0, 400, 9, 1 - 3e-6), (1, 0, 1, 1 - 2e-8)
    for unread, waiting, sites, low in (*ends, (third, 0, 0, 1 / 2), (third, 0, 1, 1 / 2), (third, 0, 2, 3 / 8)):
        sums = CoverageSums(read, unread, 0, 0, waiting, moving=0, owed=0, sites=sites, damping=0.5, fewer=0)
        assert shares_of_all([sums])[0] == pytest.approx(low, abs=1e-9)


@pytest.mark.parametrize(
    ("fewer", "found", "left", "sites", "about"),
    [
        (0, 0, 0, 1, 6 / 8),
        (0, 0, 3, 1, 6 / 8.8),
        (0, 2, 3, 1, 6 / 9.8),
        (2, 2, 3, 1, 5 / 8.8),
        (2, 2, 3, 2, 5 / 8.8 * (1 - 1 / 2 * 1 / 2 * 3.8 / 8.8)),
        (2, 2, 3, 0, 6 / 8),
    ],
)
def test_half_of_what_low_fears_comes_true_of_pages_that_are_left(
    fewer: int, found: int, left: int, sites: int, about: float
) -> None:
    """Read pages have 6 of 6 + 2, these two fifths more if they wait for their first turn; walkers that jump to all
    pages alike have been there."""
    sums = CoverageSums(6, 3, found, 1, 0, 0, 0, sites, 0.5, fewer, left)
    assert shares_of_all([sums])[1] == pytest.approx(about)
    half = sums._replace(read=2, unread=1, doubted=0, sites=sites // 2)
    other = CoverageSums(4, 2, 0, 1, 0, 0, 0, sites - sites // 2, 0.5, 0)
    assert shares_of_all([half, other])[1] == pytest.approx(about)


def test_pages_that_will_not_be_there_hold_nothing_of_what_is_shown() -> None:
    book, coverage = unread(4)
    book.visit(0, pages([]))
    coverage.note(0, PageKind.PAGE)
    coverage.doubts = lambda: np.array([0.0, 1.0, 0.5, 0.5])
    assert coverage.shares() == pytest.approx((0.15 / 3.15, 0.5, 0.75))


def test_pages_found_since_births_were_shared_out_count_by_their_part_of_all_births() -> None:
    """Read is one of two: 1/2 of 1/2 + 1. Two more would have half of both births: 1/2 of 1/2 + 1 + 1."""
    book, coverage = unread(2)
    rule, none = SiteBirths(), np.zeros(0, np.int64)
    rule.grow(2)
    rule.site[:2] = 1
    book.share_births_out(rule, SiteShares(np.array([0.0, 1.0]), none, np.zeros(0), none > 0, 2.0**40, 0, none))
    book.visit(0, pages([]))
    coverage.note(0, PageKind.PAGE)
    assert coverage.shares()[0] == pytest.approx(1 / 3)
    book.discover(2)
    coverage.grow(4)
    assert coverage.shares()[0] == pytest.approx(1 / 5)


def test_pages_not_found_yet_take_births_like_those_of_pages_that_have_had_theirs() -> None:
    """Each of the pages left leads to one more, so as many as were read may come: also right after a list has brought
    pages that have no births yet."""
    found = []
    for known, more in ((9, 0), (9, 8), (5, 8)):
        book, coverage = unread(known)
        rule, none = SiteBirths(), np.zeros(0, np.int64)
        rule.grow(known)
        rule.site[:known] = 1
        book.share_births_out(rule, SiteShares(np.array([0.0, 1.0]), none, np.zeros(0), none > 0, 2.0**40, 0, none))
        for page in range(5):
            book.visit(page, pages([]))
            coverage.note(page, PageKind.PAGE)
        book.discover(more)
        coverage.grow(known + more)
        coverage.prospects = lambda left: (1.0, 0.0)
        sums = coverage.sums()
        new = book.births * more // (known + more)
        found.append((sums.found - new) / book.births)
        assert sums.fewer == pytest.approx(sums.read * (sums.found - new) / (book.births * 5 / known), rel=1e-6)
    assert found == pytest.approx([5 / 9, 5 / 9, 5 / 5 / 13], rel=1e-6)


def test_what_waits_counts_by_how_far_it_may_go() -> None:
    """Both pages were read, and the second has .85 that it has not passed on: (1-d) 2.85 of (1-d) 2.85 + d .85.
    One that has no links passes nothing on, ever.
    """
    for leads, moves in ((True, D * 0.85), (False, 0.0)):
        book, coverage = unread(2)
        for page, links in ((1, []), (0, [1])):
            book.visit(page, pages(links))
            coverage.note(page, PageKind.PAGE, leads=leads)
        low = (1 - D) * 2.85 / ((1 - D) * 2.85 + moves)
        assert coverage.shares() == pytest.approx((low, 1.0, 1.0), abs=2e-6)


def test_shares_of_many_pages_are_looked_up_again_after_a_hundredth_of_them() -> None:
    book, coverage = unread(5_000)
    found = []
    for page in range(101):
        book.visit(page, pages([]))
        coverage.note(page, PageKind.PAGE)
        found.append(round(5_000 - 5_000 * coverage.shares()[-1]))
    assert found == [1] * 51 + [round(52 * (1 - 52 / 5_000))] * 50
