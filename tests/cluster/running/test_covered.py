"""What partitions say of their coverage, each at a moment of its own, never says more together than is true."""

import random
from collections import Counter
from collections.abc import Sequence

import pytest
from support.opic_webs import exact_importance, final, pages, random_web

from minicrawl.cluster.running.covered import Covered, covered_by_all
from minicrawl.crawler.sharing.outbox import Carried
from minicrawl.opic import Coverage, Ledger
from minicrawl.opic.coverage import PageKind
from minicrawl.opic.sites.births import UNIT

ROUNDING = 1e-7
"""Birth cash of a page is 2^24 units, of which links carry whole ones."""


class Ledgers:
    """Several ledgers of one web: each page has its home in one of them. What is handed over waits in `mail`."""

    def __init__(self, draw: random.Random, n: int, count: int) -> None:
        self.n, self.draw = n, draw
        self.home = [draw.randrange(count) for _ in range(n)]
        self.ledgers = [Ledger() for _ in range(count)]
        self.coverages = [Coverage(ledger) for ledger in self.ledgers]
        self.mail: list[tuple[int, int, int]] = []
        self.sent, self.taken = Counter[tuple[int, int, bool]](), Counter[tuple[int, int, bool]]()
        for number, (ledger, coverage) in enumerate(zip(self.ledgers, self.coverages, strict=True)):
            ledger.discover(n)
            coverage.grow(n)
            ledger.mirror(pages(page for page in range(n) if self.home[page] != number))

    def visit(self, page: int, links: Sequence[int], old: Sequence[int], *, alias: bool) -> None:
        self.ledgers[self.home[page]].visit(page, pages(links), pages(old), alias=alias)
        self.coverages[self.home[page]].note(page, PageKind.ALIAS if alias else PageKind.PAGE, leads=len(links) > 0)

    def hand_over(self) -> None:
        """One ledger hands some of its mirrors over; what is on its way may arrive late."""
        number = self.draw.randrange(len(self.ledgers))
        mirrors = [page for page in range(self.n) if self.home[page] != number and self.draw.random() < 0.7]
        units = self.ledgers[number].hand_over(pages(mirrors))
        for page, count in zip(mirrors, units.tolist(), strict=True):
            self.mail.append((number, page, count))
            self.sent[number, self.home[page], count > 0] += abs(count)

    def arrive(self) -> None:
        """The first of some message on its way arrives."""
        if self.mail:
            source, page, units = self.mail.pop(0)
            self.ledgers[self.home[page]].take_over(pages([page]), pages([units]))
            self.taken[source, self.home[page], units > 0] += abs(units)

    def said(self, number: int) -> Covered:
        carried = {
            other: Carried(
                credit_sent=self.sent[number, other, True],
                debit_sent=self.sent[number, other, False],
                credit_taken=self.taken[other, number, True],
                debit_taken=self.taken[other, number, False],
            )
            for other in range(len(self.ledgers))
            if other != number
        }
        return Covered(self.coverages[number].sums(), carried)


@pytest.mark.parametrize("changes", [False, True], ids=["same-links", "new-links"])
@pytest.mark.parametrize("count", [1, 2, 4])
@pytest.mark.parametrize("seed", range(40))
def test_stale_sums_of_several_ledgers_never_exceed_the_truth(seed: int, count: int, changes: bool) -> None:
    """Each says how far it is at moments of its own, whatever is on its way from one to another.

    Where links change, what went along them is taken back from pages of other ledgers, by mail; all say how far they
    are at one moment then, as the truth itself may have fallen since one has said it.
    """
    draw = random.Random(f"{seed} {count} {changes}")
    n = draw.randrange(2, 14)
    web = random_web(draw, n, draw.choice([0.1, 0.25, 0.6]), 0.2)
    aliases: set[int] = set()
    for page in range(n):
        target = draw.randrange(n)
        if not changes and draw.random() < 0.2 and final(target, web, aliases) != page:
            web[page] = [target]
            aliases.add(page)
    books = Ledgers(draw, n, count)
    said = {number: books.said(number) for number in range(count)}
    read: set[int] = set()
    for _ in range(12 * n):
        page = draw.randrange(n)
        old = list(web[page]) if page in read else []
        if changes and draw.random() < 0.3:
            web[page] = draw.sample([other for other in range(n) if other != page], draw.randrange(min(n - 1, 4) + 1))
        books.visit(page, web[page], old, alias=page in aliases)
        read.add(page)
        for step in (books.hand_over, books.arrive, books.arrive):
            if draw.random() < 0.6:
                step()
        if changes:
            said = {number: books.said(number) for number in range(count)}
        elif draw.random() < 0.5:
            reporter = draw.randrange(count)
            said[reporter] = books.said(reporter)
        known = [web[page] if page in read else [] for page in range(n)]
        importance = exact_importance(known, [UNIT] * n, aliases & read)
        assert 0.0 <= covered_by_all(said) <= sum(importance[page] for page in read) + ROUNDING
