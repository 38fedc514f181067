"""When a host may be asked again, by its turns."""

import math

from minicrawl.crawler.hosts.host import Host


def host_with(delay: float = 2.0, **state: float) -> Host:
    return Host(id=0, name="a.test", delay=delay, most=1, **state)  # type: ignore[arg-type]


def test_delay_runs_from_when_the_request_left() -> None:
    host = host_with()
    host.begin(10.0)
    assert (host.in_flight, host.ready_at) == (1, 12.0)
    host.end(20.0, asked=True, left=15.0, on_its_way=0.0)
    assert host.in_flight == 0
    assert 17.0 <= host.ready_at <= 22.0


def test_turn_without_request_leaves_the_host_ready() -> None:
    host = host_with()
    host.begin(10.0)
    host.end(11.0, asked=False, left=math.inf, on_its_way=0.0)
    assert host.ready_at == 11.0


def test_turn_without_request_does_not_hurry_another_in_flight() -> None:
    host = host_with()
    host.begin(10.0)
    host.begin(10.5)
    host.end(11.0, asked=False, left=math.inf, on_its_way=0.0)
    assert (host.in_flight, host.ready_at) == (1, 12.5)


def test_earlier_request_does_not_shorten_the_delay_of_a_later_one() -> None:
    host = host_with()
    host.begin(10.0)
    host.begin(30.0)
    host.end(30.5, asked=True, left=10.0, on_its_way=0.0)
    assert host.ready_at >= 32.0


def test_rest_counts_as_the_delay_does() -> None:
    assert host_with(ready_at=5.0, rests_until=9.0).not_before == 9.0
    assert host_with(ready_at=9.0, rests_until=5.0).not_before == 9.0
