"""A probe takes the turn of a page, which waits on as if nothing had been."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from support.asking import PROBED, Asking

from minicrawl.crawler.requests.probe import Probe
from minicrawl.model import Fetched


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Asking]:
    asking = Asking(tmp_path / "crawl.db")
    yield asking
    asking.absorber.writer.close()


def test_a_probe_takes_the_turn_and_the_page_waits_on(asking: Asking) -> None:
    request = asking.next()
    probe = request.in_place()
    assert isinstance(probe, Probe)
    assert (probe.url, probe.page) == (PROBED, request.page)
    assert request.in_place() is request  # it is wanted once
    probe.begin(0.0)
    probe.fetched = Fetched(PROBED, status=404)
    probe.on_answer(1.0)
    assert asking.probes.answers == [probe.fetched]
    assert asking.next(1.0).page == request.page
    assert asking.state(request.url) == ("waiting", "seed")


def test_a_probe_nothing_came_of_is_wanted_again(asking: Asking) -> None:
    probe = asking.next().in_place()
    probe.begin(0.0)
    probe.put_back(0.0, 1.0)
    assert asking.probes.answers == []
    assert asking.next(1.0).in_place().url == PROBED


def test_what_robots_txt_forbids_is_not_probed(tmp_path: Path) -> None:
    asking = Asking(tmp_path / "crawl.db", allowed=False)
    request = asking.next()
    assert request.in_place() is request
    asking.absorber.writer.close()
