"""The folder of a crawl in partitions: made whole, found again, refused when it is not what it was."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from minicrawl.errors import ConfigError, StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.store.partitions.folder import VERSION, Folder, found, made, make_store


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    folder = made(tmp_path / "web", 3)
    for number, store in enumerate(folder.here):
        make_store(store, folder.cluster, number, 3)
    return folder


def test_settings_are_kept_without_what_may_be_secret(folder: Folder) -> None:
    folder.keep_settings(CrawlSettings.of({"scope": "site", "header": ["Authorization: secret"]}))
    kept = found(folder.path)
    assert kept.settings["scope"] == "site"
    assert "secret" not in str(kept.settings)
    assert (kept.cluster, kept.secret) == (folder.cluster, folder.secret)


def test_a_new_crawl_needs_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(ConfigError, match="has files but no"):
        made(tmp_path, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


NO_SEEDS = f'{{"version": {VERSION}, "cluster": "x", "partitions": 2, "secret": "00", "settings": {{}}, "nodes": {{}}}}'


@pytest.mark.parametrize("text", ["", "[]", '{"cluster": "x"}', '{"partitions": "many", "secret": "zz"}', NO_SEEDS])
def test_a_damaged_file_is_one_sentence(folder: Folder, text: str) -> None:
    (folder.path / "cluster.json").write_text(text)
    with pytest.raises(StoreError, match="is damaged"):
        found(folder.path)


def test_a_file_of_another_version_is_refused(folder: Folder) -> None:
    file = folder.path / "cluster.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "version": 2, "cluster": {"of another": "form"}}))
    with pytest.raises(StoreError, match=rf"has version 2; this minicrawl reads {VERSION}; start a new crawl"):
        found(folder.path)


def test_partitions_are_on_their_nodes(folder: Folder) -> None:
    replace(folder, partitions=1_024, nodes={1: "10.0.0.2", 7: "10.0.0.2"}).keep_ray("auto")
    file = folder.path / "cluster.json"
    read = found(folder.path)
    assert (read.nodes, len(read.here)) == ({1: "10.0.0.2", 7: "10.0.0.2"}, 1_022)
    for wrong in ({"1024": "x"}, {"one": "x"}, {"-1": "x"}, ["x"]):
        file.write_text(json.dumps({**json.loads(file.read_text()), "nodes": wrong}))
        with pytest.raises(StoreError, match="is damaged"):
            found(folder.path)
    file.write_text(json.dumps({**json.loads(file.read_text()), "partitions": 10**12, "nodes": {}}))
    with pytest.raises(StoreError, match=r"1000000000000 partitions, not 1 to 1024"):
        found(folder.path)


def test_stores_that_have_changed_places_are_refused(folder: Folder) -> None:
    first, second, _ = folder.here
    other = first.with_name("other.db")
    for old, new in ((first, other), (second, first), (other, second)):
        old.rename(new)
    with pytest.raises(StoreError, match=r"000\.db is not partition 0 of this crawl"), folder.opened():
        pass


def test_no_crawl_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no crawl in partitions at"):
        found(tmp_path)
    (tmp_path / "crawl.db").touch()
    with pytest.raises(StoreError, match=r"crawl[.]db is a file, but a crawl in partitions has a folder"):
        found(tmp_path / "crawl.db")
