"""What every kind of request has in common."""

from typing import cast

import pytest

from minicrawl.crawler.hosts.host import Host
from minicrawl.crawler.hosts.outage import SILENT
from minicrawl.crawler.hosts.politeness import Health
from minicrawl.crawler.requests.host_turns import HostTurns
from minicrawl.crawler.requests.request import Deliver, Refusal, Request
from minicrawl.crawler.sources.source import PageSource
from minicrawl.model import Fetched, State

URL = "http://a.test/"


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
