"""What becomes of silent requests: held, put back, or taken in as failures, each once."""

from dataclasses import dataclass, field
from typing import cast

import pytest

from minicrawl.crawler.hosts.outage import HOSTS
from minicrawl.crawler.net.open_files import OPEN_FILES
from minicrawl.crawler.requests.liveness import Liveness
from minicrawl.crawler.requests.outage_watch import OutageWatch
from minicrawl.crawler.requests.request import Request
from minicrawl.timing import Timing

TIMING = Timing(first_pause=1.0, longest_pause=4.0, patience=60.0, no_name=30.0, full=2.0)


@dataclass
class Deeds:
    """What was done, in order: also the frontier, and whoever chooses whom to ask for life."""

    done: list[tuple[str, object]] = field(default_factory=list)
    is_anybody: bool = True

    def judge(self, host: "Host", is_there: bool, now: float) -> None:
        host.answers = is_there

    def leave_address(self, turn: object, now: float, *, asked: bool) -> None:
        pass

    def check(self, on_located: object, now: float) -> "Asked | None":
        return Asked(self, 99, None, checks_life=True) if self.is_anybody else None

    def over(self) -> None:
        self.done.append(("over", None))

    def all_well(self) -> None:
        self.done.append(("all well", None))

    @property
    def frontier(self) -> "Deeds":
        return self


@dataclass
class Host:
    id: int
    answers: bool | None = None


class Asked:
    """A request that has come back."""

    takes_slot = True
    turn = None

    def __init__(self, deeds: Deeds, host: int, reason: str | None, *, checks_life: bool = False) -> None:
        self.turns, self.host, self.reason, self.checks_life = deeds, Host(host), reason, checks_life

    @property
    def shows_life(self) -> bool | None:
        return None if self.reason == "worker-died" else self.reason is None

    def on_arrival(self, now: float) -> None:
        pass

    def put_back(self, rest: float, now: float) -> None:
        self.turns.done.append((f"put back for {rest:g}", self.host.id))


class Watched:
    def __init__(self, answered: int) -> None:
        self.deeds, self.answered = Deeds(), set(range(answered))
        self.watch = OutageWatch(cast("Liveness", self.deeds), self.answered, TIMING, self.absorb)

    def absorb(self, request: Request, now: float) -> None:
        self.deeds.done.append(("absorbed", request.host.id))

    def take(self, host: int, reason: str | None, now: float, *, checks_life: bool = False) -> None:
        request = Asked(self.deeds, host, reason, checks_life=checks_life)
        self.watch.take(cast("Request", request), now, is_over=False)

    def news(self) -> list[tuple[str, object]]:
        news, self.deeds.done = self.deeds.done, []
        return news


@pytest.fixture
def watched() -> Watched:
    return Watched(answered=HOSTS + 2)


def test_an_answer_after_some_silence_makes_failures_of_that(watched: Watched) -> None:
    """In the order in which they failed; hosts that did are no sign any more."""
    for host in range(HOSTS - 1):
        watched.take(host, "timeout", float(host))
    assert watched.news() == []
    assert watched.watch.ask_at is None
    watched.take(6, None, 9.0)
    assert watched.news() == [("all well", None), *(("absorbed", host) for host in range(HOSTS - 1)), ("absorbed", 6)]
    assert watched.answered == {HOSTS - 1, HOSTS, HOSTS + 1}


def test_where_few_hosts_ever_answered_a_failure_is_one_at_once() -> None:
    watched = Watched(answered=HOSTS - 1)
    watched.take(0, "timeout", 0.0)
    assert watched.news() == [("absorbed", 0)]


def test_in_an_outage_nothing_has_failed(watched: Watched) -> None:
    """What was held waits for its turn again: a name that is not known for as long as that is remembered."""
    for host in range(HOSTS):
        watched.take(host, "dns" if host else "timeout", 5.0)
    assert watched.watch.ask_at == 5.0
    for now in (5.0, 6.0):
        check = watched.watch.check(now)
        assert check is not None
        watched.watch.checking()
        assert watched.watch.check(now) is None
        watched.take(99, "timeout", now, checks_life=True)
        assert watched.news() == [("put back for 0", 99), ("over", None)]
    assert watched.watch.silence is not None
    assert watched.watch.silence.since == 5.0
    assert not watched.watch.clear_up(7.0, is_idle=False, is_over=False)
    assert watched.news() == [("put back for 0", 0), *(("put back for 30", host) for host in range(1, HOSTS))]
    watched.take(1, None, 8.0)
    assert watched.watch.silence is None
    assert watched.news() == [("all well", None), ("absorbed", 1)]
    assert watched.answered == set(range(HOSTS + 2))


def test_what_nothing_throws_light_on_fails_when_there_is_nothing_else_to_do(watched: Watched) -> None:
    watched.take(0, "timeout", 0.0)
    assert not watched.watch.clear_up(1.0, is_idle=False, is_over=False)
    assert watched.watch.clear_up(1.0, is_idle=True, is_over=False)
    assert watched.news() == [("absorbed", 0)]
    watched.take(1, "timeout", 2.0)
    assert not watched.watch.clear_up(61.9, is_idle=False, is_over=False)
    assert watched.watch.clear_up(62.0, is_idle=False, is_over=False)


def test_at_the_end_what_is_held_waits_for_the_next_run(watched: Watched) -> None:
    watched.take(0, "timeout", 0.0)
    watched.watch.clear_up(1.0, is_idle=True, is_over=True)
    assert watched.news() == [("put back for 0", 0)]


def test_want_of_open_files_is_nobody_s_fault(watched: Watched) -> None:
    watched.take(0, OPEN_FILES, 0.0)
    assert watched.news() == [("put back for 2", 0)]
    assert watched.answered == set(range(HOSTS + 2))


def test_a_worker_that_died_says_nothing_of_the_host(watched: Watched) -> None:
    watched.take(0, "timeout", 0.0)
    watched.take(1, "worker-died", 1.0)
    assert watched.news() == [("absorbed", 1)]
    assert watched.watch.ask_at is None


def test_nobody_who_may_be_asked_is_waited_for(watched: Watched) -> None:
    watched.deeds.is_anybody = False
    for host in range(HOSTS):
        watched.take(host, "timeout", 5.0)
    assert watched.watch.check(5.0) is None
    assert watched.watch.ask_at == 6.0
