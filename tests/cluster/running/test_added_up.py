"""What partitions say of themselves, as one crawl says it."""

from typing import Any

from minicrawl.cluster.running.added_up import Events, look_of, part_of, status_of

STATUS: dict[str, Any] = {"pid": 7, "state": "running", "known": 12, "read": 3, "fetched": 4, "bytes": 50}
STATUS |= {"in_flight": 1, "waits_for": {"hooks": 1}, "cpu": 0.5, "memory": 2**20, "banned": ("b.test",)}
LOOK: dict[str, Any] = {
    "errors": {"dns": 2},
    "silence": None,
    "earlier": {"runs": 2, "fetched": 10, "bytes": 5, "seconds": 8.0},
    "requests": [{"url": "http://a.test/", "seconds": 2.0}],
    "hosts": [{"host": "a.test", "doing": "waiting"}, {"host": "c.test", "doing": "idle"}],
    "doing": {"waiting": 1},
    "statuses": {"2xx": 3},
    "latencies": {"0.1": 1, "+Inf": 2},
    "latency": 20.0,
    "took": 0.1,
}


def test_urls_of_others_are_known_once() -> None:
    quiet = {"waiting": 0, "mirrors": 0}
    parts = [part_of(0, STATUS, {"waiting": 3, "mirrors": 2}, 1), part_of(1, STATUS, quiet, 0)]
    assert [parts[0][name] for name in ("known", "waiting", "mirrors", "deaths")] == [10, 3, 2, 1]
    whole = status_of(parts, [STATUS, {**STATUS, "banned": ["a.test"]}])
    assert (whole["known"], whole["read"], whole["in_flight"]) == (22, 6, 2)
    assert whole["waits_for"] == {"hooks": 2}
    assert whole["banned"] == ["a.test", "b.test"]


def test_looks_are_added_up_and_hosts_come_in_order() -> None:
    other = {**LOOK, "errors": {"dns": 1, "tls": 1}, "hosts": [{"host": "b.test", "doing": "asked"}]}
    other |= {"earlier": {"runs": 2, "fetched": 1, "bytes": 1, "seconds": 9.0}, "silence": {"since": 1.0, "pause": 2.0}}
    other |= {"requests": [{"url": "http://b.test/", "seconds": 3.0}], "statuses": {"2xx": 1, "4xx": 1}}
    whole = look_of([LOOK, other, {"state": "starting"}], hosts=2)
    assert whole["errors"] == {"dns": 3, "tls": 1}
    assert (whole["statuses"], whole["latencies"]) == ({"2xx": 4, "4xx": 1}, {"0.1": 2, "+Inf": 4})
    assert whole["latency"] == 40.0
    assert [host["host"] for host in whole["hosts"]] == ["b.test", "a.test"]
    assert whole["earlier"] == {"runs": 2, "fetched": 11, "bytes": 6, "seconds": 9.0}
    assert [request["url"] for request in whole["requests"]] == ["http://b.test/", "http://a.test/"]
    assert whole["silence"] is None, "one of them is answered"


def test_a_host_is_shown_as_it_is_at_home() -> None:
    """Others know it by links to it, and ask it for nothing."""
    idle = [{"host": name, "doing": "idle"} for name in ("a.test", "b.test")]
    here = {**LOOK, "hosts": [{"host": "a.test", "doing": "asked"}, idle[1]], "doing": {"asked": 1, "idle": 1}}
    there = {**LOOK, "hosts": [idle[0], {"host": "b.test", "doing": "banned"}], "doing": {"banned": 1, "idle": 1}}
    for looks in ([here, there], [there, here]):
        whole = look_of(looks, hosts=9)
        assert {host["host"]: host["doing"] for host in whole["hosts"]} == {"a.test": "asked", "b.test": "banned"}
        assert whole["doing"] == {"asked": 1, "banned": 1}


def test_looks_that_say_nothing_yet_are_no_look_at_hosts() -> None:
    assert look_of([{"state": "starting"}], hosts=5)["hosts"] == []


def test_events_are_taken_once_and_those_of_a_new_process_too() -> None:
    events = Events()
    events.take(0, 7, [{"number": 1, "what": "a"}, {"number": 3, "what": "b"}])
    events.take(0, 7, [{"number": 3, "what": "b"}])
    events.take(1, 8, [{"number": 1, "what": "c"}])
    events.take(0, 9, [{"number": 1, "what": "d"}])
    assert [(event["number"], event["what"]) for event in events.behind(1)] == [(2, "b"), (3, "c"), (4, "d")]
    assert (events.seen(0, 7), events.seen(1, 9)) == (3, 0)
