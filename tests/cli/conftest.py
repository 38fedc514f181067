"""The store that most commands are tried on."""

from pathlib import Path

import pytest
from support.command_line import HOME, SITE
from support.sites import crawl


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    crawl(SITE, path, [HOME])
    return path
