"""minicrawl status"""

import math
import re
from pathlib import Path

from support.command_line import HOME, answer, run
from support.sites import crawl

from minicrawl.analysis.status import Partition
from minicrawl.cli.status import _partition_lines
from minicrawl.dashboard.looks import Looks
from minicrawl.dashboard.readings import Readings
from minicrawl.model import State
from minicrawl.report import report_on
from minicrawl.store.reader import open_store


def test_one_coverage_is_told_everywhere(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    crawl({HOME: ["/a", "/b"], f"{HOME}a": [HOME, "/b"], f"{HOME}b": 403}, store, [HOME])
    last = run("crawl", "--store", store).stdout
    found = answer("status", "--store", store)["run"]
    share = {name: found[name] for name in ("coverage", "coverage_about", "coverage_shown")}
    low, about, shown = share.values()
    assert 0.3 < low < about < shown < 1
    bounds = f"between {math.floor(100 * low)} and {math.ceil(100 * shown)} %"
    told = f"about {math.floor(100 * about)} % of the importance ({bounds})"
    assert told in last
    assert told in run("crawl", "--store", store, "-q").stdout
    for words in (["status"], ["audit"], ["verify"], ["why", HOME]):
        assert told in run(*words, "--store", store).stdout
    with open_store(store) as reader:
        reported, point = report_on(reader), report_on(reader)["/api/course"]["points"][-1]
    judged, looked = answer("audit", "--store", store)["judged"], Looks(Readings(store)).look()
    why, verified = (answer(*words, "--store", store) for words in (["why", HOME], ["verify"]))
    for one in (judged, looked, reported["/api/now"], why, verified):
        assert {name: one[name] for name in share} == share
    assert [point[name] for name in ("coverage", "about", "shown")] == [low, about, shown]


def test_figures_of_partitions_stand_below_their_headings() -> None:
    pages = {state.value: 10 ** (number + 1) for number, state in enumerate(State)}
    heading, *rows = _partition_lines([Partition(number, pages, 5, 6, None) for number in range(2)])
    ends = [match.end() for match in re.finditer(r"to send|\S+", heading)]
    assert all([match.end() for match in re.finditer(r"\S+", row)] == ends for row in rows)
