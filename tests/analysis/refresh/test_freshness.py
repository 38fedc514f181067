"""How fresh a crawl says its pages are."""

import json
import math
from pathlib import Path

import pytest
from support.command_line import run
from support.refreshed import HOME, PATIENT, SITE, refreshed
from support.sites import crawl, rows

from minicrawl.analysis.explain import explain
from minicrawl.analysis.refresh.freshness import Freshness, freshness
from minicrawl.store.reader import open_store


def fresh(store: Path, now: float) -> Freshness | None:
    with open_store(store) as reader:
        return freshness(reader, now)


def test_freshness_is_the_formula_over_pages_that_were_read(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    refreshed(store)
    rows(store, "UPDATE refresh SET fetched_at = 1e6 - 1e4 * page, rate = 1e-6 * (page + 1), information = page % 2")
    rows(store, "UPDATE meta SET value = 5e-6 WHERE key = 'refresh_first_rate'")
    rows(store, "UPDATE refresh_hosts SET learned = 0")
    with open_store(store) as reader:
        importance = reader.ranks.importance().tolist()
    fetched = rows(store, "SELECT id FROM pages WHERE state = 'fetched'")
    assert len(fetched) == 6
    expected = total = 0.0
    for (page,) in fetched:
        rate = 1e-6 * (page + 1) if page % 2 else 5e-6
        expected += importance[page] * math.exp(-rate * (2e6 - (1e6 - 1e4 * page)))
        total += importance[page]
    found = fresh(store, 2e6)
    assert found is not None
    assert found.expected == pytest.approx(expected / total)


def test_the_share_of_answers_for_pages_read_before_is_counted(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    refreshed(store)
    asked = 20
    found = fresh(store, 2e9)
    assert found is not None
    assert found.refreshed == (asked - len(SITE)) / asked


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
