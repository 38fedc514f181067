"""Settings that do not work in partitions are refused by their names."""

import pytest

from minicrawl.cluster.settings import check_working, settings_of
from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings


@pytest.mark.parametrize(
    ("settings", "option"),
    [
        ({"on_change": "true"}, "--on-change does not work in partitions"),
        ({"from_archive": ("a.warc",)}, "--from-archive does not work in partitions"),
    ],
)
def test_what_does_not_work_is_refused(settings: dict[str, object], option: str) -> None:
    with pytest.raises(SettingError, match=option):
        check_working(CrawlSettings.of(settings))


def test_partitions_of_a_crawl_with_a_budget_share_its_requests_and_leave_its_end_to_the_keeper() -> None:
    settings = settings_of(1, 4, 2, CrawlSettings(pages=5, concurrency=9, items="/items.jsonl"))
    assert (settings.pages, settings.concurrency, settings.items) == (None, 4, "/items.001.jsonl")
    assert settings.time is not None
    assert settings_of(1, 4, 2, CrawlSettings()).time is None
