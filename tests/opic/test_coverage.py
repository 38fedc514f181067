"""The coverage bound never says more than the truth, and comes near it."""

import random
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from opic_webs import D, csr, exact_importance, final, pages, random_web
from table import each

from minicrawl.opic import Coverage
from minicrawl.opic.coverage import SETTLED_COVERAGE, WALKERS, CoverageSums, PageKind, bound_of_all
from minicrawl.opic.surfer import REASONABLE, UNIFORM, Surfer


def seeded(n: int, *seeds: Sequence[int]) -> Coverage:
    coverage = Coverage()
    coverage.grow(n)
    for pages_of_one_start in seeds:
        coverage.seed(pages(pages_of_one_start))
    return coverage


def visit(coverage: Coverage, web: Sequence[Sequence[int]], page: int, aliases: Collection[int] = ()) -> None:
    """A turn of a page whose links never change."""
    old = web[page] if coverage.kind[page] else []
    coverage.visit(page, pages(web[page]), pages(old), PageKind.ALIAS if page in aliases else PageKind.PAGE)


def visit_many(
    coverage: Coverage, web: Sequence[Sequence[int]], chosen: Sequence[int], aliases: Collection[int] = ()
) -> None:
    """Virtual visits of pages whose links never change; those that had no turn yet have it now, one by one."""
    for page in chosen:
        if not coverage.kind[page]:
            visit(coverage, web, page, aliases)
    coverage.visit_many(pages(chosen), *csr([web[page] for page in chosen]))


def with_aliases(draw: random.Random, web: list[list[int]], share: float) -> set[int]:
    """Turn about `share` of the pages into aliases of some page, without loops. Changes `web`."""
    aliases: set[int] = set()
    for page in range(len(web)):
        target = draw.randrange(len(web))
        if draw.random() < share and final(target, web, aliases) != page:
            web[page] = [target]
            aliases.add(page)
    return aliases


def truth(web: Sequence[Sequence[int]], seeds: Iterable[int], aliases: set[int]) -> np.ndarray:
    """Importance when a walker starts at the seeds, and starts again there."""
    seeds = set(seeds)
    return exact_importance(web, [float(page in seeds) for page in range(len(web))], aliases)


def share_of(importance: np.ndarray, read: Iterable[int]) -> float:
    return float(sum(importance[page] for page in set(read)))


@each("alias_share", [0.0, 0.3], ids=["no-aliases", "aliases"])
@each("dangling", [0.0, 0.2, 0.8])
@each("seed", range(60))
def test_bound_never_exceeds_the_truth(seed, dangling, alias_share):
    """At every moment of a crawl in any order, pages visited again and again, one by one or many at once."""
    draw = random.Random(f"{seed} {dangling} {alias_share}")
    n = draw.randrange(1, 16)
    web = random_web(draw, n, draw.choice([0.1, 0.25, 0.6]), dangling)
    aliases = with_aliases(draw, web, alias_share)
    seeds = draw.sample(range(n), draw.randrange(1, min(n, 4) + 1))
    importance = truth(web, seeds, aliases)
    coverage = seeded(n, seeds)
    read: set[int] = set()
    for _ in range(6 * n):
        waiting = np.flatnonzero(coverage.walkers[:n])
        if draw.random() < 0.2:
            chosen = sorted(draw.sample(range(n), draw.randrange(1, n + 1)))
            visit_many(coverage, web, chosen, aliases)
            read.update(chosen)
        else:
            page = int(draw.choice(waiting)) if draw.random() < 0.7 and len(waiting) else draw.randrange(n)
            visit(coverage, web, page, aliases)
            read.add(page)
        assert 0.0 <= coverage.bound() <= share_of(importance, read) + 1e-12
        assert 0 <= coverage.waiting - coverage.walkers.sum() < 1e-9 * WALKERS


@each("seed", range(40))
def test_greedy_crawl_of_a_larger_web_stays_below_the_truth_and_comes_near(seed):
    """Reading the page with most walkers first, each page once: the bound is good for something."""
    draw = random.Random(seed)
    n = 80
    web = random_web(draw, n, 0.04, 0.1)
    seeds = draw.sample(range(n), 3)
    importance = truth(web, seeds, set())
    coverage = seeded(n, seeds)
    read: list[int] = []
    while coverage.walkers.any() and len(read) < n // 2:
        page = int(np.argmax(np.where(np.isin(np.arange(n), read), -1.0, coverage.walkers[:n])))
        visit(coverage, web, page)
        read.append(page)
        assert coverage.bound() <= share_of(importance, read) + 1e-12
    assert coverage.bound() > 0.3


@each("seed", range(30))
def test_seeds_added_later_mix_with_the_first_ones(seed):
    """Two units of walkers: the truth is that of a walker who starts at either set with equal chance."""
    draw = random.Random(seed)
    n = 8
    web = random_web(draw, n, 0.3)
    first, second = ([*draw.sample(range(n), size)] for size in (1, 3))
    teleport = [(page in first) / 1 + (page in second) / 3 for page in range(n)]
    importance = exact_importance(web, teleport)
    coverage = seeded(n, first, second)
    read: set[int] = set()
    for _ in range(30):
        page = draw.randrange(n)
        visit(coverage, web, page)
        read.add(page)
        assert coverage.bound() <= share_of(importance, read) + 1e-12


@pytest.mark.parametrize("alias_share", [0.0, 0.3], ids=["no-aliases", "aliases"])
@pytest.mark.parametrize("many", [False, True], ids=["one-by-one", "at-once"])
@pytest.mark.parametrize("seed", range(10))
def test_bound_tends_to_one_when_everything_is_visited_again_and_again(seed, many, alias_share):
    """What waits shrinks by d a round at least every n rounds, however long the chains of aliases."""
    draw = random.Random(seed)
    n = 10
    web = random_web(draw, n, 0.3)
    aliases = with_aliases(draw, web, alias_share)
    coverage = seeded(n, [0, 1])
    bounds = []
    for _ in range(400):
        if many:
            visit_many(coverage, web, range(n), aliases)
        else:
            for page in range(n):
                visit(coverage, web, page, aliases)
        bounds.append(coverage.bound())
    assert bounds == sorted(bounds)
    assert 1 - 1e-9 < bounds[-1] <= 1.0


@each("seed", range(20))
def test_without_dangling_pages_the_bound_is_that_of_rankmass(seed):
    """Each page read once: (1 - d) times the walkers that stepped on, reckoned by hand."""
    draw = random.Random(seed)
    n = 12
    web = [draw.sample([target for target in range(n) if target != page], draw.randrange(1, 5)) for page in range(n)]
    coverage = seeded(n, [0, 3])
    walkers = [0.5 if page in (0, 3) else 0.0 for page in range(n)]
    secured = 0.0
    for page in draw.sample(range(n), n):
        f, walkers[page] = walkers[page], 0.0
        secured += f
        for target in web[page]:
            walkers[target] += D * f / len(web[page])
        visit(coverage, web, page)
        assert coverage.bound() == pytest.approx((1 - D) * secured, abs=1e-12)
        assert coverage.walkers[:n] / WALKERS == pytest.approx(np.array(walkers), abs=n * n / WALKERS)


@each("seed", range(60))
def test_visits_at_once_equal_visits_one_by_one(seed):
    """Where no page of the set links to another one, order does not matter."""
    draw = random.Random(seed)
    n = 14
    web = random_web(draw, n, 0.15, 0.3)
    aliases = with_aliases(draw, web, 0.2)
    at_once, one_by_one = seeded(n, [0, 1, 2]), seeded(n, [0, 1, 2])
    for _ in range(20):
        page = draw.randrange(n)
        for coverage in (at_once, one_by_one):
            visit(coverage, web, page, aliases)
    chosen: list[int] = []
    for page in draw.sample(range(n), n):
        if not any(page in web[other] or other in web[page] for other in chosen):
            chosen.append(page)
    for page in chosen:
        for coverage in (at_once, one_by_one):
            visit(coverage, web, page, aliases)
    for page in range(n):
        if page not in chosen and at_once.kind[page]:
            for coverage in (at_once, one_by_one):
                visit(coverage, web, page, aliases)
    visit_many(at_once, web, chosen, aliases)
    for page in chosen:
        visit(one_by_one, web, page, aliases)
    assert at_once.walkers.tolist() == one_by_one.walkers.tolist()
    assert (at_once.stepped, at_once.waiting) == (one_by_one.stepped, one_by_one.waiting)


def test_visits_at_once_let_on_only_those_who_stood_there_at_the_start():
    """Walkers that arrive during the round wait for the next one."""
    coverage = seeded(2, [0, 1])
    for page in (0, 1):
        visit(coverage, [[1], []], page)
    coverage.seed(pages([0, 1]))
    visit_many(coverage, [[1], []], [0, 1])
    assert coverage.walkers[:2].tolist() == [0, int(D * WALKERS) - int(D * (WALKERS // 2))]


def test_nothing_read_is_nothing_covered():
    assert Coverage().bound() == 0.0
    assert seeded(3, [0]).bound() == 0.0


def test_page_that_nobody_reached_adds_nothing():
    coverage = seeded(3, [0])
    coverage.visit(0, pages([1]))
    before = coverage.bound()
    coverage.visit(2, pages([0, 1]))
    assert coverage.bound() == before


def test_lonely_seed_without_links_is_everything():
    """All of f is secured where a page has no links."""
    coverage = seeded(1, [0])
    coverage.visit(0, pages([]))
    assert coverage.bound() == 1.0


def test_alias_covers_nothing_by_itself():
    """It hands its walkers over; they count where they arrive."""
    coverage = seeded(2, [0])
    coverage.visit(0, pages([1]), kind=PageKind.ALIAS)
    assert coverage.bound() == 0.0
    assert coverage.walkers[:2].tolist() == [0, WALKERS]
    coverage.visit(1, pages([]))
    assert coverage.bound() == 1.0


SURFERS = (UNIFORM, REASONABLE, Surfer(1000, 1, 7))


class Rows(NamedTuple):
    sources: npt.NDArray[np.int64]
    indptr: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int64]
    places: npt.NDArray[np.uint8]


class Life:
    """A web whose pages appear, change and vanish, and a crawl of it that takes them in any order, again and again."""

    def __init__(self, seed: int, n: int) -> None:
        self.draw = random.Random(seed)
        self.draw_places = random.Random(f"places {seed}")
        self.n = n
        self.surfer = SURFERS[seed % len(SURFERS)]
        self.coverage = Coverage(self.surfer)
        self.coverage.grow(n)
        self.starts = np.zeros(n, dtype=np.int64)
        self.links: list[list[int]] = [[] for _ in range(n)]
        self.places: list[list[int]] = [[] for _ in range(n)]
        self.kinds = [PageKind.UNKNOWN] * n
        self.start()

    def start(self) -> None:
        seeds = self.draw.sample(range(self.n), self.draw.randrange(1, 4))
        self.coverage.seed(pages(seeds))
        self.starts[seeds] += WALKERS // len(seeds)

    def aliases(self) -> set[int]:
        return {page for page in range(self.n) if self.kinds[page] is PageKind.ALIAS}

    def turn(self) -> None:
        """A page has its turn: what is found there may be another thing than the last time, as may its links."""
        page = self.draw.randrange(self.n)
        kinds = [PageKind.PAGE, PageKind.PAGE, *PageKind]
        kind = self.draw.choice(kinds)
        others = [other for other in range(self.n) if other != page]
        links = self.draw.sample(others, self.draw.choice([0, 1, 2, 3, 7])) if kind is PageKind.PAGE else []
        if kind is PageKind.ALIAS:
            others = [other for other in others if final(other, self.links, self.aliases() - {page}) != page]
            links = [self.draw.choice(others)]
        if self.kinds[page] is kind and self.draw.random() < 0.5:
            links = self.links[page]
        places = [self.draw_places.randrange(3) for _ in links]
        old, self.links[page], self.kinds[page] = self.links[page], links, kind
        old_places, self.places[page] = self.places[page], places
        stored = [np.array(some, dtype=np.uint8) for some in (places, old_places)]
        self.coverage.visit(page, pages(links), pages(old), kind, places=stored[0], old_places=stored[1])

    def rows(self, some: Iterable[int]) -> Rows:
        """Some rows of the table of links."""
        some = list(some)
        places = np.array([place for page in some for place in self.places[page]], dtype=np.uint8)
        return Rows(pages(some), *csr([self.links[page] for page in some]), places)

    def settle(self) -> None:
        """Virtual visits of some pages, whatever was found there."""
        self.coverage.visit_many(*self.rows(sorted(self.draw.sample(range(self.n), self.draw.randrange(1, self.n)))))

    def reweigh(self) -> None:
        """The walkers take links by other weights from now on, and have always done so."""
        self.surfer = self.draw_places.choice(SURFERS)
        half = self.n // 2
        self.coverage.reweigh(self.surfer, [self.rows(range(half)), self.rows(range(half, self.n))])

    def weights(self) -> list[list[int]]:
        return [self.surfer.weights[places].tolist() if places else [] for places in self.places]

    def truth(self) -> float:
        """Share of the collected pages, all others having no links, by the linear system of the known graph."""
        importance = exact_importance(self.links, self.starts.tolist(), self.aliases(), self.weights())
        return share_of(importance, [page for page in range(self.n) if self.kinds[page] is PageKind.PAGE])

    def check(self) -> None:
        coverage = self.coverage
        assert coverage.bound() <= self.truth() + 1e-9
        assert coverage.kind[: self.n].tolist() == self.kinds
        assert coverage.collected == sum(kind in (PageKind.PAGE, PageKind.ALIAS) for kind in self.kinds)
        # Whoever came started there or came along a link; what is counted one by one is what is counted in all.
        came = self.starts.copy()
        for page, (links, weights) in enumerate(zip(self.links, self.weights(), strict=True)):
            s = int(coverage.steps[page])
            for target, weight in zip(links, weights, strict=True):
                came[target] += s if self.kinds[page] is PageKind.ALIAS else 17 * s // 20 * weight // sum(weights)
        assert (coverage.walkers + coverage.steps)[: self.n].tolist() == came.tolist()
        kept = (coverage.stepped, coverage.lost, coverage.owed, coverage.collected)
        coverage.recount(coverage.waiting)
        assert (coverage.stepped, coverage.lost, coverage.owed, coverage.collected) == kept
        left_over = coverage.waiting - int(coverage.walkers.sum())
        assert 0 <= left_over <= 10 * self.n * self.n


@pytest.mark.parametrize("seed", range(12))
def test_bound_stays_below_the_truth_whatever_becomes_of_pages(seed):
    """Forbidden pages, errors, pages lost and found again, new links, aliases: after each of some hundred turns."""
    life = Life(seed, n=12)
    for step in range(400):
        life.settle() if life.draw.random() < 0.3 else life.turn()
        if step == 200:
            life.start()
        if step % 100 == 50:
            life.reweigh()
        life.check()
    assert life.coverage.collected < life.n


@pytest.mark.parametrize("seed", range(12))
def test_bound_is_the_truth_once_everything_known_is_settled(seed):
    """What was counted of links that have vanished is taken back, and nothing else: but for pages nobody knows."""
    life = Life(seed, n=12)
    for _ in range(300):
        life.turn()
    coverage = life.coverage
    every = pages(range(life.n))
    while (least := coverage.least_worth()) is not None:
        some = coverage.unsettled(every, least)
        coverage.visit_many(*life.rows(some.tolist()))
        life.check()
    rest = life.kinds
    for page in range(life.n):
        if rest[page] is PageKind.UNKNOWN:
            coverage.visit(page, pages([]), kind=PageKind.NOTHING)
            life.kinds[page] = PageKind.NOTHING
    while (least := coverage.least_worth()) is not None:
        some = coverage.unsettled(every, least)
        coverage.visit_many(*life.rows(some.tolist()))
    assert life.truth() - SETTLED_COVERAGE / (1 - D) <= coverage.bound() <= life.truth() + 1e-9


def test_walkers_wait_where_nobody_knows_and_end_where_nothing_is():
    """A seed with 20 links to forbidden pages, or to dead ones, and one to a page without links."""
    forbidden, dead = seeded(22, [0]), seeded(22, [0])
    for coverage, kind in ((forbidden, PageKind.UNKNOWN), (dead, PageKind.NOTHING)):
        coverage.visit(0, pages(range(1, 22)))
        coverage.visit(1, pages([]))
        for page in range(2, 22):
            coverage.visit(page, pages([]), kind=kind)
        assert coverage.collected == 2
    there, lost = 1 + D / 21, 20 * D / 21
    assert dead.bound() == pytest.approx(there / (there + lost), rel=1e-9)
    assert forbidden.bound() == pytest.approx(there / (there + lost / (1 - D)), rel=1e-9)


def test_page_that_is_lost_and_found_again_counts_as_at_first():
    coverage = seeded(3, [0])
    coverage.visit(0, pages([1, 2]))
    coverage.visit(1, pages([]))
    before = coverage.bound()
    coverage.visit(1, pages([]), kind=PageKind.NOTHING)
    lost = coverage.bound()
    coverage.visit(1, pages([]), kind=PageKind.UNKNOWN)
    assert coverage.bound() < lost < before
    coverage.visit(1, pages([]))
    assert coverage.bound() == before


def test_walkers_that_go_to_another_book_are_missed_here_and_wait_there():
    """Also those that are owed, as they went along links that are gone."""
    here, there = Coverage(), Coverage()
    for book in (here, there):
        book.grow(3)
    here.seed(np.array([0]))
    here.visit(0, np.array([1, 2]))
    waiting = here.waiting + there.waiting
    for links in ([1, 2], [1]):  # at the second turn the link to page 2 is gone
        moved = here.hand_over(np.array([2]))
        there.take_over(np.array([1]), moved)
        assert here.walkers[2] == 0
        assert here.waiting + there.waiting == waiting
        here.visit(0, np.array(links), np.array([1, 2]))
    assert (here.walkers[2], here.owed) == (-there.walkers[1], there.walkers[1])
    there.take_over(np.array([1]), here.hand_over(np.array([2])))
    assert (there.walkers[1], here.owed, there.owed) == (0, 0, 0)


class Books:
    """Several books of one web: each page has its home in one of them. What is handed over waits in `mail`."""

    def __init__(self, draw: random.Random, n: int, seeds: Sequence[int], count: int) -> None:
        self.n, self.draw = n, draw
        self.home = [draw.randrange(count) for _ in range(n)]
        self.books = [Coverage() for _ in range(count)]
        self.mail: list[tuple[int, int]] = []
        for number, book in enumerate(self.books):
            book.grow(n)
            here = [page for page in seeds if self.home[page] == number]
            if here:
                book.seed(pages(here), of=len(seeds))

    def hand_over(self) -> None:
        """One book hands some of its mirrors over; what is on its way may arrive late, and in any order."""
        number = self.draw.randrange(len(self.books))
        mirrors = [page for page in range(self.n) if self.home[page] != number and self.draw.random() < 0.7]
        walkers = self.books[number].hand_over(pages(mirrors)).tolist()
        self.mail += [(page, count) for page, count in zip(mirrors, walkers, strict=True) if count]

    def arrive(self) -> None:
        if self.mail:
            page, walkers = self.mail.pop(self.draw.randrange(len(self.mail)))
            self.books[self.home[page]].take_over(pages([page]), pages([walkers]))


@each("count", [1, 2, 4])
@each("alias_share", [0.0, 0.3], ids=["no-aliases", "aliases"])
@each("seed", range(40))
def test_stale_sums_of_several_books_never_exceed_the_truth(seed, alias_share, count):
    """Each says how far it is at moments of its own, whatever is on its way from one to another."""
    draw = random.Random(f"{seed} {alias_share} {count}")
    n = draw.randrange(1, 16)
    web = random_web(draw, n, draw.choice([0.1, 0.25, 0.6]), 0.2)
    aliases = with_aliases(draw, web, alias_share)
    seeds = draw.sample(range(n), draw.randrange(1, min(n, 4) + 1))
    importance = truth(web, seeds, aliases)
    books = Books(draw, n, seeds, count)
    said = [book.sums() for book in books.books]
    read: set[int] = set()
    for _ in range(12 * n):
        page = draw.randrange(n)
        visit(books.books[books.home[page]], web, page, aliases)
        read.add(page)
        for step in (books.hand_over, books.arrive, books.arrive):
            if draw.random() < 0.6:
                step()
        reporter = draw.randrange(count)
        if draw.random() < 0.5:
            said[reporter] = books.books[reporter].sums()
        assert 0.0 <= bound_of_all(said) <= share_of(importance, read) + 1e-12
    waits = sum(book.waiting for book in books.books) + sum(walkers for _, walkers in books.mail)
    assert sum(book.sums().waiting for book in books.books) == waits


@each("seed", range(60))
def test_what_is_taken_back_over_the_border_of_books_counts_while_it_is_on_its_way(seed):
    """Links change: walkers that went along them are taken back from pages of other books, by mail."""
    draw = random.Random(seed)
    n = draw.randrange(2, 12)
    web = random_web(draw, n, 0.3, 0.2)
    seeds = draw.sample(range(n), draw.randrange(1, min(n, 4) + 1))
    books = Books(draw, n, seeds, 3)
    read: set[int] = set()
    for _ in range(15 * n):
        page = draw.randrange(n)
        book, old = books.books[books.home[page]], list(web[page]) if page in read else []
        if draw.random() < 0.3:
            web[page] = draw.sample(range(n), draw.randrange(min(n, 4) + 1))
        book.visit(page, pages(web[page]), pages(old))
        read.add(page)
        for step in (books.hand_over, books.arrive):
            if draw.random() < 0.6:
                step()
        known = [web[page] if page in read else [] for page in range(n)]
        importance = truth(known, seeds, set())
        assert bound_of_all([book.sums() for book in books.books]) <= share_of(importance, read) + 1e-12


def test_one_book_says_by_itself_what_it_says_among_several():
    coverage = seeded(3, [0])
    visit(coverage, [[1, 2], [0], []], 0)
    assert coverage.sums() == CoverageSums(coverage.stepped, 0, coverage.waiting, 0)
    assert bound_of_all([coverage.sums()]) == coverage.bound() > 0


def test_few_walkers_that_wait_change_the_bound_by_little():
    """All who started are at the two leaves: m of the bound's (1-d)(K + L) + m."""
    coverage = seeded(3, [0])
    coverage.visit(0, pages([1, 2]))
    waiting = coverage.walkers[1:3]
    share = coverage.waiting / ((1 - D) * coverage.stepped + coverage.waiting)
    assert coverage.is_settled(waiting, share + 1e-9)
    assert not coverage.is_settled(waiting, share - 1e-9)
    assert coverage.is_settled(-waiting, share + 1e-9)
    assert not coverage.is_settled(-waiting, share - 1e-9)
