"""When a crawl says that it fetches a page again, and why."""

from pathlib import Path

import pytest
from support.command_line import run
from support.intakes import PATIENT
from support.refreshed import DAY, HOME, PAGES, SITE, refresh_of, refreshed
from support.sites import Server, crawl, rows

from minicrawl.crawler.frontier.schedules import ByWorth
from minicrawl.store.reader import open_store


def test_a_page_says_its_rate_its_answers_and_why_it_is_due(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    refreshed(store)
    rows(store, "UPDATE refresh SET rate = 4e-6, information = 2.0, fetches = 5, changes = 2, answers = '==#=',"
                " fetched_at = 1e9 WHERE page = 1")  # fmt: skip
    rows(store, "UPDATE meta SET value = 1e5 WHERE key = 'refresh_price'")
    with open_store(store) as reader:
        worth = reader.ranks.importance().item(1) * reader.size()
    page = refresh_of(store, PAGES[0])
    assert (page.rate, page.is_learned, page.fetches, page.changes, page.answers) == (4e-6, True, 5, 2, "==#=")
    assert page.due == pytest.approx(1e9 + ByWorth(3600.0, 90 * DAY).interval(1e5, worth, 4e-6))
    text = run("why", PAGES[0], "--store", store).output
    assert "  changes     about every 3 days, learned over 5 answers, 2 of them changed\n" in text
    assert "  answers     = = ≠ =, the last one at the right\n" in text
    assert ", overdue for " in text


DUE = {
    "not found": ("answers = '==?', due = 7.0", "missing", 7.0),
    "failed": ("answers = '==!', due = 8.0", "failed", 8.0),
    "often": ("rate = 9.0, information = 1.0", "least", 1e9 + 3600.0),
    "never": ("rate = 1e-15, information = 1.0", "most", 1e9 + 90 * DAY),
    "by other pages": ("information = 0.0, fetches = 1", "worth", None),
}


@pytest.mark.parametrize(("row", "why", "due"), DUE.values(), ids=DUE.keys())
def test_due_follows_from_what_happened(tmp_path: Path, row: str, why: str, due: float | None) -> None:
    store = tmp_path / "crawl.db"
    refreshed(store, 9)
    rows(store, "UPDATE meta SET value = 2000.0 WHERE key = 'refresh_price'")
    rows(store, "UPDATE group_rates SET rate = ?", 1 / (7 * DAY))
    rows(store, f"UPDATE refresh SET fetched_at = 1e9, answers = '==', {row} WHERE page = 1")
    page = refresh_of(store, PAGES[0])
    assert page.why_due == why
    assert due is None or page.due == pytest.approx(due)
    if due is None:
        assert not page.is_learned
        assert page.rate == pytest.approx(1 / (7 * DAY))
        assert "about every 7 days, as other pages do" in run("why", PAGES[0], "--store", store).output


def test_by_the_simple_rule_all_pages_are_due_after_the_same_time(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl(Server(SITE), store, [HOME], recrawl_after="30d", timing=PATIENT)
    page = refresh_of(store, HOME)
    assert page.why_due == "fixed"
    assert page.due is not None
    assert page.due - page.fetched_at == pytest.approx(30 * DAY)
