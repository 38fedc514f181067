"""A crawl that keeps a changing web fresh is killed again and again: nothing is lost, asked too soon or noted twice."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest
from kill import Bench, while_refreshing


@pytest.mark.slow
def test_killed_at_random_moments_it_goes_on(tmp_path: Path) -> None:
    found: Counter[str] = Counter()
    bench = Bench(tmp_path, 0.0, ["--refresh", "--refresh-min", "2s", "--time", "1h"], found)
    asyncio.run(while_refreshing(bench, kills=16, pages=200))
    assert found["kills"] == 16
    errors = {kind: found[kind] for kind in ("audit", "lost", "soon", "early", "tags", "noted", "broken")}
    assert not any(errors.values()), errors
    assert found["twice"] > 100, "pages were fetched again"
