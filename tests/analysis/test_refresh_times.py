"""When a crawl says that it fetches a page again, and why."""

import json
from pathlib import Path

import pytest
from support.command_line import run
from support.intakes import PATIENT
from support.refreshed import DAY, HOME, PAGES, SITE, refresh_of, refreshed
from support.sites import Server, crawl, rows

from minicrawl.analysis.explain import explain
from minicrawl.analysis.refresh_times import DueTimes, Freshness, freshness
from minicrawl.crawler.books.stored_forms import kept_settings
from minicrawl.crawler.frontier.schedules import ByWorth
from minicrawl.crawler.http.validators import Validators
from minicrawl.crawler.known.crawl_state import CrawlState
from minicrawl.opic import STRATEGIES
from minicrawl.opic.refresh import PRIOR_SHAPE
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer


def test_a_page_says_its_rate_its_answers_and_why_it_is_due(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    refreshed(store)
    rows(store, "UPDATE refresh SET rate = 4e-6, information = 2.0, fetches = 5, changes = 2, answers = '==#=',"
                " fetched_at = 1e9 WHERE page = 1")  # fmt: skip
    rows(store, "UPDATE fetches SET validators = ? WHERE page = 1", Validators('"v1"').packed())
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


def fresh(store: Path, now: float) -> Freshness | None:
    with open_store(store) as reader:
        return freshness(reader, now)


def test_freshness_is_the_formula_over_pages_that_were_read(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    refreshed(store)
    rows(store, "UPDATE refresh SET fetched_at = 1e6 - 1e4 * page, rate = 1e-6 * (page + 1), information = page % 2")
    rows(store, "UPDATE group_rates SET rate = 5e-6")
    with open_store(store) as reader:
        importance = reader.ranks.importance().tolist()
    fetched = rows(store, "SELECT id FROM pages WHERE state = 'fetched'")
    assert len(fetched) == 6
    expected = total = 0.0
    for (page,) in fetched:
        age = 2e6 - (1e6 - 1e4 * page)
        rate, shape = (1e-6 * (page + 1), 1.0) if page % 2 else (5e-6, PRIOR_SHAPE)
        expected += importance[page] * (1.0 + rate * age / shape) ** -shape
        total += importance[page]
    found = fresh(store, 2e6)
    assert found is not None
    assert found.expected == pytest.approx(expected / total)


def test_there_is_none_where_nothing_is_fetched_again_and_no_due_pages_where_the_crawl_does_not(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl(SITE, store, [HOME])
    assert fresh(store, 2e9) is None
    assert json.loads(run("status", "--json", "--store", store).stdout)["freshness"] is None
    with open_store(store) as reader:
        found = explain(reader, HOME).page
        assert found is not None
        assert found.refresh is None
    crawl({}, store, [], refresh=True, pages=1, timing=PATIENT)
    crawl({}, store, [], refresh=False, pages=1, timing=PATIENT)
    found_now = fresh(store, 2e9)
    assert found_now is not None
    assert found_now.overdue is None


def overdue_at(store: Path, now: float) -> int:
    with open_store(store) as reader:
        return DueTimes(reader, kept_settings(reader)).overdue(now)


def test_pages_are_overdue_as_the_lane_of_a_crawl_has_them(tmp_path: Path) -> None:
    """Against the pages whose rest is over in a crawl that waits for due pages, once it has looked at all of them."""
    store = tmp_path / "crawl.db"
    refreshed(store)
    rows(store, "UPDATE refresh SET rate = 1e-8 * (3 * page * page * page + 1), information = page % 3")
    rows(store, "UPDATE refresh SET lastmod = fetched_at + 1 WHERE page % 4 = 0")  # they have changed, by a sitemap
    rows(store, "INSERT OR REPLACE INTO refresh_hosts (host, lastmods) VALUES (0, 3)")
    rows(store, "UPDATE meta SET value = 3e5 WHERE key = 'refresh_price'")
    latest = max(float(at) for (at,) in rows(store, "SELECT fetched_at FROM refresh"))
    counts = set()
    for days in (0.01, 4, 16, 91):
        now = latest + days * DAY
        with Writer(store) as writer:
            web = CrawlState.of(
                writer,
                CrawlSettings(refresh=True),
                STRATEGIES["greedy"],
                now,
                locates=False,
                owns=None,
                share=None,
                only=None,
                timing=PATIENT,
            )
            assert web.due is not None
            read = [page for (page,) in rows(store, "SELECT page FROM refresh")]
            rested = sum(not web.due.is_resting(page) for page in read)
        overdue = overdue_at(store, now)
        assert overdue == rested
        counts.add(rested)
    assert len(counts) > 2


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
    printed = run("status", "--store", store).output
    assert (
        "freshness 100.0% of the importance of the pages read is expected to be as it was; 0 pages overdue" in printed
    )
