"""A crawl of other people's hosts ought to name somebody."""

from typing import Any

import pytest

from minicrawl.crawler.remembered_settings import is_nameless
from minicrawl.settings import CrawlSettings

OTHERS = "https://www.iana.org/"
CASES: list[tuple[list[str], dict[str, Any], bool]] = [
    ([OTHERS], {}, True),
    (["http://127.0.0.1:8080/", OTHERS], {}, True),
    (["http://93.184.216.34/"], {}, True),
    ([], {}, False),
    (["http://localhost:8080/", "http://a.test/", "http://printer.local/", "http://nas.home.arpa/"], {}, False),
    (["http://127.0.0.1/", "http://10.1.2.3/", "http://[::1]/", "http://192.168.0.1/"], {}, False),
    ([OTHERS], {"connect_to": "::127.0.0.1:8080"}, False),
    ([OTHERS], {"connect_to": "example.org::127.0.0.1:8080"}, True),
    ([OTHERS], {"contact": "me@example.org"}, False),
    ([OTHERS], {"user_agent": "mybot/1 (+https://example.org/bot)"}, False),
    ([OTHERS], {"header": "From: me@example.org"}, False),
]


@pytest.mark.parametrize(("seeds", "settings", "expected"), CASES)
def test_other_peoples_hosts_are_to_be_told_whom_to_ask(
    seeds: list[str], settings: dict[str, Any], expected: bool
) -> None:
    assert is_nameless(CrawlSettings(**settings), seeds) == expected
