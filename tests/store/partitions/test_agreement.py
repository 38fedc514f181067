"""Stores that are not of one moment are refused before anybody goes on with them."""

import asyncio
import random
import shutil
from pathlib import Path

import pytest
from support.cluster_folders import some_folder
from support.partitions import Partitions, random_web

from minicrawl.cluster.folder import Folder
from minicrawl.cluster.keeper import Keeper
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.errors import StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.store.partitions.agreement import check_agreement


@pytest.mark.parametrize("seed", range(4))
def test_a_store_of_an_older_backup_is_refused_whichever_it_is(tmp_path: Path, seed: int) -> None:
    web = random_web(random.Random(seed))
    kept = tmp_path / "older"
    kept.mkdir()
    with Partitions(tmp_path, web, list(web)[:3], 2) as partitions:
        folder = Folder(tmp_path, "a crawl", partitions.homes.secret, 2, {})
        partitions.exchange()
    for store in partitions.stores:
        shutil.copy(store, kept)
    with partitions:
        partitions.crawl()
    check_agreement(folder)
    for store in partitions.stores:
        newer = store.read_bytes()
        shutil.copy(kept / store.name, store)
        with pytest.raises(StoreError, match="older than the other; restore all from one backup"):
            check_agreement(folder)
        store.write_bytes(newer)
        check_agreement(folder)
    for store in partitions.stores:
        shutil.copy(kept / store.name, store)
    check_agreement(folder)  # all from one backup


@pytest.mark.slow
@pytest.mark.usefixtures("ray")
def test_a_crawl_does_not_begin_with_them(tmp_path: Path) -> None:
    folder = some_folder(tmp_path / "web")
    older = some_folder(tmp_path / "older", exchanges=1)
    shutil.copy(older.stores[1], folder.stores[1])
    before = [store.read_bytes() for store in folder.stores]

    async def crawl() -> None:
        await Keeper(folder, CrawlSettings(), Seeds([])).crawl()

    with pytest.raises(StoreError, match="restore all from one backup"):
        asyncio.run(crawl())
    assert [store.read_bytes() for store in folder.stores] == before
