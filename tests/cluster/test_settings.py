"""Settings that do not work in partitions are refused by their names."""

import pytest

from minicrawl.cluster.crawl import check_working
from minicrawl.cluster.partition import settings_of
from minicrawl.errors import SettingError
from minicrawl.settings import CrawlSettings


@pytest.mark.parametrize(("option", "value"), [("--on-change", "true"), ("--from-archive", ("a.warc",))])
def test_what_does_not_work_is_refused(option: str, value: object) -> None:
    with pytest.raises(SettingError, match=f"{option} does not work in partitions"):
        check_working(CrawlSettings.of({option[2:].replace("-", "_"): value}))


def test_partitions_of_a_crawl_with_a_budget_share_its_requests_and_leave_its_end_to_the_keeper() -> None:
    settings = settings_of(1, 2, CrawlSettings(pages=5, concurrency=9, items="/items.jsonl"))
    assert (settings.pages, settings.concurrency, settings.items) == (None, 4, "/items.001.jsonl")
    assert settings.time is not None
    assert settings_of(1, 2, CrawlSettings()).time is None
