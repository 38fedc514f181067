"""The book against a dictionary that follows the text of the design, and against PageRank."""

# mypy: disable-error-code="arg-type"

import random
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.opic_webs import D, Rows, csr, exact_importance, final, pages, random_web

from minicrawl.opic import UNIT, Book
from minicrawl.opic.book import add_sent
from minicrawl.opic.surfer import REASONABLE, UNIFORM, Surfer
from minicrawl.opic.units import damped

MOST = 12
ROUNDS = 1000
"""More than enough to settle: .85 ** 130 of all cash is below a unit, chains of aliases take some more."""
NOTHING = pages([])


def sent(h: int, weights: Sequence[int], alias: bool) -> list[int]:
    """Cash that a page, having forwarded h in all, has sent along each of its links, by their weights."""
    return [h if alias else (h * 85 // 100) * weight // sum(weights) for weight in weights]


class Oracle:
    """Dictionaries, whole numbers of any size, and the rules word by word."""

    def __init__(self, unit: int, surfer: Surfer) -> None:
        self.unit = unit
        self.surfer = surfer
        self.places: dict[int, list[int]] = {}
        self.r: dict[int, int] = {}
        self.h: dict[int, int] = {}
        self.b: dict[int, int] = {}
        self.v = 0
        self.links: dict[int, list[int]] = {}
        self.aliases: set[int] = set()
        self.read: set[int] = set()
        self.gone: set[int] = set()

    def discover(self, j: int) -> None:
        self.r[j] = self.b[j] = self.unit
        self.h[j] = 0
        self.links[j] = []
        self.places[j] = []

    def weights(self, places: Sequence[int]) -> list[int]:
        return [(self.surfer.text, self.surfer.list, self.surfer.navigation)[place] for place in places]

    def visit(self, i: int, new: Sequence[int], places: Sequence[int], alias: bool, n: int | None = None) -> None:
        h, n = self.h[i], self.r[i] if n is None else n
        before = sent(h, self.weights(self.places[i]), i in self.aliases)
        after = sent(n, self.weights(places), alias)
        for j, units in zip(self.links[i], before, strict=True):
            self.r[j] -= units
        for j, units in zip(new, after, strict=True):
            self.r[j] += units
        self.v += (n - sum(after)) - (h - sum(before))
        self.h[i] = n
        self.links[i] = list(new)
        self.places[i] = list(places)
        self.aliases = self.aliases | {i} if alias else self.aliases - {i}
        self.read.add(i)

    def retire(self, i: int) -> None:
        self.visit(i, [], [], alias=False)
        self.r[i] -= self.b[i]
        self.b[i] = 0
        self.visit(i, [], [], alias=False)
        self.gone.add(i)

    def visit_many(self, chosen: Sequence[int]) -> None:
        held = {i: self.r[i] for i in chosen}
        for i in chosen:
            self.visit(i, self.links[i], self.places[i], i in self.aliases, held[i])

    def expected(self) -> dict[int, int]:
        """Lemma 2.3: birth cash and what each source has sent."""
        received = dict(self.b)
        for i, targets in self.links.items():
            for j, units in zip(targets, sent(self.h[i], self.weights(self.places[i]), i in self.aliases), strict=True):
                received[j] += units
        return received


def as_stored(places: Sequence[int]) -> npt.NDArray[np.uint8] | None:
    """The places of a page's links, None where they are all alike."""
    return np.array(places, dtype=np.uint8) if len(set(places)) > 1 else None


def drawn_places(links: Sequence[int], bits: int) -> list[int]:
    """A place for each link, by numbers that somebody has drawn."""
    return [(bits // 3**at) % 3 for at in range(len(links))]


SURFERS = (UNIFORM, REASONABLE, Surfer(1000, 1, 7), Surfer(5, 5, 5), Surfer(1, 2, 3))


def moving(book: Book) -> np.ndarray:
    """|C| of every page that was visited, 0 of the others: the cash that a visit would move."""
    known = slice(0, book.size)
    return np.where(book.visited(known), np.abs(book.cash_of(known)), 0)


class World:
    """A book and its oracle, led through the same history."""

    def __init__(self, unit: int = UNIT, surfer: Surfer = UNIFORM) -> None:
        self.book = Book(unit=unit, surfer=surfer)
        self.oracle = Oracle(unit, surfer)

    @property
    def n(self) -> int:
        return self.book.size

    def discover(self) -> None:
        assert self.book.discover() == range(self.n - 1, self.n)
        self.oracle.discover(self.n - 1)

    def visit(
        self, page: int, links: Sequence[int], places: Sequence[int] | None = None, *, alias: bool = False
    ) -> None:
        """places: of the links; None: all beside text."""
        places = [0] * len(links) if places is None else places
        old = self.oracle.links[page] if page in self.oracle.read else None
        self.book.visit(
            page,
            pages(links),
            None if old is None else pages(old),
            places=as_stored(places),
            old_places=as_stored(self.oracle.places[page]),
            alias=alias,
        )
        self.oracle.visit(page, links, places, alias)

    def revisit(self, page: int) -> None:
        self.visit(page, self.oracle.links[page], self.oracle.places[page], alias=page in self.oracle.aliases)

    def retire(self, page: int) -> None:
        self.book.visit(page, NOTHING, pages(self.oracle.links[page]), old_places=as_stored(self.oracle.places[page]))
        self.book.retire(page)
        self.oracle.retire(page)

    def rows(self, chosen: Iterable[int]) -> Rows:
        """Some rows of the table of links."""
        links, places = self.oracle.links, self.oracle.places
        some = list(chosen)
        all_places = np.array([place for page in some for place in places[page]], dtype=np.uint8)
        return Rows(pages(some), *csr([links[page] for page in some]), all_places)

    def visit_many(self, chosen: Sequence[int]) -> None:
        self.book.visit_many(*self.rows(chosen))
        self.oracle.visit_many(chosen)

    def alias_target(self, page: int, wish: int) -> int | None:
        """`wish`, unless letting `page` stand for it would close a loop."""
        others = self.oracle.aliases - {page}  # what the page stands for now does not count
        closes = wish == page or final(wish, self.oracle.links, others) == page
        return None if closes else wish

    def do(self, deed: str, number: int, bits: int) -> None:
        """One step of a random history: `number` names a page, `bits` a set of pages."""
        if deed == "discover" or not self.n:
            if self.n < MOST:
                self.discover()
            return
        page = number % self.n
        chosen = [other for other in range(self.n) if bits >> other & 1]
        if deed == "visit many":
            self.visit_many([other for other in chosen if other in self.oracle.read])
        elif page in self.oracle.gone:
            self.revisit(page)
        elif deed == "visit":
            links = [other for other in chosen if other != page]
            self.visit(page, links, drawn_places(links, bits))
        elif deed == "other places":
            links, alias = self.oracle.links[page], page in self.oracle.aliases
            self.visit(page, links, drawn_places(links, bits), alias=alias)
        elif deed == "visit unchanged":
            self.revisit(page)
        elif deed == "alias":
            target = self.alias_target(page, bits % self.n)
            if target is not None:
                self.visit(page, [target], alias=True)
        elif deed == "no longer an alias" and page in self.oracle.aliases:
            self.visit(page, self.oracle.links[page], self.oracle.places[page])
        elif deed == "gone" and page in self.oracle.read:
            self.retire(page)

    def check(self) -> None:
        """Everything that must hold after every step."""
        book, oracle, n = self.book, self.oracle, self.n
        received, forwarded, birth = (
            column.tolist()
            for column in (book.received(slice(0, book.size))[:n], book.forwarded[:n], book.birth(slice(0, n)))
        )
        # To the unit what the text of the design says.
        held = [got + born for got, born in zip(received, birth, strict=True)]
        assert held == list(oracle.r.values())
        assert forwarded == list(oracle.h.values())
        assert birth == list(oracle.b.values())
        assert book.virtual == oracle.v
        # I1: nothing is made, nothing is lost.
        assert sum(received) - sum(forwarded) + book.virtual == 0
        # I2: Lemma 2.3, by hand and by the audit.
        assert held == list(oracle.expected().values())
        audit = np.zeros(n, dtype=np.int64)
        add_sent(audit, book, *self.rows(oracle.links))
        assert audit.tolist() == received
        # I3: nobody owes.
        assert min(forwarded, default=0) >= 0
        assert book.virtual >= 0
        # What is kept beside the pages equals its definition.
        assert book.births == sum(birth)
        assert set(np.flatnonzero(book.visited(slice(0, n))).tolist()) == oracle.read
        assert book.never_visited == sum(held[page] for page in range(n) if page not in oracle.read)
        assert book.in_all == sum(received)
        residuals = [held[page] - forwarded[page] if page in oracle.read else 0 for page in range(n)]
        assert moving(book).tolist() == list(map(abs, residuals))
        least = max(1.0, 1.5 * sum(residuals) / max(n, 1))
        assert book.due(n).tolist() == [page for page in sorted(oracle.read) if abs(residuals[page]) >= least]
        self.check_importance()

    def check_importance(self) -> None:
        importance = self.book.importance()
        assert importance.shape == (self.n,)
        assert self.book.total() == pytest.approx(self.book._x(slice(0, self.n)).sum(), rel=1e-12, abs=1e-6)
        if importance.any():
            assert importance.sum() == pytest.approx(1.0, abs=1e-12)
            assert all(importance[page] == 0.0 for page in self.oracle.aliases)
        assert all(importance[page] > 0.0 for page in range(self.n) if page not in self.oracle.read)

    def settle(self, draw: random.Random) -> None:
        """Visit read pages in random order until nothing moves any more."""
        order = sorted(self.oracle.read)
        for _ in range(ROUNDS):
            if not moving(self.book).any():
                return
            draw.shuffle(order)
            for page in order:
                self.revisit(page)
        pytest.fail("the book does not settle")

    def exact(self) -> np.ndarray:
        """PageRank of the graph as it was last seen; walkers jump to pages that are not gone."""
        links = list(self.oracle.links.values())
        weights = [self.oracle.weights(places) for places in self.oracle.places.values()]
        born = [float(b) for b in self.oracle.b.values()]
        return exact_importance(links, born, self.oracle.aliases, weights, gone=self.oracle.gone)


DEEDS = (
    *("discover", "visit", "visit", "visit", "visit unchanged", "visit many", "visit many"),
    *("alias", "no longer an alias", "other places", "gone"),
)
histories = st.lists(
    st.tuples(st.sampled_from(DEEDS), st.integers(0, MOST - 1), st.integers(0, 2**MOST - 1)), min_size=5, max_size=40
)


def lived(
    history: Sequence[tuple[str, int, int]], unit: int = UNIT, known: int = 3, surfer: Surfer = REASONABLE
) -> World:
    """A world that has gone through `history`, unchecked."""
    world = World(unit, surfer)
    for _ in range(known):
        world.discover()
    for deed in history:
        world.do(*deed)
    return world


@pytest.mark.parametrize("seed", range(5))
def test_books_balance_through_a_long_life(seed: int) -> None:
    """I1, I2, I3 and the sums kept, through discovery, change of links and places, aliases, deletion and virtual
    visits."""
    draw = random.Random(seed)
    world = World((UNIT, UNIT, 1000, 7, 1)[seed], SURFERS[seed])
    world.check()
    for _ in range(300):
        deed = draw.choice(DEEDS[:-1]) if draw.random() < 0.98 else "gone"
        world.do(deed, draw.randrange(MOST), draw.getrandbits(MOST))
        world.check()
    assert world.oracle.gone
    assert world.n == MOST


@given(histories, st.integers(0, 2**MOST - 1))
def test_visits_at_once_equal_visits_one_by_one(history: list[tuple[str, int, int]], bits: int) -> None:
    """Where no page of the set links to another one, order does not matter."""
    at_once, one_by_one = lived(history), lived(history)
    links = at_once.oracle.links
    chosen: list[int] = []
    for page in sorted(at_once.oracle.read):
        if bits >> page & 1 and not any(page in links[other] or other in links[page] for other in chosen):
            chosen.append(page)
    at_once.visit_many(chosen)
    for page in chosen:
        one_by_one.revisit(page)
    at_once.check()
    assert (
        at_once.book.received(slice(0, at_once.book.size))[: at_once.n].tolist()
        == one_by_one.book.received(slice(0, one_by_one.book.size))[: at_once.n].tolist()
    )
    assert at_once.book.forwarded[: at_once.n].tolist() == one_by_one.book.forwarded[: at_once.n].tolist()
    assert at_once.book.virtual == one_by_one.book.virtual
    assert at_once.book.never_visited == one_by_one.book.never_visited


def test_page_that_is_emptied_and_given_cash_at_once_stays_visited() -> None:
    """Page 0 is gone and has lost the link that brought it cash, so its visit takes back what it had forwarded; in the
    same round page 1, whose link to it had carried nothing yet, sends it its first unit."""
    world = World(unit=1)
    for _ in range(4):
        world.discover()
    world.visit(0, [])
    world.visit(1, [0])
    world.visit(2, [0], alias=True)
    world.retire(0)
    world.visit(2, [])
    world.visit(3, [1], alias=True)
    world.check()
    assert (world.book.received(slice(0, world.book.size))[0], world.book.forwarded[0]) == (0, 1)
    world.visit_many([0, 1])
    assert (world.book.received(slice(0, world.book.size))[0], world.book.forwarded[0]) == (1, 0)
    world.check()
    assert world.book.due(10).tolist() == [0]


def test_page_that_went_with_nothing_forwarded_forwards_what_a_later_link_brings() -> None:
    """Nobody linked to it, so nothing was left of it when it had gone. It has been visited all the same."""
    world = World()
    for _ in range(3):
        world.discover()
    world.visit(2, [])
    world.retire(2)
    assert (world.book.received(slice(0, world.book.size))[2], world.book.forwarded[2]) == (0, 0)
    world.visit(0, [2])
    assert moving(world.book).tolist() == [0, 0, damped(UNIT)]
    assert world.book.due(10).tolist() == [2]
    assert world.book.least_worth(1e-6) is not None
    book = world.book
    loaded = Book.of(
        book.cash[:3].copy(), book.forwarded[:3].copy(), book.gone[:3].copy(), book.alias[:3].copy(), book.virtual
    )
    assert loaded.never_visited == world.book.never_visited == UNIT
    world.settle(random.Random(0))
    world.check()
    assert world.book.forwarded[2] == world.book.received(slice(0, world.book.size))[2] > 0
    assert np.abs(world.book.importance() - world.exact()).sum() < 1e-6


@given(histories, st.integers(0, 2**32))
def test_visiting_again_changes_nothing_once_settled(history: list[tuple[str, int, int]], seed: int) -> None:
    """I6: unchanged links and nothing left to forward, one by one and all at once. I7: after any history, in any order
    of visits, the importance is PageRank of the final graph."""
    world = lived(history)
    world.settle(random.Random(seed))
    if world.book.births:
        assert np.abs(world.book.importance() - world.exact()).sum() < 1e-5
    before = [world.book.cash.copy(), world.book.forwarded.copy(), world.book.virtual, world.book.never_visited]
    for page in world.oracle.read:
        world.revisit(page)
    world.visit_many(sorted(world.oracle.read))
    after = [world.book.cash, world.book.forwarded, world.book.virtual, world.book.never_visited]
    for one, other in zip(before, after, strict=True):
        assert np.array_equal(one, other)
    world.check()


@pytest.mark.parametrize("seed", range(5))
def test_certificate_bounds_the_error(seed: int) -> None:
    """I8: while links stay as they are, H/G is at most the certificate off, at every moment.

    Never-read pages count as pages without links that have forwarded all they have. Whole units are lost by
    rounding, under two per link and amplified at most 1 / (1 - d) times.
    """
    draw = random.Random(seed)
    n = draw.randrange(1, MOST + 1)
    web = random_web(draw, n, draw.choice([0.1, 0.3, 0.7]))
    world = World()
    for _ in range(n):
        world.discover()
    ever_read = draw.sample(range(n), draw.randrange(1, n + 1))
    tightest = 2.0
    for _ in range(15 * n):
        page = draw.choice(ever_read)
        world.visit(page, web[page])
        book = world.book
        history = np.where(book.forwarded[:n] > 0, book.forwarded[:n], book.cash_of(slice(0, n))).astype(float)
        known = [web[page] if page in world.oracle.read else [] for page in range(n)]
        error = np.abs(history / history.sum() - exact_importance(known, [1.0] * n)).sum()
        rounding = 2 * 2 * sum(map(len, known)) / ((1 - D) * history.sum())
        assert error <= book.certificate() + rounding + 1e-12  # the oracle's own last digits
        tightest = min(tightest, book.certificate())
    assert tightest < 0.5


def test_certificate_of_a_settled_book_is_zero_and_of_an_untouched_one_covers_everything() -> None:
    world = World()
    assert world.book.certificate() == 2.0
    for _ in range(3):
        world.discover()
    world.visit(0, [1, 2])
    world.settle(random.Random(0))
    assert world.book.certificate() == 0.0
    world.visit(1, [0])
    assert world.book.certificate() > 0.0


def book_with(residuals: Sequence[int], forwarded: int = 1000) -> Book:
    """Pages that have all forwarded the same, and received so much more, or less."""
    h = np.full(len(residuals), forwarded, dtype=np.int64)
    gone, alias = np.zeros(len(residuals), dtype=np.bool_), np.zeros(len(residuals), dtype=np.bool_)
    virtual = 1000 * len(residuals) - sum(residuals)
    received = h + np.array(residuals, dtype=np.int64) - 1000
    return Book.of(received - h, h, gone, alias, virtual, unit=1000)


@given(histories)
def test_book_of_its_columns_is_the_book(history: list[tuple[str, int, int]]) -> None:
    """Sums beside the columns follow from them."""
    world = World()
    for step in history:
        world.do(*step)
    book, n = world.book, world.n
    columns = (book.cash, book.forwarded, book.gone, book.alias)
    copies = [column[:n].copy() for column in columns]
    again = Book.of(*copies, book.virtual, unit=UNIT)  # type: ignore[misc]
    for name in ("size", "virtual", "births", "never_visited"):
        assert getattr(again, name) == getattr(book, name)
    assert again.importance().tolist() == book.importance().tolist()
    assert again.certificate() == book.certificate()


@pytest.mark.parametrize("block", [1, 4, 2**18])
def test_pages_with_much_more_left_than_the_mean_are_due_the_largest_first(
    block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mean is 100, so from 150 on a visit is worth it."""
    monkeypatch.setattr("minicrawl.opic.arrays.BLOCK", block)
    book = book_with([149, 150, 20, 30, 151, 100])
    assert book.due(9).tolist() == [1, 4]
    assert book.due(2).tolist() == [1, 4]
    assert book.due(1).tolist() == [4]
    assert book.due(0).tolist() == []


@pytest.mark.parametrize(
    ("residuals", "expected"),
    [
        ([149, 150, 20, 30, 151, 100], [1, 4]),
        ([100, -100, 100, -100], [0, 1, 2, 3]),
        ([1, 1, 0, 0], [0, 1]),
        ([0, 0, -1, 0], [2]),
        ([0, 0], []),
    ],
    ids=["those above 1.5 times the mean", "all when they are alike", "no less than a unit", "also who owes", "none"],
)
@pytest.mark.parametrize("block", [2, 2**18])
def test_round_of_settling_visits(
    residuals: list[int], expected: list[int], block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("minicrawl.opic.arrays.BLOCK", block)
    book = book_with(residuals)
    least = book.least_worth(0.0)
    if least is None:
        assert not expected
    else:
        assert book.unsettled(np.arange(len(residuals)), least).tolist() == expected
    assert book.least_worth(100.0) is None


def test_rows_to_settle_are_told_by_their_index() -> None:
    """Not by page number."""
    book = book_with([5, 0, 0, 5, 900])
    assert book.unsettled(pages([0, 2, 3]), 5.0).tolist() == [0, 2]
    assert book.unsettled(pages([1, 2]), 5.0).tolist() == []
    assert book.unsettled(NOTHING, 1.0).tolist() == []


@pytest.mark.parametrize("unit", [UNIT, 1000])
@pytest.mark.parametrize("seed", range(5))
def test_settled_book_is_exact_but_for_its_certificate_and_rounding(seed: int, unit: int) -> None:
    draw = random.Random(seed)
    n = draw.randrange(2, 40)
    web = random_web(draw, n, draw.choice([0.05, 0.3, 0.7]))
    book = Book(unit=unit)
    book.discover(n)
    for page in range(n):
        book.visit(page, pages(web[page]))
    error = 1e-3
    while (least := book.least_worth(error)) is not None:
        rows = book.unsettled(np.arange(n), least)
        book.visit_many(rows, *csr([web[page] for page in rows]))
    assert book.certificate() <= error
    distance = np.abs(book.importance() - exact_importance(web, [1.0] * n)).sum()
    assert distance <= book.certificate() + book.rounding(sum(map(len, web))) + 1e-12


def test_certificate_holds_where_half_of_the_pages_are_aliases() -> None:
    """Aliases forward much and have no importance: counted in sum(H) they would make the bound too small."""
    ring, rest = 40, 4
    web = [[ring + page] for page in range(ring)] + [[(page + 1) % ring] for page in range(ring)]
    web += [[2 * ring + (page + 1) % rest] for page in range(rest)]
    aliases = range(ring, 2 * ring)
    book = Book()
    book.discover(len(web))
    for page in [*range(len(web)), *list(range(2 * ring)) * 300]:  # only the first ring settles
        book.visit(page, pages(web[page]), pages(web[page]) if book.forwarded[page] else None, alias=page in aliases)
    exact = exact_importance(web, [1.0] * len(web), aliases)
    history = np.where(book.alias[: book.size], 0, book.forwarded[: book.size])
    assert np.abs(history / history.sum() - exact).sum() <= book.certificate()
    assert np.abs(book.importance() - exact).sum() <= book.certificate() < 0.2


@pytest.mark.parametrize(
    ("left", "held", "expected"),
    [(30, 899, [0]), (30, 900, None), (0, 5, None), (30, 0, [0])],
    ids=["a little less than thirty times as much", "thirty times as much", "nothing left", "no mirror holds any"],
)
@pytest.mark.parametrize("block", [1, 2**18])
def test_settling_ends_when_a_hand_over_would_move_more(
    left: int, held: int, expected: list[int] | None, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page 2 is a mirror: no visit moves what it holds, and a ranking is not settled while it holds much."""
    monkeypatch.setattr("minicrawl.opic.arrays.BLOCK", block)
    book = book_with([left, 0, held])
    book.gone[2] = book.alias[2] = True
    book.cash[2] += 1000  # a mirror has no birth cash
    book.recount(book.virtual)
    assert book.due(9).tolist() == ([0] if left else [])
    assert book.certificate() == pytest.approx(2 * (left + held) / (0.15 * 2000))
    least = book.least_worth(0.0)
    assert (None if least is None else book.unsettled(np.arange(2), least).tolist()) == expected
    assert book.least_worth(2 * (left + held) / (0.15 * 2000)) is None


def test_several_pages_are_discovered_at_once() -> None:
    book = Book(unit=5)
    assert book.discover(3) == range(3)
    assert book.discover(200) == range(3, 203)
    assert (book.births, book.never_visited) == (5 * 203, 5 * 203)
    assert book.importance() == pytest.approx(np.full(203, 1 / 203), rel=1e-12)


def test_room_is_not_knowledge() -> None:
    """Growing makes no page known."""
    book = Book()
    book.grow(100)
    assert (book.size, book.births, len(book.importance())) == (0, 0, 0)


def test_mirrors_hand_over_what_their_homes_take_over() -> None:
    """Two books, pages 0 and 1 in one, 2 in the other, where 1 has a mirror; 2 links to 1, and 0 to 2's mirror."""
    left, right = Book(unit=20), Book(unit=20)
    left.discover(3)  # page 2 is the mirror of the other's page 0
    left.mirror(np.array([2]))
    right.discover(2)  # page 1 is the mirror of the other's page 1
    right.mirror(np.array([1]))
    left.visit(0, np.array([2]))
    right.visit(0, np.array([1]))
    assert (left.births, left.cash[2], right.births, right.cash[1]) == (40, 17, 20, 17)
    assert left.is_mirror(slice(0, 3)).tolist() == [False, False, True]
    units = left.hand_over(np.array([2]))
    assert units.tolist() == [17]
    assert left.hand_over(np.array([2])).tolist() == [0]
    right.take_over(np.array([0]), units)
    left.take_over(np.array([1, 1]), np.array([10, 7]))
    right.hand_over(np.array([1]))
    assert (left.received(slice(0, left.size))[:2].tolist(), right.received(slice(0, right.size))[0]) == ([0, 17], 17)
    assert (left.carried, right.carried, left.never_visited) == (0, 0, 37)
    for book in (left, right):
        held = int(book.received(slice(0, book.size)).sum() - book.forwarded.sum()) + book.virtual
        assert held == book.carried
        counted = book.births, book.never_visited, book.in_all
        book.recount(book.virtual)
        assert counted == (book.births, book.never_visited, book.in_all)


def test_mirrors_have_no_importance_and_are_waited_for() -> None:
    book = Book()
    book.discover(3)
    book.mirror(np.array([2]))
    book.visit(0, np.array([1, 2]))
    book.visit(1, np.array([0]))
    book.visit(0, np.array([1, 2]), np.array([1, 2]))
    assert book.importance()[2] == 0.0
    assert book.importance().sum() == pytest.approx(1.0, abs=1e-12)
    assert book.total() == pytest.approx(_sum_of_x(book), rel=1e-12)
    assert book.worths(np.array([2]), 1.0).tolist() == [-1]
    waits = book.certificate()
    book.hand_over(np.array([2]))
    assert book.certificate() < waits


def _sum_of_x(book: Book) -> float:
    """Page by page: what links have brought, and of the virtual page's cash its part."""
    own = [page for page in range(book.size) if not book.is_mirror(np.array([page]))[0]]
    unvisited = [page for page in own if not book.forwarded[page]]
    held = book.virtual + sum(int(book.received(slice(0, book.size))[page]) + UNIT for page in unvisited)
    births = len(own) * UNIT
    return sum(int(book.received(slice(0, book.size))[page]) + held * UNIT / births for page in own)
