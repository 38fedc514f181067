"""What a crawl in partitions would ask for, compared with the same crawl in one process."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.command_line import run
from support.partition_twins import A, B, C, twins
from support.partitions import Web

from minicrawl.analysis import dry_run as of_one
from minicrawl.analysis.dry_run import DryRun, Planned
from minicrawl.cluster import dry_run as of_all
from minicrawl.crawler.admission.seeds import Seeds

WEB: Web = {A: [B, C, f"{A}x", f"{A}missing"], B: [A, f"{B}missing", f"{C}missing"], C: [A], f"{A}x": B}
GIVEN = [f"{A}new", f"{B}new", f"{C}new", "http://d.test/", B, f"{A}missing"]
NOW = 1_900_000_000.0


def both(path: Path, given: Mapping[str, Any], most: int) -> tuple[DryRun, DryRun]:
    file, folder = twins(path, WEB)
    seeds = Seeds(GIVEN)
    before = contents(folder)
    one = of_one.dry_run(given, (), seeds, file, most=most, now=NOW)
    three = of_all.dry_run(given, (), seeds, folder, most=most, now=NOW)
    assert contents(folder) == before, "the stores are as they were"
    return one, three


def contents(folder: Path) -> list[tuple[str, bytes]]:
    return [(path.name, path.read_bytes()) for path in sorted(folder.iterdir())]


def pages(plan: DryRun) -> list[Planned]:
    """Planned requests in their order."""
    return sorted((one for host in plan.hosts for one in host.requests), key=lambda one: one.place)


def by_host(plan: DryRun) -> dict[str, tuple[float, set[str], list[float]]]:
    """Delay, URLs and times. Which page of a host is first depends on its partition's cash."""
    return {
        host.host: (host.delay, {ask.url for ask in host.requests}, [ask.after for ask in host.requests])
        for host in plan.hosts
    }


@pytest.mark.parametrize("given", [{}, {"retry": "http-404"}, {"deny": "/new", "strategy": "breadth-first"}], ids=str)
def test_all_that_one_process_would_ask_for(given: Mapping[str, Any], tmp_path: Path) -> None:
    one, three = both(tmp_path, {"delay": 2.0, "scope": "any", **given}, 20)
    assert three.waiting == one.waiting
    assert by_host(three) == by_host(one)
    assert {(left.reason, left.pages) for left in three.left_out} == {
        (left.reason, left.pages) for left in one.left_out
    }
    assert [ask.place for ask in pages(three)] == list(range(1, len(pages(one)) + 1))
    assert [ask.after for ask in pages(three)] == sorted(ask.after for ask in pages(one))


def test_as_many_pages_as_were_wanted_the_earliest_ones(tmp_path: Path) -> None:
    one, three = both(tmp_path, {"delay": 2.0, "scope": "any"}, 3)
    latest = [max(ask.after for ask in pages(plan) if ask.is_page) for plan in (one, three)]
    assert [sum(ask.is_page for ask in pages(plan)) for plan in (one, three)] == [3, 3]
    assert latest[0] == latest[1]


def test_command_prints_it_and_makes_no_folder(tmp_path: Path) -> None:
    words = ("crawl", "http://new.test/", "--dry-run", "--store")
    _, folder = twins(tmp_path, WEB)
    assert "http://new.test/" in run(*words, folder).stdout
    assert "http://new.test/" in run(*words, tmp_path / "none", "--partitions", "2").stdout
    assert not (tmp_path / "none").exists()
