"""What is said of hosts that are ill, and nothing of those that are well."""

import time
from pathlib import Path

import pytest
from support.ailing import ILL, PAGES, READ, WAITING, WELL, crawl_ailing
from support.command_line import answer, run
from support.sites import crawl, rows

from minicrawl.analysis.explain import explain
from minicrawl.analysis.host_words import end_line, health_lines, ill_lines, resting_line
from minicrawl.analysis.status import status
from minicrawl.analysis.why_words import at, explanation_lines
from minicrawl.cli.output import read_line
from minicrawl.crawler.run import Before
from minicrawl.errors import held
from minicrawl.model import IllHost
from minicrawl.reasons import meaning
from minicrawl.store.hosts import HealthRow
from minicrawl.store.reader import open_store

NOW = time.mktime((2026, 11, 28, 14, 0, 0, 0, 0, -1))  # local time
NOON = 1_795_867_200.0  # 2026-11-28 12:00 UTC
HOST = IllHost("a.test", "ill", "busy", "http-429", NOW - 3000, 4, NOW + 300, 230)
ROW = HealthRow(0, "ill", "walled", "alike", NOON + 600, NOON, 4, 60.0, NOON + 7500, 0.0, 0.0, 0, b"", 0, 0.0)


@pytest.mark.parametrize(
    ("host", "line"),
    [
        (HOST, "resting: a.test answers 429, again at 14:05; 230 pages wait"),
        (HOST._replace(kind="down", reason="dns"), "resting: a.test is down (dns), again at 14:05; 230 pages wait"),
        (HOST._replace(next_at=NOW - 1), "resting: a.test answers 429, asked again now; 230 pages wait"),
        (HOST._replace(next_at=NOW + 86_400), "resting: a.test answers 429, again at 2026-11-29 14:00; 230 pages wait"),
        (HOST._replace(next_at=1e300), "resting: a.test answers 429, again at 1e+300 s after 1970; 230 pages wait"),
    ],
)  # fmt: skip
def test_a_host_at_rest_is_said_with_the_time_of_the_next_try(host: IllHost, line: str) -> None:
    assert resting_line(host, NOW) == line


def test_the_end_of_a_run_counts_ill_hosts_by_kind() -> None:
    assert end_line({"walled": 1, "down": 2}, 410) == (
        "3 hosts are ill (2 down, 1 walled): 410 pages wait; the next run tries them first"
    )
    assert end_line({"busy": 1}, 1) == "1 host is ill (1 busy): 1 page waits; the next run tries it first"


def test_ill_hosts_are_listed_with_most_waiting_pages_first() -> None:
    hosts = [HOST._replace(host=f"h{number}.test", waiting=number) for number in range(13)]
    total, *lines, more = ill_lines(hosts, NOW, is_running=False)
    assert total == f"12 hosts; {sum(range(13))} pages wait; no page waits for 1 more"
    assert next(ill_lines([hosts[0]], NOW, is_running=False)) == "1 host; no page waits"
    assert [line.partition(":")[0] for line in lines] == [f"h{number}.test" for number in range(12, 2, -1)]
    assert lines[0] == (
        "h12.test: busy since 13:10 (http-429: the answer was 429 Too Many Requests); tried 4 times, "
        "at rest until 14:05; 12 pages wait"
    )
    assert more == "and 3 more"
    assert len(list(ill_lines(hosts[:10], NOW, is_running=False))) == 11
    assert list(ill_lines([], NOW, is_running=False)) == []


@pytest.mark.parametrize(
    ("changes", "is_running", "said"),
    [
        ({"next_at": NOW - 9}, False, "the next run tries it first"),
        ({"next_at": NOW - 9}, True, "next now"),
        ({}, True, "; tried 4 times, next 14:05; 230 pages wait"),
        ({"tries": 1, "waiting": 1}, False, "; tried once, at rest until 14:05; 1 page waits"),
        ({"tries": 0, "waiting": 0}, False, "; at rest until 14:05; no page waits"),
        ({"state": "gone"}, False, "each run tries it once"),
        ({"reason": "alike"}, False, "(alike: all of its pages look the same)"),
        ({"reason": "sent-on"}, False, "(sent-on: all of its pages redirect to the same place)"),
        ({"reason": "empty"}, False, "(empty: its answers are empty)"),
    ],
)
def test_what_comes_next_and_what_was_seen_is_said(changes: dict[str, object], is_running: bool, said: str) -> None:
    _, line = ill_lines([HOST._replace(**changes)], NOW, is_running=is_running)  # type: ignore[arg-type]
    assert said in line


@pytest.mark.parametrize(
    ("row", "read", "lines"),
    [
        (ROW, 60, ["well until 12:00 UTC (60 pages); walled since 12:10 UTC: all of its pages look the same",
                   "tried 4 times, at rest until 14:05 UTC; 7 pages wait"]),
        (ROW._replace(well_at=NOON - 86_400), 60,
                  ["well until 2026-11-27 12:00 UTC (60 pages); walled since 12:10 UTC: all of its pages look the same",
                   "tried 4 times, at rest until 14:05 UTC; 7 pages wait"]),
        (ROW._replace(kind="down", reason="dns-unanswered"), 0,
                  ["never well; down since 12:10 UTC: the name server failed, or did not answer",
                   "tried 4 times, at rest until 14:05 UTC; 7 pages wait"]),
        (ROW._replace(tries=0), 60,
                  ["well until 12:00 UTC (60 pages); walled since 12:10 UTC: all of its pages look the same",
                   "at rest until 14:05 UTC; 7 pages wait"]),
        (ROW._replace(state="gone", failed_runs=3, kind="down", reason="refused"), 1,
                  ["well until 12:00 UTC (1 page); down since 12:10 UTC: nothing listens on that port",
                   "not reached in 3 runs: each run tries it once; 7 pages wait"]),
        (ROW._replace(state="back", well_at=NOON + 1200), 60,
                  ["well again since 12:20 UTC; walled from 12:10 UTC: all of its pages look the same"]),
        (ROW._replace(state="well", well_at=NOON + 1200), 60,
                  ["well again since 12:20 UTC; walled from 12:10 UTC: all of its pages look the same"]),
        (HealthRow(0, "well", "", "", 0.0, 0.0, 0, 0.0, 0.0, 0.0, 0.0, 1, b"", 0, 0.0), 60, []),
    ],
)  # fmt: skip
def test_the_story_of_a_host_takes_two_lines_at_most(row: HealthRow, read: int, lines: list[str]) -> None:
    assert list(health_lines(row, read, 7, NOON + 7200)) == lines


@pytest.mark.parametrize(("code", "kind"), [(503, "down"), (429, "busy"), (403, "refusing"), (None, "down")])
def test_pages_of_a_host_that_fell_ill_are_said_to_wait_for_it(tmp_path: Path, code: int | None, kind: str) -> None:
    """Everywhere: in the report, in `status`, in `why`, and in what the next run says first."""
    store = tmp_path / "crawl.db"
    report = crawl_ailing(store, code)
    assert (report.reason, report.ill_hosts, report.ill_pages) == ("patience", {kind: 1}, WAITING)
    with open_store(store) as reader:
        found, page = status(reader), next(url for url in pages(store, ILL, "waiting"))
        assert [(host.host, host.kind, host.waiting) for host in found.ill_hosts] == [("ill.test", kind, WAITING)]
        assert found.unasked.ill == WAITING
        before = Before.of(reader)
        first, said, *_ = explanation_lines(explain(reader, page))
        well = "\n".join(explanation_lines(explain(reader, WELL)))
    assert before is not None
    assert (before.ill, before.is_finished) == (WAITING, False)
    reason = found.ill_hosts[0].reason
    assert (first, said) == (
        page,
        f"  It waits because its host is {kind}: {meaning(reason)}. Its turn comes when its host is well.",
    )
    told = run("status", "--store", store).stdout
    assert f"ill       1 host; {WAITING} pages wait\n" in told
    assert f"          ill.test: {kind} since " in told
    assert f"{WAITING} waiting for ill hosts" in told
    for url, is_said in ((page, False), (WELL, True)):  # the next run keeps to no rest of an illness
        until = at(answer("why", url, "--store", store)["host"]["next_at"])
        lines = run("why", url, "--store", store).stdout
        assert (f"no request before {until}" in lines, "no request before" in lines) == (is_said, is_said)
    host = answer("why", page, "--store", store)["host"]["health"]
    assert (host["state"], host["kind"], host["read"], host["waiting"]) == ("ill", kind, READ, WAITING)
    assert host["meaning"] == meaning(reason)
    assert "ill" not in well.replace("ill.test", "")


def test_a_host_that_is_well_again_holds_nothing_up(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    report = crawl_ailing(store, 503, well_again=READ + 3)
    assert (report.reason, report.read, report.ill_hosts, report.ill_pages) == ("nothing-left", 2 * PAGES, {}, 0)
    told = run("status", "--store", store).stdout
    assert "\nill " not in told
    assert "ill hosts" not in told
    said = run("why", ILL, "--store", store).stdout
    assert "well again since " in said
    assert "tried" not in said
    with open_store(store) as reader:
        before = Before.of(reader)
        assert before is not None
        assert before.is_finished


def test_a_page_that_fails_on_a_well_host_makes_no_host_ill(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    site = {WELL: ["<p>home", "/a", "/b"], f"{WELL}a": ["<p>a"], f"{WELL}b": 503}
    report, _ = crawl(site, store, [WELL])
    assert (report.reason, report.failures, report.ill_hosts, report.ill_pages) == (
        "nothing-left",
        {"http-503": 1},
        {},
        0,
    )
    assert "\nill " not in run("status", "--store", store).stdout


def test_nothing_is_called_all_while_pages_wait_for_ill_hosts(tmp_path: Path) -> None:
    crawl_ailing(tmp_path / "crawl.db")
    with open_store(tmp_path / "crawl.db") as reader:
        unasked = status(reader).unasked
    whole = held(1.0, 1.0, 1.0)
    assert "100 %" not in read_line(9, 9, whole, unasked)
    assert "all of the importance" not in read_line(9, 9, whole, unasked).replace("nearly all", "")
    assert "100 %" in read_line(9, 9, whole)


def pages(store: Path, host: str, state: str) -> list[str]:
    return [
        url
        for (url,) in rows(store, "SELECT url FROM pages WHERE state = ? ORDER BY id", state)
        if url.startswith(host)
    ]
