"""Sites with planted faults, crawled as for an audit: those are found, and no others."""

from pathlib import Path

import pytest
from support.audits import crawl_planted, found_in
from support.faulty_site import found, planted

from minicrawl.audit import headings, images, security, titles
from minicrawl.store.reader import Store

SUBJECTS = (
    "answers",
    "canonicals",
    "duplicates",
    "hreflang",
    "indexability",
    "links",
    "reach",
    "redirects",
    "sitemaps",
)
MODULES = (headings, images, security, titles)
ON_PARTS_OF_PAGES = {rule: faults for module in MODULES for rule, faults in planted(module).items()}


@pytest.mark.parametrize("subject", SUBJECTS)
def test_faults_of_a_subject_are_found_and_no_others(subject: str, tmp_path: Path) -> None:
    assert crawl_planted(subject, tmp_path / "crawl.db").faults == found_in(tmp_path / "crawl.db")


@pytest.mark.parametrize("rule", ON_PARTS_OF_PAGES)
def test_faults_in_parts_of_pages_are_found_and_no_others(faulty: Store, rule: str) -> None:
    assert found(faulty, rule) == ON_PARTS_OF_PAGES[rule]
