"""The best page on offer, and errands that wait for a turn of their host."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.frontier.addresses import Addresses, Offers, WaitingErrands
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


def test_address_is_the_same_for_all_hosts_that_have_it() -> None:
    addresses = Addresses(delay=2.0, most=1, asked_from=5.0)
    assert addresses.named("1.2.3.4") is None
    added = addresses.add("1.2.3.4")
    assert addresses.named("1.2.3.4") is added is addresses[added.id]
    assert (added.delay, added.ready_at) == (2.0, 5.0)


def test_shared_address_is_held_from_when_it_is_granted_until_nothing_is_in_flight_there() -> None:
    addresses = Addresses(delay=2.0, most=1, asked_from=0.0)
    addresses.share()
    address, host = addresses.add("1.2.3.4"), Host(id=0, name="a", delay=2.0, most=1)
    host.address = address
    addresses.add_host(host)
    assert not address.is_held
    assert addresses.trade(lambda host: False, 10.0) == ([], {}), "nothing is to be asked for there"
    assert addresses.trade(lambda host: True, 10.0) == (["1.2.3.4"], {})
    assert list(addresses.change({"1.2.3.4": 3.0}, [], 10.0)) == [address]
    assert (address.is_held, address.ready_at) == (True, 13.0)
    assert addresses.trade(lambda host: True, 13.0) == ([], {})
    address.begin(13.0)
    assert list(addresses.change({}, ["1.2.3.4"], 14.0)) == [address]
    assert not address.is_held
    assert addresses.trade(lambda host: True, 14.0) == ([], {}), "a request is in flight"
    address.end(14.5, asked=True, left=14.5, on_its_way=0.04)
    assert addresses.trade(lambda host: True, 15.0) == (["1.2.3.4"], {"1.2.3.4": 1.5})
    assert addresses.trade(lambda host: True, 15.0) == (["1.2.3.4"], {})


def test_host_that_has_moved_wants_its_address_of_before_no_more() -> None:
    addresses = Addresses(delay=2.0, most=1, asked_from=0.0)
    addresses.share()
    host = Host(id=0, name="a", delay=2.0, most=1)
    for name in ("1.2.3.4", "1.2.3.5"):
        host.address = addresses.add(name)
        addresses.add_host(host)
    assert addresses.trade(lambda host: True, 0.0)[0] == ["1.2.3.5"]


def test_addresses_of_the_process_before_are_left_when_nobody_may_have_asked_them_just_now() -> None:
    addresses = Addresses(delay=2.0, most=1, asked_from=9.0)
    addresses.share()
    assert len(list(addresses.change({"1.2.3.4": 0.0}, ["1.2.3.5"], 5.0))) == 2
    assert addresses.trade(lambda host: True, 5.0) == ([], {"1.2.3.5": 4.0})
    assert len(list(addresses.change({}, ["1.2.3.4"], 7.0))) == 1
    assert addresses.trade(lambda host: True, 7.0) == ([], {"1.2.3.4": 2.0})
