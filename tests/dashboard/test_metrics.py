"""The figures as OpenMetrics: every line by its grammar, every sample below its family."""

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
    "memory": 2**30,
    "statuses": {"2xx": 5, "4xx": 2},
    "latencies": {"0.1": 3, "1.0": 0, "+Inf": 4},
    "latency": 12.5,
    "errors": {"http-404": 2, 'evil"\\\n': 1},
    "doing": {"ready": 3},
    "workers": [{"number": 0, "pages": 5, "bytes": 6, "cpu": 7.5, "memory": None}],
    "partitions": [{"number": 0, "known": 5, "cpu": 0.5, "deaths": 2}, {"number": 1, "machine": "other"}],
}


ENDS = {"gauge": ("",), "counter": ("_total",), "histogram": ("_bucket", "_count", "_sum")}


def test_every_line_is_by_the_grammar_and_every_family_comes_once() -> None:
    lines = metrics(LOOK).splitlines()
    assert all(LINE.fullmatch(line) for line in lines if not line.startswith("#"))
    assert lines[-1] == "# EOF"
    families = [tuple(line.split()[2:]) for line in lines if line.startswith("# TYPE")]
    assert len(families) == len({name for name, _ in families})
    names: set[str] = set()
    for line in lines[:-1]:
        if line.startswith("# TYPE"):
            _, _, family, kind = line.split()
            names = {f"{family}{end}" for end in ENDS[kind]}
        assert line.startswith(("# HELP", "# TYPE")) or re.split(r"[{ ]", line)[0] in names
    assert "minicrawl_paused 1" in lines
    assert "minicrawl_pages_fetched_total 7" in lines
    assert f"minicrawl_bytes_fetched_total {2**53}" in lines
    assert 'minicrawl_pages_given_up_total{reason="http-404"} 2' in lines
    assert 'minicrawl_partition_deaths_total{partition="0"} 2' in lines
    assert not any('partition="1"' in line for line in lines)
    assert "minicrawl_memory_bytes 1073741824" in lines
    assert not any("worker_memory" in line for line in lines)
    assert 'minicrawl_answers_total{status="4xx"} 2' in lines
    buckets = [line.partition("_bucket")[2] for line in lines if "_bucket" in line]
    assert buckets == ['{le="0.1"} 3', '{le="1.0"} 3', '{le="+Inf"} 7']
    assert {"minicrawl_latency_seconds_count 7", "minicrawl_latency_seconds_sum 12.5"} <= set(lines)
    assert 'minicrawl_worker_cpu_seconds_total{worker="0"} 7.5' in lines


def test_what_is_not_known_is_left_out() -> None:
    assert metrics({"crawl": "none"}).splitlines()[-2:] == ["minicrawl_up 0", "# EOF"]
    assert "coverage" not in metrics({"crawl": "busy", "state": "busy", "fetched": 1})
