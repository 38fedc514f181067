"""The addresses of hosts, and how many look-ups are in flight."""

from minicrawl.crawler.frontier.addresses import Addresses, NameServer


def test_name_server_that_loses_look_ups_gets_fewer_of_them_and_more_again():
    server = NameServer()
    first = server.address.most
    for number in range(10):
        server.looked_up(number % 2 == 0, float(number))
    fewer = server.address.most
    for number in range(10, 60):
        server.looked_up(True, float(number))
    assert fewer < first < server.address.most


def test_address_is_the_same_for_all_hosts_that_have_it():
    addresses = Addresses(NameServer().address, delay=2.0, most=1, asked_from=5.0)
    assert addresses.named("1.2.3.4") is None
    added = addresses.add("1.2.3.4")
    assert addresses.named("1.2.3.4") is added is addresses[added.id]
    assert (added.delay, added.ready_at) == (2.0, 5.0)
