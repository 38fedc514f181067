"""The sites and hosts of pages, by number: those that a look at every URL finds."""

from pathlib import Path

import pytest
from support.sites import crawl, web_of_sites

from minicrawl.analysis.sites import DIVISIONS, numbered_sites
from minicrawl.crawler.urls.keys import politeness_key
from minicrawl.store.reader import open_store


@pytest.mark.parametrize("kind", DIVISIONS)
def test_every_page_has_the_number_of_its_own_site(kind: str, tmp_path: Path) -> None:
    site, seeds = web_of_sites(3)
    crawl(site, tmp_path / "crawl.db", seeds)
    with open_store(tmp_path / "crawl.db") as reader:
        names, numbers = numbered_sites(reader, reader.page_table.hosts(), DIVISIONS[kind])
        own = [DIVISIONS[kind](politeness_key(url)) for url in reader.page_table.urls()]
    assert [names[number] for number in numbers.tolist()] == own
    assert len(set(names)) == len(names)
