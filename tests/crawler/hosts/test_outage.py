"""When the silence of hosts is taken for an outage: the rule alone."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.crawler.hosts import CHECKS, HOSTS, MOST_HELD, Outage
from minicrawl.timing import STANDARD


def doubtful(signs: int) -> Outage[int]:
    outage: Outage[int] = Outage()
    for host in range(signs):
        outage.failed(host, host, 10.0 + host)
    return outage


@pytest.mark.parametrize(
    ("hosts", "is_asked"),
    [
        (range(HOSTS - 1), False),
        (range(HOSTS), True),
        ([7] * 100, False),
        ([None] * 100, False),
        ([*range(HOSTS - 1), None, 0, None], False),
        ([None, *range(HOSTS)], True),
    ],
    ids=["too few", "enough", "one host", "hosts that never answered", "too few among others", "enough among others"],
)
def test_so_many_hosts_that_answered_before_must_fall_silent(hosts: list[int | None], is_asked: bool) -> None:
    outage: Outage[int] = Outage()
    for number, host in enumerate(hosts):
        outage.failed(number, host, 10.0)
    assert (outage.ask_at == 10.0) is is_asked
    assert outage.since is None


def test_an_answer_between_ends_all_doubt() -> None:
    outage = doubtful(HOSTS - 1)
    assert outage.answered() == list(range(HOSTS - 1))
    outage.failed(99, 99, 20.0)
    assert outage.ask_at is None


@pytest.mark.parametrize("unanswered", range(CHECKS))
def test_if_one_of_the_first_checks_is_answered_it_was_the_hosts(unanswered: int) -> None:
    outage = doubtful(HOSTS)
    for _ in range(unanswered):
        outage.checking()
        outage.unanswered(20.0)
        assert outage.ask_at == 20.0
    outage.checking()
    assert outage.spared(is_over=False) == []
    assert outage.answered() == list(range(HOSTS))
    assert outage.ask_at is outage.since is None


def test_if_it_is_not_all_that_failed_waits_again_and_checks_get_rare() -> None:
    outage = doubtful(HOSTS)
    pauses = []
    for _ in range(7 + CHECKS):
        outage.checking()
        outage.unanswered(100.0)
        assert outage.ask_at is not None
        pauses.append(outage.ask_at - 100.0)
    assert pauses == [0] * (CHECKS - 1) + [1, 2, 4, 8, 16, 32, STANDARD.longest_pause, STANDARD.longest_pause]
    assert outage.since == 10.0
    assert outage.spared(is_over=False) == list(range(HOSTS))
    outage.failed(5, None, 101.0)
    assert outage.spared(is_over=False) == [5]
    assert outage.answered() == []
    assert outage.ask_at is outage.since is None


def test_where_nobody_may_be_asked_for_long_nobody_answers() -> None:
    outage = doubtful(HOSTS)
    outage.postponed({*range(HOSTS), 99}, 20.0)
    assert (outage.ask_at, outage.since) == (21.0, None)
    outage.postponed({*range(HOSTS), 99}, 10.0 + STANDARD.patience)
    assert outage.since == 10.0


def test_where_all_that_ever_answered_are_silent_nobody_answers() -> None:
    outage = doubtful(HOSTS)
    outage.postponed(set(range(HOSTS)), 20.0)
    assert outage.since == 10.0


def test_what_is_held_fails_after_all() -> None:
    outage: Outage[int] = Outage()
    for number in range(MOST_HELD + 2):
        outage.failed(number, None, number / 100)
    assert outage.overdue(3.0, is_idle=False) == [0, 1]
    assert outage.overdue(0.03 + STANDARD.patience, is_idle=False) == [2, 3]
    assert outage.overdue(4.0, is_idle=True) == list(range(4, MOST_HELD + 2))


@given(st.lists(st.tuples(st.sampled_from(["failed", "check", "answered", "settle", "idle"]), st.integers(0, 8))))
def test_every_failure_is_taken_in_or_put_back_once_in_order(events: list[tuple[str, int]]) -> None:
    outage: Outage[int] = Outage()
    numbers = itertools.count()
    out: list[int] = []
    for now, (event, host) in enumerate(events):
        match event:
            case "failed":
                outage.failed(next(numbers), host or None, now)
            case "check" if outage.ask_at is not None:
                outage.checking()
                outage.unanswered(now)
            case "answered":
                out += outage.answered()
            case _:
                out += outage.spared(is_over=False)
                out += outage.overdue(now, is_idle=event == "idle")
    out += outage.spared(is_over=True)
    assert out == list(range(next(numbers)))
