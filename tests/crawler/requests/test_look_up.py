"""The address of a host: its pages wait until it is known, and have failed if there is none."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.intakes import HOME
from support.sites import rows

from minicrawl.crawler.intake import Intake
from minicrawl.crawler.request_kinds import requests_of
from minicrawl.crawler.requests.look_up import LookUp
from minicrawl.model import Located
from minicrawl.opic import STRATEGIES, Interpolation
from minicrawl.settings import CrawlSettings
from minicrawl.store.writer import Writer
from minicrawl.timing import STANDARD

B = "http://b.test/"


class Looking:
    def __init__(self, store: Path) -> None:
        settings = CrawlSettings(delay=1.0, ip_delay=5.0, ignore_robots=True)
        window = Interpolation(settings.window)
        self.intake = Intake(Writer(store), settings, STRATEGIES["greedy"], window, 0.0, locates=True)
        self.intake.start([HOME, HOME + "a", B], 0.0)
        self.requests = requests_of(self.intake, settings)

    def look_up(self, now: float) -> LookUp:
        due = self.requests.next(now, attempts=True)
        assert due is not None
        request = self.requests.begun(due, now)
        assert isinstance(request, LookUp)
        return request

    def answer(self, request: LookUp, located: Located, now: float) -> None:
        class Source:
            async def locate(self, url: str) -> Located:
                return located

        with pytest.raises(StopIteration):
            request.ask(Source(), lambda arrival: None).send(None)  # type: ignore[arg-type]
        request.on_arrival(now)
        request.on_answer(now)


@pytest.fixture
def looking(tmp_path: Path) -> Iterator[Looking]:
    looking = Looking(tmp_path / "crawl.db")
    yield looking
    looking.intake.state.writer.close()


def test_hosts_at_one_address_share_its_clock(looking: Looking) -> None:
    first = looking.look_up(0.0)
    assert first.host.opening == 1
    second = looking.look_up(0.0)
    assert {first.host.name, second.host.name} == {"a.test", "b.test"}
    assert looking.requests.next(0.0, attempts=True) is None  # pages of closed hosts are not on offer
    for request in (first, second):
        looking.answer(request, Located("192.0.2.1"), 1.0)
    assert first.host.address is second.host.address
    assert [host.located_until for host in (first.host, second.host)] == [1.0 + STANDARD.name] * 2
    assert looking.requests.next(4.9, attempts=True) is None  # a run before may have asked whom it liked until 0.0
    due = looking.requests.next(5.0, attempts=True)
    assert due is not None
    page = looking.requests.begun(due, 5.0)
    assert page is not None
    assert page.is_page
    page.put_back(0.0, 5.5)
    assert looking.requests.next(10.4, attempts=True) is None  # --ip-delay 5, since that turn was over
    assert looking.requests.next(10.5, attempts=True) is not None


@pytest.mark.parametrize(("reason", "life"), [("dns", False), ("private-address", False), (None, None)])
def test_a_name_server_s_answer_is_no_sign_of_the_host(looking: Looking, reason: str | None, life: bool | None) -> None:
    request = looking.look_up(0.0)
    looking.answer(request, Located(reason=reason) if reason else Located("192.0.2.1"), 1.0)
    assert request.shows_life is life
    assert (request.takes_slot, request.obeys_robots, request.host.opening) == (False, False, 0)


def test_a_host_without_address_fails_page_by_page(looking: Looking) -> None:
    for now in range(0, 40, 4):
        while (due := looking.requests.next(float(now), attempts=True)) is not None:
            request = looking.requests.begun(due, float(now))
            if isinstance(request, LookUp):
                looking.answer(request, Located(reason="private-address"), float(now))
    looking.intake.commit({})
    found = rows(looking.intake.state.writer.path, "SELECT DISTINCT state, reason FROM pages")
    assert found == [("error", "private-address")]
    assert not looking.intake.state.frontier.in_flight


def test_a_look_up_that_is_put_back_leaves_the_host_open_for_the_next(looking: Looking) -> None:
    request = looking.look_up(0.0)
    request.put_back(3.0, 1.0)
    assert request.host.opening == 0
    names = {looking.look_up(1.0).host.name}
    assert request.host.name not in names
    assert looking.look_up(4.0).host is request.host
