"""Sites with planted faults, crawled as for an audit: those are found, and no others."""

from pathlib import Path

import pytest
from support.audits import crawl_planted, found_in
from support.faulty_site import FAULTS, found

from minicrawl.store.reader import Store

SUBJECTS = (
    "answers",
    "canonicals",
    "duplicates",
    "files",
    "hreflang",
    "indexability",
    "links",
    "reach",
    "redirects",
    "sitemaps",
)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_faults_of_a_subject_are_found_and_no_others(subject: str, tmp_path: Path) -> None:
    assert crawl_planted(subject, tmp_path / "crawl.db").faults == found_in(tmp_path / "crawl.db")


@pytest.mark.parametrize("rule", FAULTS)
def test_faults_in_parts_of_pages_are_found_and_no_others(faulty: Store, rule: str) -> None:
    assert found(faulty, rule) == FAULTS[rule]
