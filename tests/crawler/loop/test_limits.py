"""When a run has done what it was to do."""

from typing import Any

from table import each

from minicrawl.crawler.loop.limits import limit_reached
from minicrawl.settings import CrawlSettings


@each(
    "case",
    [
        ({}, None),
        ({"pages": 11}, None),
        ({"pages": 10}, "pages"),
        ({"bytes": 100}, "bytes"),
        ({"time": 5.0}, "time"),
        ({"time": 5.1}, None),
        ({"until_coverage": 0.5}, "coverage"),
        ({"until_coverage": 0.6, "bytes": 99}, "bytes"),
    ],
)
def test_the_first_limit_that_is_reached_is_told(case: tuple[dict[str, Any], str | None]) -> None:
    options, reached = case
    assert limit_reached(CrawlSettings.of(options), 10, 100, 5.0, 0.5) == reached
