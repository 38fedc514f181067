"""minicrawl status"""

import json
from pathlib import Path

from support.command_line import run


def test_status_counts_every_known_page_once(store: Path) -> None:
    status = json.loads(run("status", "--json", "--store", store).stdout)
    assert status["stopped"] == "nothing-left"
    assert status["states"] == {"fetched": 3, "error": 1, "alias": 1}
    assert sum(status["reasons"].values()) == status["known"] == 5
    assert "stopped: nothing-left" in run("status", "--store", store).output
