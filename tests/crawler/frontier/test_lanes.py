"""The best page on offer, and errands that wait for a turn of their host."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.frontier.lanes import Offers, WaitingErrands
from minicrawl.crawler.hosts import Address, Host

STEPS = st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(0, 9)), max_size=400)


@given(STEPS)
def test_best_is_the_least_entry_on_offer(steps: list[tuple[int, int | None]]) -> None:
    offers, expected = Offers(), dict[int, int]()
    for number, entry in steps:
        if entry is None:
            offers.withdraw(number)
            expected.pop(number, None)
        else:
            offers.put(number, entry)
            expected[number] = entry
        best = offers.best()
        assert best == min(((entry, number) for number, entry in expected.items()), default=None)


def test_what_was_replaced_takes_little_room() -> None:
    offers = Offers()
    for entry in range(10_000, 0, -1):
        offers.put(1, entry)
    assert offers.best() == (1, 1)
    assert len(offers) <= 100


@dataclass(eq=False)
class Thing:
    opens: bool = False
    alternates: bool = False


def host(number: int, address: Address | None = None) -> Host:
    return Host(id=number, name=f"h{number}", delay=1.0, most=1, address=address)


def test_errands_of_a_host_keep_their_order_but_for_one_that_is_first() -> None:
    errands, one, things = WaitingErrands(), host(0), [Thing(), Thing(), Thing()]
    errands.add(one, things[0], first=False)
    errands.add(one, things[1], first=False)
    errands.add(one, things[2], first=True)
    assert one.errands[0] is things[2]
    for thing in things:
        errands.remove(one, thing)
    assert not errands.waiting(but_for=())


def test_host_whose_address_is_not_on_offer_waits_for_it() -> None:
    errands, address = WaitingErrands(), Address(id=1, name="1.2.3.4", delay=1.0, most=1)
    waits, other = host(0, address), host(1)
    errands.offer(waits)
    errands.offer(other)
    errands.skip(until_address=True)
    assert errands.offered() is other
    errands.skip(until_address=False)
    assert errands.offered() is None
    errands.offer_address(address)
    assert errands.offered() is waits
