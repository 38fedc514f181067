"""Partitions that are reached by calls, of which some are lost: what they find is what one process finds."""

import asyncio
from pathlib import Path

import pytest
from support.cluster_runs import SETTINGS, crawled_alone, run_in_parts
from support.gathered import all_violations, ranked_pages
from support.machine_calls import Line, kept_by

from minicrawl.cluster.folder import found

pytestmark = pytest.mark.slow


def test_calls_that_are_lost_change_nothing(tmp_path: Path) -> None:
    lines = [Line(0.3, seed) for seed in (1, 2)]
    ended = asyncio.run(run_in_parts(tmp_path / "web", 2, SETTINGS, lambda keeper: kept_by(keeper, lines)))
    assert (ended.reason, ended.deaths) == ("nothing-left", 0)
    alone = crawled_alone(tmp_path / "alone.db")
    with found(tmp_path / "web").opened() as stores:
        assert list(all_violations(stores)) == []
        pages = {page.url: page for page in ranked_pages(stores)}
    assert [(page.url, page.state, page.inlinks, page.depth) for page in map(pages.get, sorted(pages)) if page] == [
        (page.url, page.state, page.inlinks, page.depth) for page in map(alone.get, sorted(alone)) if page
    ]
    assert sum(abs(page.importance - alone[url].importance) for url, page in pages.items()) <= 1e-6
    assert min(line.calls.count("take") for line in lines) > 5
