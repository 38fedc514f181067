"""A crawl that reads pages again and again is killed at some of its requests: nothing is lost or noted twice."""

import subprocess
import sys
from pathlib import Path

import pytest
from support.killing_web import killing_web
from support.sites import faults_in, rows


@pytest.mark.slow
def test_killed_while_it_refreshes_it_goes_on(tmp_path: Path) -> None:
    store, seeds = tmp_path / "crawl.db", [f"http://h{host}.test/" for host in range(9)]
    noted_twice = "SELECT page FROM changes WHERE what = 'new' GROUP BY page HAVING count(*) > 1"
    with killing_web() as web:
        asked = [sys.executable, "-m", "minicrawl", "crawl", *seeds, "--store", str(store), "--quiet", "--no-traps"]
        asked += ["--refresh", "--refresh-min", "0.001", "--delay", "0", "--allow-private"]
        asked += ["--connect-to", f"::127.0.0.1:{web.server_port}"]
        for requests in (40, 90, 200):
            assert web.kill(asked, requests)
            assert faults_in(store) == []
            assert rows(store, noted_twice) == []
        subprocess.run([*asked, "--pages", "150"], stdout=subprocess.DEVNULL, check=True)
    assert faults_in(store) == []
    assert rows(store, noted_twice) == []
    ((fetches, pages),) = rows(store, "SELECT sum(fetches), count(*) FROM refresh")
    assert fetches > 2 * pages, "pages were fetched again"
