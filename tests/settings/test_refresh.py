"""When pages are fetched again, as it is set."""

import pytest

from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings


def test_discovery_has_its_share_beside_refresh() -> None:
    assert CrawlSettings().discovery_share == 1.0
    assert CrawlSettings(refresh=True).discovery_share == 0.7
    assert CrawlSettings(refresh=True, discovery=0.3).discovery_share == 0.3
    with pytest.raises(SettingError, match="--refresh-min must be at most --refresh-max"):
        CrawlSettings(refresh_min="2d", refresh_max="1d")
    with pytest.raises(SettingError, match="--refresh-min must be at most --recrawl-after, 600 s, not 3600 s"):
        CrawlSettings(recrawl_after="10m")


def test_pages_are_fetched_again_once_it_is_asked_for() -> None:
    given = [{}, {"refresh_min": "2h"}, {"refresh_rule": "x=1h"}, {"refresh": True}, {"recrawl_after": "1d"}]
    assert [CrawlSettings(**settings).refreshes for settings in given] == [False, False, False, True, True]
    assert CrawlSettings(refresh_rule="x=1h").refresh_rule == ("x=1h",)
