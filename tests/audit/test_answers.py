"""Misleading and slow answers: a site with the faults planted, crawled at all defaults, has those and no others."""

from pathlib import Path

from support.audits import found_in
from support.behaviours import BEHAVIOURS, HOME, BehavingServer
from support.sites import crawl


def test_soft_404s_are_told_and_no_broken_links_as_well(tmp_path: Path) -> None:
    _, server = crawl(BehavingServer(BEHAVIOURS["one folder"], "mixed", 1), tmp_path / "crawl.db", [HOME])
    found = found_in(tmp_path / "crawl.db", "soft-404", "broken-link")
    assert found == {"soft-404": dict.fromkeys(server.dead, 1)}
