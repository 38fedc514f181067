"""The folder of a crawl in partitions: made whole, found again, refused when it is not what it was."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from minicrawl.errors import ConfigError, StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.store.folder import VERSION, Folder, found, made, make_store


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
WRONG: list[tuple[str | Mapping[str, object], str]] = [
    *((text, "is damaged") for text in ("", "[]", '{"cluster": "x"}', NO_SEEDS)),
    *(({"nodes": wrong}, "is damaged") for wrong in ({"1024": "x"}, {"one": "x"}, {"-1": "x"}, ["x"])),
    ({"partitions": "many"}, "is damaged"),
    ({"secret": "zz"}, "is damaged"),
    ({"partitions": 10**12}, "1000000000000 partitions, not 1 to 1024"),
    ({"version": 2, "cluster": {"of": "another form"}}, f"an earlier minicrawl .version 2, this one reads {VERSION}"),
]
"""The text of the file, or what is changed in it, and what is said of that."""


@pytest.mark.parametrize(("change", "sentence"), WRONG)
def test_a_file_that_cannot_be_meant_is_one_sentence(
    folder: Folder, change: str | Mapping[str, object], sentence: str
) -> None:
    file = folder.path / "cluster.json"
    text = change if isinstance(change, str) else json.dumps({**json.loads(file.read_text()), **change})
    file.write_text(text)
    with pytest.raises(StoreError, match=sentence):
        found(folder.path)


def test_partitions_are_on_their_nodes(folder: Folder) -> None:
    replace(folder, partitions=1_024, nodes={1: "10.0.0.2", 7: "10.0.0.2"}).keep_ray("auto")
    read = found(folder.path)
    assert (read.nodes, len(read.here)) == ({1: "10.0.0.2", 7: "10.0.0.2"}, 1_022)


def test_stores_that_have_changed_places_are_refused(folder: Folder) -> None:
    first, second, _ = folder.here
    other = first.with_name("other.db")
    for old, new in ((first, other), (second, first), (other, second)):
        old.rename(new)
    with pytest.raises(StoreError, match=r"000\.db is not partition 0 of this crawl"), folder.opened():
        pass
