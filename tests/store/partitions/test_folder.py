"""The folder of a crawl in partitions, read."""

from pathlib import Path

import pytest
from support.cluster_folders import some_folder

from minicrawl.errors import StoreError
from minicrawl.store.partitions.folder import files_of, folder_at


def test_files_are_those_of_a_store_or_of_all_partitions(tmp_path: Path) -> None:
    folder = some_folder(tmp_path / "web")
    assert files_of(folder.path) == folder.stores == [folder.path / "000.db", folder.path / "001.db"]
    assert files_of(tmp_path / "crawl.db") == [tmp_path / "crawl.db"]


def test_what_is_no_folder_of_partitions_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="minicrawl crawl SEEDS --partitions N"):
        folder_at(tmp_path)
    (tmp_path / "cluster.json").write_text("{}")
    with pytest.raises(StoreError, match="is damaged"):
        folder_at(tmp_path)
