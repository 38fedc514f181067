"""Errands wait for a turn of their hosts."""

from dataclasses import dataclass

from minicrawl.crawler.frontier.errands import WaitingErrands
from minicrawl.crawler.hosts.host import Address, Host


@dataclass(eq=False)
class Thing:
    opens: bool = False


def host(number: int, address: Address | None = None) -> Host:
    return Host(id=number, name=f"h{number}", delay=1.0, most=1, address=address)


def test_errands_of_a_host_keep_their_order_but_for_one_that_is_first():
    errands, one, things = WaitingErrands(), host(0), [Thing(), Thing(), Thing()]
    errands.add(one, things[0], first=False)
    errands.add(one, things[1], first=False)
    errands.add(one, things[2], first=True)
    assert one.errands[0] is things[2]
    for thing in things:
        errands.remove(one, thing)
    assert not errands.waiting(but_for=())


def test_host_whose_address_is_not_on_offer_waits_for_it():
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
