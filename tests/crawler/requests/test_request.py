"""Requests of every kind, and the clocks of hosts after their answers."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.intakes import intake_of

from minicrawl.crawler.hosts import HostTurn
from minicrawl.crawler.intake import Intake
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
    intake.state.hosts.end_turn(turn, Fetched(URL, status=200, waited=0.5), 11.0)
    assert 10.5 + DELAY <= turn.host.not_before <= 11.0 + DELAY
    assert turn.host.id in intake.state.hosts.answered
