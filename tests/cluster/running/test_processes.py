"""Partitions in processes: asked, killed, ended."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.cluster_runs import SEEDS, folder_at
from support.command_line import run as command
from support.counted_web import counted_web
from support.gathered import all_violations
from support.patience import PATIENCE

pytestmark = pytest.mark.slow


def test_a_run_goes_on_after_a_killed_one_and_not_beside_one_that_runs(tmp_path: Path) -> None:
    """Processes whose keeper was killed wait for no answer, as the next run would not wait for these."""
    folder = folder_at(tmp_path / "web", 2)
    with counted_web(pages=3, seconds=PATIENCE) as web:
        words = ["crawl", *SEEDS, "--store", str(folder.path), "--connect-to", f"::127.0.0.1:{web.port}"]
        words += ["--allow-private", "--delay", "0", "--scope", "host", "--json", "-q"]
        with subprocess.Popen([sys.executable, "-m", "minicrawl", *words], stdout=subprocess.DEVNULL) as killed:
            while len({folder.homes.home_of(f"http://{asked.host}/") for asked in web.asked}) < 2:
                time.sleep(0.01)
            refused = command(*words)
            killed.kill()
        assert (refused.exit_code, "another crawl is using" in refused.stderr) == (3, True)
        web.seconds = 0.0
        ended = command(*words)
    assert (ended.exit_code, json.loads(ended.stdout)["reason"]) == (0, "nothing-left")
    with folder.opened() as stores:
        assert list(all_violations(stores)) == []
