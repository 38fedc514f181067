"""The delays of hosts: the longer one counts, unless politeness is off."""

import pytest

from minicrawl.crawler.hosts.host_delays import HostDelays

RULES = ["Own.test=5s", "own.test=9s", "h.test:443=2", "h.test:8080=3m", "bücher.test=0", "[::1]=4"]
DELAYS = HostDelays.by_rules(3.0, RULES)


def test_a_host_has_the_delay_of_its_own_by_whatever_it_is_called() -> None:
    assert DELAYS.own == {"own.test": 5.0, "h.test": 2.0, "h.test:8080": 180.0, "xn--bcher-kva.test": 0.0, "[::1]": 4.0}


@pytest.mark.parametrize(
    ("host", "crawl_delay", "seconds"),
    [
        ("a.test", 0.0, 3.0),
        ("a.test", 0.5, 3.0),
        ("a.test", 7.0, 7.0),
        ("own.test", 0.0, 5.0),
        ("own.test", 7.0, 7.0),
        ("www.own.test", 0.0, 3.0),
        ("h.test", 2.5, 2.5),
        ("xn--bcher-kva.test", 7.0, 0.0),  # politeness is off, for this one
    ],
)
def test_the_longer_delay_counts_unless_politeness_is_off(host: str, crawl_delay: float, seconds: float) -> None:
    assert DELAYS.of(host, crawl_delay) == seconds
    assert HostDelays(0.0).of(host, crawl_delay) == 0.0


def test_only_hosts_with_a_shorter_one_are_asked_more_often() -> None:
    shorter = {host for host in (*DELAYS.own, "a.test") if DELAYS.is_shorter(host)}
    assert shorter == {"h.test", "xn--bcher-kva.test"}
