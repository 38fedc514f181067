"""minicrawl check"""

import json
from pathlib import Path

from support.command_line import run
from support.sites import rows


def test_check_passes_on_a_good_store_and_exits_with_4_on_a_bad_one(store: Path) -> None:
    assert run("check", "--store", store).exit_code == 0
    rows(store, "UPDATE pages SET cash = cash + 1 WHERE id = 0")
    result = run("check", "--store", store)
    assert result.exit_code == 4
    assert "units of cash, but were born with" in result.output
    assert len(json.loads(run("check", "--json", "--store", store).stdout)["problems"]) == 2
