"""The pages that wait on every host."""

import numpy as np
import pytest

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.frontier.waiting_pages import WaitingPages, order_of
from minicrawl.crawler.hosts import Host
from minicrawl.opic import DiscoveryBudget
from minicrawl.opic.strategy import STRATEGIES


def waiting(*cash: int) -> tuple[WaitingPages, Host]:
    """Pages with so much cash each, on one host that is on offer."""
    accounts, host = Accounts(), Host(id=0, name="h", delay=1.0, most=1, is_offered=True)
    found = WaitingPages([host], accounts, STRATEGIES["greedy"], DiscoveryBudget(1.0), 1000)
    for page, units in zip(accounts.discover(0, len(cash)), cash, strict=True):
        accounts.book.cash[page] = units
        found.grow(page + 1)
        found.place(page, host)
        found.add([page])
    return found, host


def drained(pages: WaitingPages, host: Host) -> list[int]:
    order = []
    while (page := pages.best(attempts=True)) is not None:
        pages.hand_out(page, host)
        pages.withdraw(host)
        host.is_offered = True
        pages.offer(host)
        order.append(page)
    return order


def test_page_with_the_most_cash_is_first_and_pages_put_off_are_last() -> None:
    assert drained(*waiting(5, 9, 7)) == [1, 2, 0]
    pages, host = waiting(5, 9, 7)
    pages.put_off(np.array([1]))
    assert drained(pages, host) == [2, 0, 1]


def test_page_that_was_put_back_rests_until_its_time() -> None:
    pages, host = waiting(5)
    assert drained(pages, host) == [0]
    assert pages.is_empty(but_for=())
    assert pages.put_back(0, 10.0, 17.0) is None
    assert (pages.next_rested, list(pages.rested(16.0)), list(pages.rested(17.0))) == (17.0, [], [0])


def test_forgotten_page_is_not_handed_out() -> None:
    pages, host = waiting(5, 9)
    pages.hand_out(1, host)
    pages.forget(1)
    pages.offer(host)
    assert drained(pages, host) == [0]


@pytest.mark.parametrize("most", [1, 300, 2**16, 2**16 + 1, 2**32 - 1])
@pytest.mark.parametrize("kind", [np.int64, np.uint32])
def test_order_leaves_equal_numbers_as_they_came(most: int, kind: type[np.integer]) -> None:
    numbers = np.random.default_rng(most).integers(0, most, 2_000, endpoint=True).astype(kind)
    numbers[::3] = numbers[0]
    assert order_of(numbers).tolist() == sorted(range(2_000), key=numbers.tolist().__getitem__)
    assert order_of(numbers[:0]).tolist() == []
