"""The shape of a web, by 'graph stats'."""

from pathlib import Path

import pytest
from support.sites import crawl, random_site


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl that stopped early: many pages are known and not read."""
    path = tmp_path_factory.mktemp("shape") / "crawl.db"
    site, seeds = random_site(7)
    crawl(site, path, seeds, pages=12)
    return path
