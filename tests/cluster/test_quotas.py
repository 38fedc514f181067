"""Quotas: together exactly as many pages as there may be, whatever is late, slow or killed."""

import random
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from minicrawl.cluster.quotas import Part, Quotas
from minicrawl.crawler.loop.limits import Limits
from minicrawl.settings import CrawlSettings


@dataclass
class Fetcher:
    """A partition: what it has committed in all runs, and fetched in this process. left: pages that it could fetch."""

    left: int
    committed: int
    speed: int
    """Requests that it makes between two looks."""
    fetched: int = 0
    flying: int = 0
    late: int = 0
    """Requests that nobody expects to be answered any more."""
    earlier: int = 0
    limits: Limits = field(init=False)

    def __post_init__(self) -> None:
        self.earlier = self.committed
        self.begin()

    def begin(self) -> None:
        """A process of it begins."""
        self.left += self.earlier + self.fetched - self.committed + self.flying + self.late
        self.earlier, self.fetched, self.flying, self.late = self.committed, 0, 0, 0
        self.limits = Limits(CrawlSettings(), lambda: (self.fetched, 0, 0.0), lambda: 0.0)
        self.limits.let(0, 0)

    def work(self, rng: random.Random) -> None:
        for _ in range(self.speed):
            self.limits.take_back(self.flying)
            if self.left and self.limits.allow_one_more(self.flying):
                self.left -= 1
                self.flying += 1
            if self.flying and rng.random() < 0.2:
                self.flying -= 1
                self.late += 1
            if self.late and rng.random() < 0.3:
                self.late -= 1
                self.answer()
            if self.flying and rng.random() < 0.7:
                self.flying -= 1
                self.answer()
            if rng.random() < 0.2:
                self.committed = self.earlier + self.fetched

    def answer(self) -> None:
        """One is taken in; or dropped, and waits."""
        if self.limits.has_enough:
            self.left += 1
        else:
            self.fetched += 1

    def hear(self, order: int) -> None:
        self.limits.let(max(order - self.earlier, 0), self.flying)

    def report(self, order: int, quotas: Quotas, number: int) -> None:
        self.hear(order)
        is_short = self.left > 0 and not self.limits.allow_one_more(self.flying)
        quota = self.earlier + (self.limits.quota or 0)
        quotas.note(number, Part(self.earlier + self.fetched, quota, is_short))


PARTS = st.lists(
    st.tuples(st.integers(0, 400), st.integers(0, 50), st.sampled_from([1, 2, 30])), min_size=1, max_size=6
)


@given(PARTS, st.integers(1, 600), st.integers(0, 3), st.integers(0, 2**32))
def test_all_fetch_exactly_so_many(parts: list[tuple[int, int, int]], pages: int, deaths: int, seed: int) -> None:
    """Where there are as many; else all there are. What a death lets be fetched again does not count for more."""
    rng = random.Random(seed)
    fetchers = [Fetcher(*part) for part in parts]
    before = sum(fetcher.committed for fetcher in fetchers)
    due = before + min(pages, sum(fetcher.left for fetcher in fetchers))
    quotas, looks = Quotas(pages, len(fetchers)), 0
    while sum(fetcher.earlier + fetcher.fetched for fetcher in fetchers) < due:
        orders = quotas.orders()
        for number, fetcher in enumerate(fetchers):
            order = orders.get(number, 0)
            fetcher.work(rng)
            if deaths and rng.random() < 0.1:
                deaths -= 1
                if rng.random() < 0.5:  # the order has come, and some of it was fetched
                    fetcher.hear(order)
                    fetcher.work(rng)
                fetcher.begin()
            else:
                fetcher.report(order, quotas, number)
        assert sum(fetcher.earlier + fetcher.fetched for fetcher in fetchers) <= due
        looks += 1
        assert looks < 20 * (due + 10), "nothing goes on"
