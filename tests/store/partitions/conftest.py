"""One small crawl in a file, and in a folder of three partitions."""

import shutil
from pathlib import Path

import pytest
from support.partition_twins import THREE, twins


@pytest.fixture(scope="session")
def three(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """To be read alone."""
    return twins(tmp_path_factory.mktemp("three"), THREE)


@pytest.fixture
def own(three: tuple[Path, Path], tmp_path: Path) -> Path:
    """A copy of the folder."""
    return Path(shutil.copytree(three[1], tmp_path / "own"))
