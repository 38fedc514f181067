"""Requests of every kind, and the clocks of hosts after their answers."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from support.intakes import intake_of

from minicrawl.crawler.hosts.host import Host, HostTurn
from minicrawl.crawler.hosts.outage import SILENT
from minicrawl.crawler.hosts.politeness import STRAINS_OF_THE_DEAD, Health
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.requests.request import Deliver, HostTurns, Refusal, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.model import Fetched, State

URL = "http://a.test/"
DELAY = 2.0


@pytest.fixture
def intake(tmp_path: Path) -> Iterator[Intake]:
    intake = intake_of(tmp_path / "crawl.db", delay=DELAY)
    intake.start([URL, URL + "b", "http://b.test/"], 0.0)
    yield intake
    intake.state.writer.close()


def begun(intake: Intake, now: float) -> HostTurn:
    page = intake.state.frontier.best_page(now)
    assert page is not None
    return intake.state.frontier.hand_out(page, now)


def test_the_delay_runs_from_the_answer_or_from_when_the_request_was_there(intake: Intake) -> None:
    turn = begun(intake, 10.0)
    intake.turns.answered(turn, Fetched(URL, status=200, waited=0.5), 11.0)
    assert 10.5 + DELAY <= turn.host.not_before <= 11.0 + DELAY
    assert turn.host.id in intake.state.hosts.answered


def test_a_request_nobody_answered_is_no_answer(intake: Intake) -> None:
    turn = begun(intake, 10.0)
    intake.turns.answered(turn, Fetched(URL, reason="timeout"), 30.0)
    assert turn.host.id not in intake.state.hosts.answered
    assert turn.host.not_before >= 30.0 + DELAY


def test_a_rest_that_was_asked_for_is_urgent_and_is_kept(intake: Intake) -> None:
    turn = begun(intake, 10.0)
    assert not intake.state.hosts.is_urgent
    intake.turns.answered(turn, Fetched(URL, status=200), 11.0, rest=100.0)
    assert turn.host.not_before == 111.0
    assert intake.state.hosts.is_urgent


def test_a_turn_that_came_to_nothing_counts_for_the_clock_alone(intake: Intake) -> None:
    turn = begun(intake, 10.0)
    health = turn.host.health
    intake.turns.spare(turn, 5.0, 11.0)
    assert turn.host.health == health
    assert turn.host.not_before >= 16.0
    assert turn.host.id not in intake.state.hosts.answered
    assert not intake.state.frontier.in_flight


def test_a_longer_crawl_delay_runs_at_once_a_shorter_one_changes_nothing(intake: Intake) -> None:
    host: Host = intake.state.frontier.hosts[0]
    intake.turns.set_crawl_delay(host, 30.0, 100.0)
    assert (host.delay, host.crawl_delay, host.not_before) == (30.0, 30.0, 130.0)
    intake.turns.set_crawl_delay(host, 1.0, 101.0)
    assert (host.delay, host.crawl_delay) == (DELAY, 1.0)
    assert host.not_before == 130.0


def test_the_pages_of_a_host_that_has_died_have_their_turns_without_delay(intake: Intake) -> None:
    now = 10.0
    host = intake.state.frontier.hosts[0]
    for _ in range(STRAINS_OF_THE_DEAD + 5):
        if host.health.dead_until > now:
            break
        intake.state.frontier.rest(intake.state.frontier.hosts[1], now + 1e6, now)
        now = max(now, host.not_before)
        turn = begun(intake, now)
        assert turn.host is host
        now += 60.0
        intake.turns.answered(turn, Fetched(URL, reason="timeout"), now)
        intake.state.frontier.put_back(turn.page, now)  # type: ignore[arg-type]
    assert host.health.dead_until > now
    assert host.not_before <= now


def test_only_a_name_server_s_address_is_noted_for_budgets(tmp_path: Path) -> None:
    intake = intake_of(tmp_path / "other.db")
    intake.start([URL], 0.0)
    host = intake.state.frontier.hosts[0]
    traps = intake.state.admission.traps
    assert traps is not None
    traps.take_rows()
    traps.budgets.take_rows()
    intake.turns.located(host, "192.0.2.7", float("inf"), 0.0)  # by --connect-to
    assert traps.budgets.take_rows()[0] == []
    intake.turns.located(host, "93.184.216.34", 600.0, 0.0)
    assert [row.address for row in traps.budgets.take_rows()[0]] == ["93.184.216.34"]
    intake.state.writer.close()


@pytest.mark.parametrize(("name", "shares"), [("a.test", True), ("quick.test", False), ("slow.test", True)])
def test_a_host_with_a_shorter_delay_of_its_own_waits_for_no_other(tmp_path: Path, name: str, shares: bool) -> None:
    """All are at one IP address, which has a clock, too."""
    own = ("quick.test=0.5s", "slow.test=9s")
    intake = intake_of(tmp_path / "crawl.db", delay=DELAY, host_delay=own, locates=True)
    host = intake.state.hosts.host(name)
    intake.turns.located(host, "192.0.2.1", 100.0, 0.0)
    assert (host.address is not None) == shares
    intake.state.writer.close()


class Asking(Request):
    """The least that a kind of request is."""

    async def ask(self, source: PageSource, deliver: Deliver) -> None:
        raise NotImplementedError

    def on_answer(self, now: float) -> None:
        raise NotImplementedError


def request_of(dead_until: float = 0.0) -> Asking:
    host = Host(id=0, name="a.test", delay=1.0, most=1, health=Health(dead_until=dead_until))
    return Asking(cast("HostTurns", None), host, URL)


def test_dead_host_is_not_asked_until_its_rest_is_over() -> None:
    assert request_of(dead_until=10.0).refusal(9.0) == Refusal(State.ERROR, "host-dead", 10.0)
    assert request_of(dead_until=10.0).refusal(10.0) is None


@pytest.mark.parametrize(
    ("reason", "expected"),
    [(None, True), ("http-500", True), ("worker-died", None), *((reason, False) for reason in sorted(SILENT))],
)
def test_answer_of_any_kind_shows_life(reason: str | None, expected: bool | None) -> None:
    request = request_of()
    request.fetched = Fetched(URL, reason=reason)
    assert request.shows_life is expected
    assert request.failure == reason


def test_request_stands_for_itself_in_the_turn_of_its_host() -> None:
    request = request_of()
    assert request.in_place() is request
    assert request.turn.errand is request
    assert request.turn.page is None
    with pytest.raises(NotImplementedError):
        request.on_refusal(Refusal(State.ERROR, "x", 0.0), 0.0)
