"""Rules on headings, language and viewport: what is planted is found, and nothing else."""

from pathlib import Path

import pytest
from support.faulty_site import found
from support.sites import crawl

from minicrawl.audit.auditing import RULES, audited
from minicrawl.audit.crawled import MANY
from minicrawl.store.reader import open_store

HOME = "http://a.test/"


@pytest.mark.parametrize(
    ("pages", "at_fault"), [(MANY - 1, MANY * 9 // 10), (MANY, MANY * 9 // 10 - 1), (MANY, MANY * 9 // 10)]
)
def test_fault_of_nearly_all_pages_is_told_as_one_of_the_host(pages: int, at_fault: int, tmp_path: Path) -> None:
    urls = [HOME, *(f"{HOME}{chr(96 + number)}" for number in range(1, pages))]
    site = {url: ["" if at < at_fault else "<h1>x</h1>", f"<p>{url}"] for at, url in enumerate(urls)}
    crawl({**site, HOME: urls}, tmp_path / "crawl.db", [HOME], audit=True)
    with open_store(tmp_path / "crawl.db") as store:
        is_of_host = pages == MANY and at_fault >= MANY * 9 // 10
        of_pages = dict.fromkeys(urls[:at_fault], 0)
        assert found(store, "h1-missing") == of_pages
        with store.snapshot():
            audit = audited(store, {"h1-missing": RULES["h1-missing"]})
        shown = {each.target: each.sources for each in audit.for_people(audit.findings)}
        assert shown == ({"a.test": at_fault} if is_of_host else of_pages)
