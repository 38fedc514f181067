"""Stores that are not of one moment are refused before anybody goes on with them."""

import asyncio
import random
import shutil
from pathlib import Path

import pytest
from support.partitions import Partitions, random_web

from minicrawl.cluster.keeper import Keeper
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.errors import StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.store.partitions.folder import found
from minicrawl.store.transfers import check_traffic


def check(folder: Path) -> None:
    with found(folder).opened() as stores:
        check_traffic([store.transfers.traffic() for store in stores])


def older_and_newer(path: Path, seed: int = 3) -> list[Path]:
    """The stores of a crawl in a folder; in the folder "older" is a copy of each, as it was before."""
    web = random_web(random.Random(seed))
    (path / "older").mkdir()
    with Partitions(path, web, list(web)[:3], 2) as partitions:
        partitions.exchange()
    for store in partitions.stores:
        shutil.copy(store, path / "older")
    with partitions:
        partitions.crawl()
    return partitions.stores


@pytest.mark.parametrize("seed", range(4))
def test_a_store_of_an_older_backup_is_refused_whichever_it_is(tmp_path: Path, seed: int) -> None:
    stores = older_and_newer(tmp_path, seed)
    check(tmp_path)
    for store in stores:
        newer = store.read_bytes()
        shutil.copy(tmp_path / "older" / store.name, store)
        with pytest.raises(StoreError, match="restore all from one copy"):
            check(tmp_path)
        store.write_bytes(newer)
    for store in stores:
        shutil.copy(tmp_path / "older" / store.name, store)
    check(tmp_path)  # all from one copy


@pytest.mark.slow
@pytest.mark.usefixtures("ray")
def test_a_crawl_does_not_begin_with_them(tmp_path: Path) -> None:
    stores = older_and_newer(tmp_path)
    shutil.copy(tmp_path / "older" / stores[1].name, stores[1])
    before = [store.read_bytes() for store in stores]
    with pytest.raises(StoreError, match="restore all from one copy"):
        asyncio.run(Keeper(found(tmp_path), CrawlSettings(), Seeds([])).crawl())
    assert [store.read_bytes() for store in stores] == before
