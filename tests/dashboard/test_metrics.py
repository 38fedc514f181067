"""The figures as Prometheus reads them: every line by its grammar."""

import re

from minicrawl.dashboard.metrics import metrics

LINE = re.compile(r'minicrawl_[a-z_]+(\{[a-z]+="(?:[^"\\\n]|\\["\\n])*"\})? -?[0-9.e+-]+')
LOOK = {
    "crawl": "running",
    "state": "paused",
    "fetched": 7,
    "bytes": 2**53,
    "seconds": 1.5,
    "cpu": 0.25,
    "known": 9,
    "read": 6,
    "in_flight": 0,
    "coverage": 0.125,
    "errors": {"http-404": 2, 'evil"\\\n': 1},
    "doing": {"ready": 3},
    "workers": [{"number": 0, "pages": 5, "bytes": 6, "cpu": 7.5}],
    "partitions": [{"number": 0, "known": 5, "cpu": 0.5, "deaths": 2}, {"number": 1, "machine": "other"}],
}


def test_every_line_is_by_the_grammar_and_every_family_comes_once() -> None:
    lines = metrics(LOOK).splitlines()
    assert all(LINE.fullmatch(line) for line in lines if not line.startswith("#"))
    families = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(families) == len(set(families))
    assert {re.split(r"[{ ]", line)[0] for line in lines if not line.startswith("#")} == set(families)
    assert "minicrawl_paused 1" in lines
    assert "minicrawl_pages_fetched_total 7" in lines
    assert f"minicrawl_bytes_fetched_total {2**53}" in lines
    assert 'minicrawl_pages_given_up_total{reason="http-404"} 2' in lines
    assert 'minicrawl_partition_deaths_total{partition="0"} 2' in lines
    assert not any('partition="1"' in line for line in lines)
    assert 'minicrawl_worker_cpu_seconds_total{worker="0"} 7.5' in lines


def test_what_is_not_known_is_left_out() -> None:
    assert metrics({"crawl": "none"}).splitlines()[-1] == "minicrawl_up 0"
    assert "coverage" not in metrics({"crawl": "busy", "state": "busy", "fetched": 1})
