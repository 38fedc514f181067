"""When the silence of hosts is taken for an outage: the rule alone."""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from support.intakes import intake_of

from minicrawl.crawler.intake import Intake
from minicrawl.crawler.requests.outage_watch import CHECKS, HOSTS, MOST_HELD, LivenessCheck, OutageWatch
from minicrawl.crawler.requests.request import Request
from minicrawl.model import Fetched, Silence
from minicrawl.timing import STANDARD

NEVER = 99
"""A host that has never answered."""


class Asked(LivenessCheck):
    """A request that is answered by hand, and noted when it is put back."""

    checks_life = False

    def __init__(self, intake: Intake, host: int, number: int, put_back: list[int]) -> None:
        known = intake.state.frontier.hosts[host]
        super().__init__(intake.state.hosts, known, f"http://{known.name}/")
        self.number, self._put_back = number, put_back

    def put_back(self, rest: float, now: float) -> None:
        self._put_back.append(self.number)


class Watched:
    """A crawl of a hundred hosts. answered: those that have answered before."""

    def __init__(self, intake: Intake, answered: Sequence[int]) -> None:
        self._intake, self._numbers = intake, itertools.count()
        intake.start([f"http://h{number}.test/" for number in range(NEVER + 1)], 0.0)
        intake.state.hosts.answered.update(answered)
        self.failed: list[int] = []
        self.put_back: list[int] = []
        self.rule = OutageWatch(intake.state, self._absorb, asks_robots=False)

    def _absorb(self, request: Request, now: float) -> None:
        if isinstance(request, Asked) and request.reason is not None:
            self.failed.append(request.number)

    def silent(self, hosts: Sequence[int], now: float = 10.0, apart: float = 0.0) -> None:
        for at, host in enumerate(hosts):
            request = Asked(self._intake, host, next(self._numbers), self.put_back)
            request.fetched = Fetched(request.url, reason="timeout-connect")
            self.rule.take(request, now + at * apart, is_over=False)

    def answer(self, host: int = NEVER, now: float = 20.0) -> None:
        request = Asked(self._intake, host, -1, self.put_back)
        request.fetched = Fetched(request.url, status=200)
        self.rule.take(request, now, is_over=False)

    def check(self, now: float) -> LivenessCheck:
        check = self.rule.check(now)
        assert check is not None
        check.begin(now)
        self.rule.checking()
        return check

    def fail_check(self, now: float) -> None:
        check = self.check(now)
        check.fetched = Fetched(check.url, reason="timeout-connect")
        self.rule.take(check, now, is_over=False)

    def is_calm(self) -> bool:
        return self.rule.ask_at is None and self.rule.silence is None

    def clear_up(self, now: float, *, is_idle: bool = False, is_over: bool = False) -> None:
        self.rule.clear_up(now, is_idle=is_idle, is_over=is_over)

    def let_no_other_be_asked(self) -> None:
        for host in self._intake.state.frontier.hosts:
            host.answers = bool(host.answers)


@contextmanager
def watched(folder: str | Path, answered: Sequence[int] = range(NEVER)) -> Iterator[Watched]:
    intake = intake_of(Path(folder, "crawl.db"), traps=False)
    with closing(intake.state.writer):
        yield Watched(intake, answered)


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Watched]:
    with watched(tmp_path) as crawl:
        yield crawl


@pytest.mark.parametrize(
    ("hosts", "is_asked"),
    [
        (range(HOSTS - 1), False),
        (range(HOSTS), True),
        ([7] * 100, False),
        ([NEVER] * 100, False),
        ([*range(HOSTS - 1), NEVER, 0, NEVER], False),
        ([NEVER, *range(HOSTS)], True),
    ],
    ids=["too few", "enough", "one host", "hosts that never answered", "too few among others", "enough among others"],
)
def test_so_many_hosts_that_answered_before_must_fall_silent(
    crawl: Watched, hosts: Sequence[int], is_asked: bool
) -> None:
    crawl.silent(hosts)
    assert (crawl.rule.ask_at == 10.0) is is_asked
    assert crawl.rule.silence is None


def test_an_answer_between_ends_all_doubt(crawl: Watched) -> None:
    crawl.silent(range(HOSTS - 1))
    crawl.answer()
    assert crawl.failed == list(range(HOSTS - 1))
    crawl.silent([50], 21.0)
    assert crawl.rule.ask_at is None


@pytest.mark.parametrize("unanswered", range(CHECKS))
def test_if_one_of_the_first_checks_is_answered_it_was_the_hosts(crawl: Watched, unanswered: int) -> None:
    crawl.silent(range(HOSTS))
    for _ in range(unanswered):
        crawl.fail_check(20.0)
        assert crawl.rule.ask_at == 20.0
    check = crawl.check(20.0)
    crawl.clear_up(20.0, is_idle=True)
    assert crawl.put_back == crawl.failed == []
    check.fetched = Fetched(check.url, status=200)
    crawl.rule.take(check, 20.0, is_over=False)
    assert crawl.failed == list(range(HOSTS))
    assert crawl.is_calm()


def test_if_it_is_not_all_that_failed_waits_again_and_checks_get_rare(crawl: Watched) -> None:
    crawl.silent(range(HOSTS))
    pauses, now = [], 100.0
    for _ in range(7 + CHECKS):
        crawl.fail_check(now)
        assert crawl.rule.ask_at is not None
        pauses.append(crawl.rule.ask_at - now)
        now = crawl.rule.ask_at
    assert pauses == [0] * (CHECKS - 1) + [1, 2, 4, 8, 16, 32, STANDARD.longest_pause, STANDARD.longest_pause]
    assert crawl.rule.silence == Silence(10.0, STANDARD.longest_pause)
    crawl.clear_up(now)
    crawl.silent([NEVER], now)
    crawl.clear_up(now)
    assert (crawl.put_back, crawl.failed) == (list(range(HOSTS + 1)), [])
    crawl.answer()
    assert crawl.is_calm()


@pytest.mark.parametrize(
    ("answered", "now", "is_outage"),
    [(HOSTS + 1, 20.0, False), (HOSTS + 1, 10.0 + STANDARD.undecided, True), (HOSTS, 20.0, True)],
    ids=["another one may", "for long", "all that ever answered are silent"],
)
def test_where_nobody_may_be_asked_nobody_answers(tmp_path: Path, answered: int, now: float, is_outage: bool) -> None:
    with watched(tmp_path, range(answered)) as crawl:
        crawl.silent(range(HOSTS))
        crawl.let_no_other_be_asked()
        assert crawl.rule.check(now) is None
        assert (crawl.rule.ask_at, crawl.rule.silence is not None) == (now + STANDARD.first_pause, is_outage)


def test_what_is_held_fails_after_all(crawl: Watched) -> None:
    crawl.silent([NEVER] * (MOST_HELD + 2), 0.0, 1 / 100)
    for now, is_idle, failed in [(3.0, False, 2), (STANDARD.undecided + 0.03, False, 4), (4.0, True, MOST_HELD + 2)]:
        crawl.clear_up(now, is_idle=is_idle)
        assert crawl.failed == list(range(failed))
