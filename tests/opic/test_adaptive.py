"""The paper's cash and history: conserved to the unit, and paid out as an eager book would."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from support.opic_webs import D, exact_importance, pages, random_web

from minicrawl.opic import UNIT, Adaptive, Book
from minicrawl.opic.adaptive import TOTAL

NOWHERE = pages([])
WINDOWS = [None, 8.0, 0.5]


def named(value: object) -> str:
    return str(value).replace(" ", "")


class Eager:
    """Cash as a dictionary. Each pay-out goes to every page in turn."""

    def __init__(self, total: int, *, pays: bool) -> None:
        self.pays = pays
        self.reserve = total
        self.income = 0
        self.clock = 0
        self.cash: dict[int, int] = {}

    def discover(self, grants: Sequence[int]) -> None:
        for grant in grants:
            page = len(self.cash)
            self.cash[page] = min(grant, self.reserve)
            self.reserve -= self.cash[page]

    def visit(self, page: int, links: Sequence[int]) -> None:
        cash, self.cash[page] = self.cash[page], 0
        self.clock += cash
        passed = cash * 85 // 100
        for target in links:
            self.cash[target] += passed // len(links)
            cash -= passed // len(links)
        self.income += cash
        share = self.income // len(self.cash) if self.pays else 0
        for payee in self.cash:
            self.cash[payee] += share
            self.income -= share


class Life:
    """A random life of a book: discoveries, visits with and without links."""

    def __init__(self, book: Adaptive, seed: int, most: int = 25) -> None:
        self.book = book
        self.draw = random.Random(seed)
        self.most = most
        self.eager = Eager(book.total, pays=book.pays)
        self.visited: list[int] = []
        self.grant = min(UNIT, book.total // 1000)
        self.discover([self.grant * 50] * 3)

    def discover(self, grants: Sequence[int]) -> None:
        born = self.book.discover(grants)
        self.eager.discover(grants)
        assert list(born) == list(range(len(self.eager.cash)))[len(self.eager.cash) - len(grants) :]

    def step(self) -> None:
        draw, n = self.draw, self.book.size
        if n < self.most and draw.random() < 0.05:
            self.discover([draw.randrange(3 * self.grant) for _ in range(min(draw.randrange(4), self.most - n))])
            return
        page = draw.randrange(n) if draw.random() < 0.5 else int(np.argmax(self.book.cashes()))
        others = [other for other in range(n) if other != page]
        links = draw.sample(others, min(len(others), draw.choice([0, 1, 1, 2, 3, 7])))
        self.book.visit(page, pages(links))
        self.eager.visit(page, links)
        self.visited.append(page)

    def check(self) -> None:
        """I4, and that all ways to ask for cash agree."""
        book, eager = self.book, self.eager
        assert book.cashes().tolist() == list(eager.cash.values())
        assert [book.cash(page) for page in range(book.size)] == list(eager.cash.values())
        assert (book.reserve, book.income, book.clock) == (eager.reserve, eager.income, eager.clock)
        assert book.virtual == book.reserve + book.income
        assert book.in_hand() == sum(eager.cash.values())
        assert book.in_hand() + book.virtual == book.total
        assert min(eager.cash.values()) >= 0
        assert min(book.reserve, book.income) >= 0


@pytest.mark.parametrize("pays", [True, False])
@pytest.mark.parametrize("total", [10_000, TOTAL, 2**62], ids=["few-units", "units", "all-units"])
@pytest.mark.parametrize("seed", range(3))
def test_lazy_pay_out_is_eager_pay_out(total: int, seed: int, *, pays: bool) -> None:
    """I4 after every single step, also where shares are a few units and the remainders matter."""
    life = Life(Adaptive(WINDOWS[seed], pays=pays, total=total), seed)
    life.check()
    for _ in range(300):
        life.step()
        life.check()
    assert np.all(np.isfinite(life.book.history))


@pytest.mark.parametrize("grants", [[TOTAL, TOTAL], [TOTAL // 2 + 1] * 4, [2**63 - 1, 1]], ids=named)
def test_grants_beyond_all_cash_are_cut_short(grants: list[int]) -> None:
    """However much is promised, nobody is granted more than there is, and nobody less than nothing."""
    book = Adaptive()
    book.discover(grants)
    expected, reserve = [], TOTAL
    for grant in grants:
        expected.append(min(grant, reserve))
        reserve -= expected[-1]
    assert book.cashes().tolist() == expected
    assert book.reserve == reserve


def test_interpolated_history_on_hand_computed_numbers() -> None:
    """Two pages without links, and all they spend is paid to both; the window is 2 turnovers."""
    book = Adaptive(2.0, total=800)
    book.discover([400, 400])  # T = 2 * 800 = 1600
    book.visit(0, NOWHERE)  # H0 = 400, G = 400; 200 paid to each
    assert book.history[:2].tolist() == [400.0, 0.0]
    assert book.cashes().tolist() == [200, 600]
    book.visit(1, NOWHERE)  # dG = 400: H1 = 0 + 600, G = 1000; 300 paid to each
    assert book.history[:2].tolist() == [400.0, 600.0]
    assert book.cashes().tolist() == [500, 300]
    book.visit(0, NOWHERE)  # dG = 1000 - 400 = 600: H0 = 400 * 1000 / 1600 + 500 = 750, G = 1500
    assert book.history[:2].tolist() == [750.0, 600.0]
    assert book.cashes().tolist() == [250, 550]


def from_start(window: float | None, cash: Sequence[int], *, pays: bool = True) -> Adaptive:
    """A book that knows its pages from the start and hands all cash out to them."""
    book = Adaptive(window, pays=pays, total=sum(cash))
    book.discover(cash)
    assert book.reserve == 0
    return book


def one_step(web: Sequence[Sequence[int]], x: np.ndarray) -> tuple[np.ndarray, float]:
    """One step of power iteration: what links bring to every page, and what the virtual page gets."""
    brought, virtual = np.zeros(len(web)), 0.0
    for page, links in enumerate(web):
        for target in links:
            brought[target] += D * x[page] / len(links)
        virtual += (1 - D if links else 1.0) * x[page]
    return brought, virtual


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("pays", [True, False])
def test_x_is_one_step_of_power_iteration_from_the_history(seed: int, *, pays: bool) -> None:
    """Lemma 2.3: a page has spent or still has just what it began with and was brought.

    So X = (H+C-C0)/G is what links bring when each page sends .85 of its H/G, and, when the virtual page pays
    all pages at once, an n-th of what that page has received. Rounding loses under two units per link and
    visit, and the virtual page still holds under n units.
    """
    draw = random.Random(seed)
    n, visits = 12, 400
    web = random_web(draw, n, 0.3)
    initial = np.array([2**40 + draw.randrange(2**39) for _ in range(n)])
    book = from_start(None, initial.tolist(), pays=pays)
    for _ in range(visits):
        page = draw.randrange(n)
        book.visit(page, pages(web[page]))
    x, history = (book.estimates(initial)[name] for name in ("X", "H/G"))
    brought, virtual = one_step(web, history)
    stepped = brought + (virtual / n if pays else 0.0)
    assert np.abs(x - stepped).max() * book.clock <= 2 * visits + n
    assert np.abs(x - history).max() > 1e-3 / n  # a step that changes something
    if pays:
        assert x.sum() == pytest.approx(1.0, abs=1e-9)
    else:  # what the virtual page holds is missing
        assert x.sum() == pytest.approx(1.0 - book.income / book.clock, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_x_is_nearly_a_fixed_point(seed: int) -> None:
    """I5: one more step moves X by at most .85 |C - C0| / G, since X - H/G = (C - C0) / G sums to zero.

    With the paper's unit, all the cash there is, that is below 2 * .85 / G whatever the web and the order.
    """
    draw = random.Random(seed)
    n = 12
    web = random_web(draw, n, 0.3)
    initial = np.full(n, 2**40)
    book = from_start(None, initial.tolist())
    for visits in range(1, 400):
        page = draw.randrange(n)
        book.visit(page, pages(web[page]))
        x = book.estimates(initial)["X"]
        brought, virtual = one_step(web, x)
        moved = np.abs(brought + virtual / n - x).sum() * book.clock
        rounding = 2 * (2 * visits + 1) * n
        assert moved <= D * np.abs(book.cashes() - initial).sum() + rounding
        assert moved < 2 * D * book.total


def test_estimates_by_their_formulas() -> None:
    """H/G, (H+C)/(G+1) with all cash as 1, and (H+C-C0)/G."""
    book = from_start(None, [600, 400], pays=False)
    book.visit(0, pages([1]))  # H = 600, 0; C = 0, 910
    estimates = book.estimates(pages([600, 400]))
    assert estimates["H/G"].tolist() == [1.0, 0.0]
    assert estimates["(H+C)/(G+1)"] == pytest.approx([600 / 1600, 910 / 1600], rel=1e-12)
    assert estimates["X"] == pytest.approx([0.0, 510 / 600], rel=1e-12)


@pytest.mark.parametrize("window", WINDOWS[1:], ids=named)
def test_estimates_need_all_of_the_past(window: float | None) -> None:
    book = from_start(window, [600, 400])
    with pytest.raises(TypeError, match="without a window"):
        book.estimates(pages([600, 400]))


def shares(book: Adaptive) -> np.ndarray:
    """Histories as shares, shape (size,)."""
    return np.asarray(book.history[: book.size] / book.history[: book.size].sum())


def greedily(book: Adaptive, web: Sequence[Sequence[int]], until: int) -> None:
    """Visit the page with most cash until no more than `until` units are in the pages' hands."""
    for _ in range(20_000):
        if book.in_hand() <= until:
            return
        page = min(range(len(web)), key=lambda page: (-book.cash(page), page))
        book.visit(page, pages(web[page]))
    pytest.fail("cash does not run out")


@pytest.mark.parametrize("seed", range(5))
def test_history_tends_to_pagerank(seed: int) -> None:
    """Equal cash, none paid out, greedy order: the history is the sum of all steps of power iteration."""
    web = random_web(random.Random(seed), 15, 0.2)
    book = from_start(None, [2**40] * 15, pays=False)
    greedily(book, web, until=2**14)
    assert np.abs(shares(book) - exact_importance(web, [1.0] * 15)).sum() < 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_error_of_the_paid_out_history_falls_with_the_clock(seed: int) -> None:
    """The paper's convergence: with pay-out to all, |H/G - importance| is at most 2 / ((1 - d) G)."""
    web = random_web(random.Random(seed), 15, 0.2)
    exact = exact_importance(web, [1.0] * 15)
    book = from_start(None, [2**40] * 15)
    for visits in range(1, 600):
        page = int(np.argmax(book.cashes()))
        book.visit(page, pages(web[page]))
        if visits % 20 == 0:
            assert np.abs(shares(book) - exact).sum() * book.clock <= 2 * book.total / (1 - D) + 100 * visits


@pytest.mark.parametrize("seed", range(5))
def test_the_book_hands_pages_out_in_the_order_of_the_paper(seed: int) -> None:
    """Greedy first visits of a web that is known from the start: the same page and the same cash, each time."""
    draw = random.Random(seed)
    n = 40
    web = random_web(draw, n, 0.1)
    book, paper = Book(), Adaptive(None, pays=False, total=n * UNIT)
    book.discover(n)
    paper.discover([UNIT] * n)
    unread = set(range(n))
    while unread:
        cash = book.cash_of(slice(0, n)).tolist()
        page = max(unread, key=lambda page: (cash[page], -page))
        assert page == max(unread, key=lambda page: (paper.cash(page), -page))
        book.visit(page, pages(web[page]))
        assert paper.visit(page, pages(web[page])) == cash[page]
        unread.discard(page)
        known = sorted(unread)
        assert book.cash_of(pages(known)).tolist() == [paper.cash(page) for page in known]


def test_the_book_ends_where_the_paper_goes() -> None:
    """Importance at the fixpoint, and no unit lost by either."""
    draw = random.Random(7)
    n = 20
    web = random_web(draw, n, 0.2)
    book, paper = Book(), Adaptive(None, total=n * UNIT)
    book.discover(n)
    paper.discover([UNIT] * n)
    for page in range(n):
        book.visit(page, pages(web[page]))
    for turn in range(400):
        for page in range(n):
            paper.visit(page, pages(web[page]))
            if turn < 60:
                book.visit(page, pages(web[page]), old=pages(web[page]))
    paper_says = paper.estimates(np.full(n, UNIT))["X"]
    assert np.abs(book.importance() - paper_says).max() < 1e-3
    assert np.abs(book.importance() - exact_importance(web, [1.0] * n)).sum() < 1e-6
    assert int(book.cash_of(slice(0, n)).sum()) + book.virtual == paper.in_hand() + paper.virtual == n * UNIT
