"""Canonicals: a site with the faults planted, crawled at all defaults, has those and no others."""

from pathlib import Path

from support.audits import crawl_planted, found_in


def test_planted_faults_are_found_and_no_others(tmp_path: Path) -> None:
    assert crawl_planted("canonicals", tmp_path / "crawl.db").faults == found_in(tmp_path / "crawl.db")
