"""What is read of a crawl in one store, which may begin after whoever reads it."""

from pathlib import Path

import pytest
from support.sites import crawl

from minicrawl.dashboard.one_store import StoreReadings
from minicrawl.errors import StoreError

HOME = "http://a.test/"


def test_a_crawl_may_begin_later(tmp_path: Path) -> None:
    readings = StoreReadings(tmp_path / "crawl.db")
    assert not readings.has_begun()
    with pytest.raises(StoreError, match="there is no crawl at"):
        readings.at_rest()
    crawl({HOME: ["/a"]}, readings.path, [HOME], delay=0.25)
    assert readings.has_begun()
    found = readings.at_rest()
    assert (found.status.known, found.earlier.runs, found.settings.delay, list(found.banned)) == (2, 0, 0.25, [])
    crawl({f"{HOME}b": []}, readings.path, [f"{HOME}b"], delay=0.5)
    found = readings.at_rest()
    assert (found.status.known, found.earlier.runs, found.settings.delay) == (3, 1, 0.5)
