"""minicrawl status"""

import json
import re
from pathlib import Path

from support.command_line import run

from minicrawl.analysis.status import Partition
from minicrawl.cli.status import _partition_lines
from minicrawl.model import State


def test_status_counts_every_known_page_once(store: Path) -> None:
    status = json.loads(run("status", "--json", "--store", store).stdout)
    assert status["stopped"] == "nothing-left"
    assert status["states"] == {"fetched": 3, "error": 1, "alias": 1}
    assert sum(status["reasons"].values()) == status["known"] == 5
    assert "stopped: nothing-left" in run("status", "--store", store).output


def test_figures_of_partitions_stand_below_their_headings() -> None:
    pages = {state.value: 10 ** (number + 1) for number, state in enumerate(State)}
    heading, *rows = _partition_lines([Partition(number, pages, 5, 6, None) for number in range(2)])
    ends = [match.end() for match in re.finditer(r"to send|\S+", heading)]
    assert all([match.end() for match in re.finditer(r"\S+", row)] == ends for row in rows)
