"""A crawl at one moment: while it runs, when it has ended, and in between."""

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.documents import ROOT
from support.patience import PATIENCE
from support.sites import crawl
from support.sites import rows as rows_of
from support.steering import HOME, Steered, steered, wide

from minicrawl.control.commands import EventLog, listening
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.dashboard.looks import Looks, metrics
from minicrawl.dashboard.readings import Readings
from minicrawl.store.database import hold


async def test_a_running_crawl_tells_what_it_does_and_a_resting_one_what_it_did(store: Path) -> None:
    looks, server = Looks(Readings(store), clock=lambda: 1e6), Steered(wide(20))
    server.open.clear()
    async with steered(server, store, delay=0, pages=30) as crawl, listening(crawl, store):
        await asyncio.to_thread(looks.look)  # from now on events are kept
        server.open.set()
        await server.until(10)
        await crawl.pause()
        while crawl.status.in_flight:
            await asyncio.to_thread(looks.look)
        look = await asyncio.to_thread(looks.look)
        assert (look["crawl"], look["state"], look["store"], look["at"]) == ("running", "paused", str(store), 1e6)
        assert (look["fetched"], look["known"], look["settings"]["delay"]) == (crawl.status.fetched, 21, 0.0)
        assert [(host["host"], host["doing"]) for host in look["hosts"]] == [("a.test", look["hosts"][0]["doing"])]
        assert sum(look["doing"].values()) == 1
        assert [(aim["name"], aim["done"], aim["of"], aim["left"]) for aim in look["aims"]] == [
            ("pages", look["fetched"], 30, None)
        ]
        events = looks.events(0)
        assert [event["url"] for event in events if event["what"] == "PageFetched"] == server.asked
        assert [event["number"] for event in events] == list(range(1, len(events) + 1))
        assert looks.events(events[-2]["number"]) == events[-1:]
        await crawl.ban("a.test")
        later = await asyncio.to_thread(looks.look)
        assert later["banned"] == ["a.test"]
        assert later["hosts"] == look["hosts"]  # it is too soon to look at all of them again
        await crawl.unban("a.test")
        await crawl.resume()
        await asyncio.wait_for(crawl.finished(), PATIENCE)
    look = looks.look()
    assert (look["crawl"], look["state"], look["reason"]) == ("resting", "ended", "nothing-left")
    assert (look["fetched"], look["known"], look["read"], look["settings"]["delay"]) == (21, 21, 21, 0.0)


async def test_a_crawl_that_begins_or_ends_says_less_and_has_all_fields(store: Path) -> None:
    """Every field that a page reads is there from the first look on, and keeps what it had at the end."""
    server = Steered(wide(3))

    async with steered(server, store, delay=0) as crawl, listening(crawl, store):
        looks = Looks(Readings(store))
        first = await asyncio.to_thread(looks.look)
        await asyncio.wait_for(crawl.finished(), PATIENCE)
        last = await asyncio.to_thread(looks.look)
        assert last["state"] == "ended"
        fresh = await asyncio.to_thread(Looks(Readings(store)).look)
        assert {name: fresh[name] for name in NOTHING} == NOTHING
        assert first.keys() | {"took"} == fresh.keys() | {"took"} == last.keys() | {"took"}


NOTHING: dict[str, object] = {
    "coverage": None,
    "coverage_about": None,
    "coverage_shown": None,
    "errors": None,
    "silence": None,
    "earlier": {"runs": 0, "fetched": 0, "bytes": 0, "seconds": 0.0},
    "requests": [],
    "hosts": [],
    "doing": {},
}


def test_a_store_that_is_not_there_is_no_crawl(store: Path) -> None:
    assert Looks(Readings(store), clock=lambda: 1.0).look() == {
        "crawl": "none",
        "state": "none",
        "store": str(store),
        "at": 1.0,
    }
    assert not store.exists()


def test_who_has_the_store_and_does_not_answer_is_busy(store: Path) -> None:
    crawl({HOME: []}, store, [HOME])
    with hold(store):
        assert Looks(Readings(store)).look()["crawl"] == "busy"
    assert Looks(Readings(store)).look()["crawl"] == "resting"


def test_events_of_several_runs_have_rising_numbers_that_show_what_was_missed() -> None:
    log = EventLog()
    log.take(1, [{"number": 4, "what": "a"}, {"number": 5, "what": "b"}])
    log.take(1, [{"number": 5, "what": "b"}, {"number": 9, "what": "c"}])
    assert log.seen[1] == 9
    log.take(2, [{"number": 1, "what": "d"}])
    assert [(event["number"], event["what"]) for event in log.behind(4)] == [(5, "b"), (9, "c"), (10, "d")]


LOOK: dict[str, Any] = {
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
    "coverage_about": 0.2,
    "coverage_shown": 0.25,
    "memory": 2**30,
    "statuses": {"2xx": 5, "4xx": 2},
    "failed": {"dns": 2, 'evil"\\\n': 1},
    "histograms": {
        "latency_seconds": {"http": {"0.1": 3, "1.0": 0, "+Inf": 4, "sum": 12.5}},
        "size_bytes": {"https": {"1000.0": 3, "+Inf": 4, "sum": 12.5}},
    },
    "pages": {"fetched/ok": 6, "error/http-404": 2},
    "work": {
        "commits": 3,
        "commit_rows": 30,
        "commit_seconds": 0.5,
        "uncommitted": 4,
        "store_bytes": 4096,
        "archive_bytes": 77,
    },
    "host_states": {"ready": 3, "crawl-delay": 2},
    "processes": [{"pid": 77, "name": "search.following", "cpu": 1.5, "memory": 5}],
    "workers": [{"number": 0, "pages": 5, "bytes": 6, "cpu": 7.5, "memory": None, "in_flight": 3}],
    "partitions": [
        {"number": 0, "fetched": 1, "known": 5, "read": 2, "in_flight": 1, "mirrors": 2, "waiting": 3, "deaths": 2},
        {"number": 1, "cpu": 0.5, "memory": 9},
    ],
}
LOOK["workers"] += [{"number": 1, "memory": 7}]


def parsed(look: Any) -> dict[str, Any]:
    """The families of a look by name, as the reference parser of OpenMetrics reads them."""
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    families = list(parser.text_string_to_metric_families(metrics(look)))
    assert len({family.name for family in families}) == len(families)
    return {family.name: family for family in families}


def values(look: Any) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in parsed(look).values()
        for sample in family.samples
    }


def test_what_is_known_is_told() -> None:
    found = values(LOOK)
    assert found["minicrawl_paused", ()] == 1
    assert found["minicrawl_bytes_fetched_total", ()] == 2**53
    assert found["minicrawl_unanswered_total", (("reason", 'evil"\\\n'),)] == 1
    assert found["minicrawl_pages", (("reason", "http-404"), ("state", "error"))] == 2
    buckets = [value for (name, labels), value in found.items() if name == "minicrawl_latency_seconds_bucket"]
    assert buckets == [3, 3, 7]
    assert found["minicrawl_latency_seconds_sum", (("scheme", "http"),)] == 12.5
    process = (("pid", "77"), ("process", "search.following"))
    assert found["minicrawl_process_cpu_seconds_total", process] == 1.5


def test_what_is_not_known_is_left_out() -> None:
    assert metrics({"crawl": "none"}).splitlines()[-2:] == ["minicrawl_up 0", "# EOF"]
    assert "coverage" not in metrics({"crawl": "busy", "state": "busy", "fetched": 1})
    assert ("minicrawl_partition_cpu_seconds_total", (("partition", "0"),)) not in values(LOOK)


async def test_no_counter_falls_during_a_crawl_and_all_agree_with_the_store(store: Path) -> None:
    site = wide(40, "b.test")
    site[HOME].append("/missing")
    server, seen, looks = Steered(site), list[Any](), Looks(Readings(store))
    reasons, statuses = Counter[str](), Counter[str]()
    async with steered(server, store, [HOME, "http://b.test/"], delay=0, scope="any") as crawl, listening(crawl, store):
        for number in (1, 5, 20, 30):
            server.open.set()
            await server.until(number)
            server.open.clear()  # lest the crawl is over before it is asked
            seen.append(await asyncio.to_thread(looks.look))
        await crawl.pause()
        server.open.set()
        while crawl.status.in_flight:
            await asyncio.sleep(0)
        await crawl.take_seeds(Seeds([HOME]))  # confirmed by a commit, which holds all before
        seen.append(await asyncio.to_thread(looks.look))
        reasons.update(dict(rows_of(store, "SELECT state || '/' || reason, count(*) FROM pages GROUP BY 1")))
        statuses.update(dict(rows_of(store, "SELECT (status / 100) || 'xx', count(*) FROM fetches GROUP BY 1")))
        await crawl.resume()
        await asyncio.wait_for(crawl.finished(), PATIENCE)
        seen.append(await asyncio.to_thread(looks.look))
    counters = [
        {key: v for key, v in values(look).items() if re.search("_(total|bucket|count|sum)$", key[0])} for look in seen
    ]
    for before, after in pairwise(counters):
        assert all(after[key] >= value for key, value in before.items())
    paused = seen[-2]
    assert paused["pages"] == reasons
    assert paused["statuses"] == {kind: n for kind, n in statuses.items() if kind}
    last = values(paused)
    answered = sum(value for (name, _), value in last.items() if name == "minicrawl_answers_total")
    for name in ("latency_seconds", "size_bytes"):
        assert sum(v for (of, _), v in last.items() if of == f"minicrawl_{name}_count") == answered
    assert answered == last["minicrawl_pages_fetched_total", ()] == paused["fetched"]
    assert sum(v for (of, _), v in last.items() if of == "minicrawl_pages") == last["minicrawl_pages_known", ()]
    assert last["minicrawl_commits_total", ()] > 1
    assert last["minicrawl_store_bytes", ()] > 0


GRAFANA = ROOT / "docs/grafana.json"


def expressions() -> list[str]:
    """The queries of all panels."""
    return [
        target["expr"] for panel in json.loads(GRAFANA.read_text())["panels"] for target in panel.get("targets", ())
    ]


def test_grafana_asks_only_for_metrics_and_labels_that_there_are() -> None:
    samples = [sample for family in parsed(LOOK).values() for sample in family.samples]
    labels = {name: {"instance"} for name in (sample.name for sample in samples)}
    for sample in samples:
        labels[sample.name] |= set(sample.labels)
    assert len(expressions()) > 25
    for expression in expressions():
        names = re.findall(r"minicrawl_\w+", expression)
        assert names
        for name in names:
            asked = re.findall(r'(\w+)[!=]~?"|by \((\w+)\)', expression)
            assert {one or other for one, other in asked} <= labels[name], (name, expression)


def test_grafana_is_by_the_schema() -> None:
    """Read and written by the types that are made from Grafana's schema, it loses nothing."""
    dashboard = pytest.importorskip("grafana_foundation_sdk.models.dashboard")
    encoder = pytest.importorskip("grafana_foundation_sdk.cog.encoder")
    kept = json.loads(encoder.JSONEncoder().encode(dashboard.Dashboard.from_json(json.loads(GRAFANA.read_text()))))
    lost = list(missing(json.loads(GRAFANA.read_text()), kept))
    assert not lost


def missing(given: Any, kept: Any, path: str = "") -> Iterator[str]:
    """The paths of values that are not kept."""
    if isinstance(given, dict) and isinstance(kept, dict):
        for key, value in given.items():
            yield from missing(value, kept.get(key), f"{path}/{key}")
    elif isinstance(given, list) and isinstance(kept, list) and len(given) == len(kept):
        for number, pair in enumerate(zip(given, kept, strict=True)):
            yield from missing(*pair, f"{path}/{number}")
    elif given != kept:
        yield path
