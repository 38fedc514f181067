"""The compiled crawl against one that looks at every page at every fetch, with the books of `opic` as they are."""

import numpy as np
import numpy.typing as npt
import pytest

from minicrawl.errors import SettingError
from minicrawl.lab.compiled import LAB_TOTAL
from minicrawl.lab.keeping_up import (
    POLICIES,
    PRICE_GAIN,
    KeepingUp,
    Policy,
    change,
    changing_web,
    experiment,
    reached,
    repriced,
)
from minicrawl.lab.refresh import CASH, LEARNED
from minicrawl.lab.webs import power_law
from minicrawl.opic import GRANT, SEED_GRANTS, Adaptive, Basic, DiscoveryBudget, Interpolation, Ledger, PayOut
from minicrawl.opic.refresh import PRIOR_SHAPE, interval, learned
from minicrawl.rank import Graph, l1, pagerank

pytestmark = pytest.mark.slow  # the loop takes seconds to compile

SEEDS = np.array([3, 50, 7], dtype=np.int32)
TICKS = 2**32
PAPER = Policy("paper")


def drawn(pages: int = 300, seed: int = 0) -> tuple[Graph, npt.NDArray[np.float64]]:
    random = np.random.default_rng(seed)
    return power_law(pages, random), random.lognormal(-1.8, 1.5, pages)


class Plain:
    """The same crawl, without a heap and without a compiler."""

    def __init__(self, graph: Graph, rates: npt.NDArray[np.float64], policy: Policy, rng: np.random.Generator) -> None:
        self.web, self.policy, self.rng, self.size = changing_web(graph, rates), policy, rng, graph.size
        paper = policy.schedule is None
        window, pay_out = (Interpolation(), PayOut("all")) if paper else (Basic(), PayOut("visited"))
        self.book, self.ledger = Adaptive(window, pay_out, total=LAB_TOTAL), Ledger()
        self.budget, self.price = DiscoveryBudget(policy.share), 1.0 / graph.size
        self.pages: list[int] = []
        self.last: dict[int, float] = {}
        self.rate: dict[int, tuple[float, float]] = {}
        self.key: dict[int, int] = {}
        self.discover(SEEDS.tolist(), LAB_TOTAL // len(SEEDS) if paper else SEED_GRANTS * GRANT)

    def discover(self, pages: list[int], grant: int) -> None:
        self.book.discover([grant] * len(pages))
        self.ledger.discover(len(pages))
        self.pages += pages

    def due(self, number: int) -> float:
        importance, price = float(self.ledger.importance()[number]), self.price
        if self.policy.schedule == CASH:
            return self.last[number] + price / importance
        return self.last[number] + interval(price, importance, self.rate[number][0])

    def next_one(self, now: float) -> int:
        cash = self.book.cash
        never = [number for number in range(len(self.pages)) if not self.book.visited[number]]
        if self.policy.schedule is None:
            return max(range(len(self.pages)), key=lambda number: (cash(number), -number))
        discovers = bool(self.budget.discovers(bool(never), bool(self.key)))
        self.budget.charge(discovers=discovers)
        if discovers:
            return max(never, key=lambda number: (cash(number), -number))
        for _ in range(8):
            number = min(self.key, key=lambda number: (self.key[number], number))
            at = int(self.due(number) * TICKS)
            if at <= max(self.key[number], int(now * TICKS)):
                break
            self.key[number] = at
        number = min(self.key, key=lambda number: (self.key[number], number))
        self.price = repriced(self.price, PRICE_GAIN / len(self.key), self.key[number] <= int(now * TICKS))
        return number

    def fetch(self, fetch: int) -> int:
        now = fetch / self.size
        number = self.next_one(now)
        page = self.pages[number]
        links = self.web.targets[self.web.indptr[page] : self.web.indptr[page + 1]]
        old = self.web.read[self.web.indptr[page] : self.web.indptr[page + 1]]
        change(self.web, self.rng, page, now)
        if number in self.last:
            gap = now - self.last[number]
            rate, information = self.rate[number]
            self.rate[number] = learned(rate, information, gap, bool(self.web.is_stale[page]))
        else:
            self.rate[number] = (float(np.median(self.web.rates)), PRIOR_SHAPE)
        before = [self.pages.index(target) for target in old] if number in self.last else []
        self.web.is_stale[page], self.last[number] = False, now
        self.discover([target for target in links.tolist() if target not in self.pages], self.grant)
        outlinks = np.array([self.pages.index(target) for target in links], dtype=np.int64)
        self.ledger.visit(number, outlinks, np.array(before, dtype=np.int64))
        self.book.visit(number, outlinks)
        old[:] = links
        if self.policy.schedule is not None:
            self.key[number] = int(self.due(number) * TICKS)
        return page

    @property
    def grant(self) -> int:
        return 0 if self.policy.schedule is None else GRANT


@pytest.mark.parametrize("policy", [PAPER, Policy("by cash", 0.3, CASH), Policy("by rate", 0.4, LEARNED)])
def test_visits_are_those_of_a_crawl_that_looks_at_all_pages(policy: Policy) -> None:
    graph, rates = drawn()
    fetches = 900
    kept = KeepingUp(changing_web(graph, rates), SEEDS, policy, since=1.5, rng=np.random.default_rng(9))
    plain = Plain(graph, rates, policy, np.random.default_rng(9))
    kept.fetch(400)
    kept.fetch(500)
    assert kept.pages.tolist() == [plain.fetch(fetch) for fetch in range(fetches)]
    assert len(set(kept.pages.tolist())) > 100
    expected = np.zeros(graph.size)
    expected[plain.pages] = plain.book.shares() if policy == PAPER else plain.ledger.importance()
    assert kept.importance() == pytest.approx(expected, rel=1e-12)
    size = len(plain.pages)
    assert kept.ledger().received[:size].tolist() == plain.ledger.received[:size].tolist()
    assert kept.ledger().virtual == plain.ledger.virtual
    assert (kept.web.targets == plain.web.targets).all()


def test_the_ledger_is_exact_once_a_web_that_stands_still_is_read() -> None:
    """Every page fetched many times: PageRank of the links, whatever happened before."""
    graph, _ = drawn(100, seed=4)
    kept = KeepingUp(
        changing_web(graph, np.full(100, 1e-12)),
        SEEDS,
        Policy("by cash", 0.5, CASH),
        since=1.0,
        rng=np.random.default_rng(0),
    )
    kept.fetch(40_000)
    known = np.unique(kept.pages)
    assert kept.fresh_now()[known] == pytest.approx(1.0)
    if len(known) == graph.size:
        assert l1(kept.importance(), pagerank(graph)) < 1e-4


def test_changes_come_at_their_rate_and_half_of_them_rewire_a_link() -> None:
    graph, _ = drawn(4000, seed=1)
    web = changing_web(graph, np.full(4000, 0.1))
    random = np.random.default_rng(2)
    for page in range(4000):
        change(web, random, page, 2.0)
    assert web.is_stale.mean() == pytest.approx(-np.expm1(-0.2), abs=0.03)
    linking = (graph.outdegrees() > 0).mean()
    moved = (web.targets != graph.targets).sum() / 4000
    assert moved == pytest.approx(0.1 * linking, rel=0.2)
    before = web.targets.copy()
    for page in range(4000):
        change(web, random, page, 2.0)  # nothing happens in no time
    assert (web.targets == before).all()


def test_links_stay_distinct_and_lead_to_other_pages() -> None:
    graph, _ = drawn(200, seed=1)
    web = changing_web(graph, np.full(200, 30.0))
    random = np.random.default_rng(2)
    for page in range(200):
        change(web, random, page, 1.0)
        links = web.targets[web.indptr[page] : web.indptr[page + 1]].tolist()
        assert len(set(links)) == len(links)
        assert page not in links


def test_freshness_is_what_the_ages_say() -> None:
    """The integral against many small steps, in each of which one page is fetched and all grow older."""
    graph, rates = drawn()
    policy = Policy("by rate", 0.4, LEARNED)
    kept = KeepingUp(changing_web(graph, rates), SEEDS, policy, since=1.0, rng=np.random.default_rng(9))
    kept.fetch(300)
    steps = []
    for _ in range(600):
        before = kept.fresh_now()
        kept.fetch(1)
        after = kept.fresh_now()
        before[kept.pages[-1]] = 1.0
        steps.append((before + after) / 2)
    assert kept.fresh_shares() == pytest.approx(np.mean(steps, axis=0), abs=1e-4)


@pytest.mark.slow
def test_importance_and_learned_rate_hold_their_claims() -> None:
    result = experiment(power_law(3000, np.random.default_rng(0)), seed=0)
    assert [row[1] for row in result.rows[7::8]] == [policy.name for policy in POLICIES]
    assert [row[0] for row in result.rows[:8]] == list(range(1, 9))
    assert all(0 < row[2] < 1 and 0 < row[-1] <= 1 for row in result.rows)
    # A hundred pages are many of so few: two changes of a few links change their order.
    *others, distance, top, mass = result.rows[-1]
    assert (distance < 0.2, top > 0.8, mass > 0.98) == (True, True, True), others
    assert [claim.sentence for claim in result.claims if not claim.held and "95 of" not in claim.sentence] == []


@pytest.mark.slow
def test_what_the_seeds_reach_is_all_there_is() -> None:
    """Two halves that do not link to each other, seeds in one of them only."""
    links = [[(page + 1) % 50] for page in range(50)] + [[] for _ in range(50)]
    web, seeds = reached(Graph.from_links(links), np.random.default_rng(0))
    assert web.size == 50
    assert len(set(seeds.tolist())) == 10


def test_a_graph_too_small_is_refused() -> None:
    with pytest.raises(SettingError, match="the graph has 2 pages with links; the experiment needs at least 10"):
        experiment(Graph.from_links([[1], [0], []]), seed=0)
