"""IP addresses: what hosts share there, and partitions trade."""

from minicrawl.crawler.frontier.addresses import Addresses
from minicrawl.crawler.hosts.clocks import Host


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
