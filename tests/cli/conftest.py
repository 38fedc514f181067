"""The store that most commands are tried on."""

import shutil
from pathlib import Path

import pytest
from support.command_line import HOME, SITE
from support.sites import crawl


@pytest.fixture(scope="session")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once; each test has a copy of its own."""
    path = tmp_path_factory.mktemp("crawled") / "crawl.db"
    crawl(SITE, path, [HOME])
    return path


@pytest.fixture
def store(crawled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(crawled, tmp_path))
