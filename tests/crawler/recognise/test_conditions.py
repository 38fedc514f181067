"""When pages are asked for on a condition."""

from typing import Any

import pytest

from minicrawl.crawler.recognise.conditions import (
    needs,
    needs_more,
)
from minicrawl.settings import CrawlSettings

PLAIN: dict[str, Any] = {"deny": ("/x",), "text": True, "respect_usage": ("ai-train",)}


@pytest.mark.parametrize(
    ("changed", "is_more"),
    [
        ({"deny": ()}, True),
        ({"deny": ("/x", "/y")}, True),
        ({"max_depth": 3}, True),
        ({"extract": ("t=h1",)}, True),
        ({"search": True}, True),
        ({"text": False}, False),
        ({"respect_usage": ("search",)}, True),
        ({"respect_usage": ()}, True),  # what was withheld
        ({"delay": 5.0, "workers": 2, "pages": 10, "refresh": True}, False),
    ],
)
def test_pages_must_be_read_again_for_other_links_and_for_more_content(changed: dict[str, Any], is_more: bool) -> None:
    before, after = (needs(CrawlSettings.of(PLAIN | more)) for more in ({}, changed))
    assert needs_more(before, after) is is_more
