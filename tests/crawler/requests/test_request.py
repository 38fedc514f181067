"""Requests of every kind, and the clocks of hosts after their answers."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from support.intakes import intake_of

from minicrawl.crawler.hosts.host import Host, HostTurn
from minicrawl.crawler.hosts.outage import SILENT
from minicrawl.crawler.hosts.politeness import Health
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.requests.request import Deliver, HostTurns, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.model import Fetched

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


@pytest.mark.parametrize(
    ("reason", "expected"),
    [(None, True), ("http-500", True), ("worker-died", None), *((reason, False) for reason in sorted(SILENT))],
)
def test_answer_of_any_kind_shows_life(reason: str | None, expected: bool | None) -> None:
    request = request_of()
    request.fetched = Fetched(URL, reason=reason)
    assert request.shows_life is expected
    assert request.failure == reason
