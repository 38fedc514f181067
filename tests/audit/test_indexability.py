"""Pages that search engines may not read or show: planted faults are found, and no others."""

from pathlib import Path

from support.audits import crawl_planted, found_in


def test_planted_faults_are_found_and_no_others(tmp_path: Path) -> None:
    assert crawl_planted("indexability", tmp_path / "crawl.db").faults == found_in(tmp_path / "crawl.db")
