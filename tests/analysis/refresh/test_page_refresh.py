"""What `minicrawl why` says of a page that is fetched again."""

from pathlib import Path

import pytest
from support.command_line import run
from support.refreshed import DAY, PAGES, refresh_of, refreshed
from support.sites import rows

from minicrawl.crawler.frontier.schedules import ByWorth
from minicrawl.store.reader import open_store


def test_a_page_says_its_rate_its_answers_and_why_it_is_due(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    refreshed(store)
    rows(store, "UPDATE refresh SET rate = 4e-6, information = 2.0, fetches = 5, changes = 2, answers = '==#=',"
                " fetched_at = 1e9, etag = '\"v1\"', last_modified = NULL WHERE page = 1")  # fmt: skip
    rows(store, "UPDATE meta SET value = 1e5 WHERE key = 'refresh_price'")
    with open_store(store) as reader:
        worth = reader.ranks.importance().item(1) * reader.size()
    page = refresh_of(store, PAGES[0])
    assert (page.rate, page.is_learned, page.fetches, page.changes, page.answers) == (4e-6, True, 5, 2, "==#=")
    assert (page.etag, page.last_modified) == ('"v1"', None)
    assert page.due == pytest.approx(1e9 + ByWorth(3600.0, 90 * DAY).interval(1e5, worth, 4e-6))
    text = run("why", PAGES[0], "--store", store).output
    assert "  changes     about every 3 days, learned over 5 answers, 2 of them changed\n" in text
    assert "  answers     = = ≠ =, the last one at the right\n" in text
    assert '  validators  ETag "v1"\n' in text
    assert ", overdue for " in text
