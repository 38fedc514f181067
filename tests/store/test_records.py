"""Records as bytes, and back."""

import asyncio
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from support.partitions import Partitions, random_web

from minicrawl.cluster.keeper import Keeper
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.errors import StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.store.folder import found
from minicrawl.store.transfers import Records, Sums, check_traffic, joined, packed, sums, unpacked


def some_records(rng: random.Random, count: int) -> Records:
    def numbers(most: int, kind: type[np.signedinteger]) -> np.ndarray:
        return np.array([rng.randint(-most, most) for _ in range(count)], dtype=kind)

    return Records(
        urls=[f"http://h{at}.test/é{rng.random()}" for at in range(count)],
        found_on=[rng.choice(["", "http://x.test/"]) for _ in range(count)],
        received=numbers(2**62, np.int64),
        inlinks=numbers(2**31 - 1, np.int32),
        depth=abs(numbers(2**30, np.int32)),
        chain_length=abs(numbers(127, np.int8)),
        voices=abs(numbers(9, np.int64)),
    )


@pytest.mark.parametrize("senders", [1, 2, 9])
def test_records_of_several_are_added_up(senders: int) -> None:
    rng = random.Random(senders)
    each = []
    for _ in range(senders):
        records = some_records(rng, rng.randrange(8))
        small = {name: getattr(records, name) // 2**7 for name in ("received", "inlinks")}
        urls = rng.sample([f"http://h.test/{number}" for number in range(10)], len(records.urls))
        each.append(records._replace(**small, urls=urls))
    all_rows, ends = unpacked(rows := [packed(records, [len(records.urls)])[0] for records in each])
    assert packed(all_rows, ends) == rows
    assert sums(all_rows, ends) == [
        Sums(
            int(records.received.sum()),
            sum(units for units in records.received.tolist() if units > 0),
            -sum(units for units in records.received.tolist() if units < 0),
        )
        for records in each
    ]
    found = joined(all_rows)
    assert set(found.urls) == {url for records in each for url in records.urls}
    for at, url in enumerate(found.urls):
        own = [(records, records.urls.index(url)) for records in each if url in records.urls]
        for name in ("received", "inlinks", "voices"):
            assert getattr(found, name)[at] == sum(int(getattr(records, name)[place]) for records, place in own)
        assert found.depth[at] == min(records.depth[place] for records, place in own)
        assert found.chain_length[at] == max(records.chain_length[place] for records, place in own)
        pages = [records.found_on[place] for records, place in own]
        assert found.found_on[at] == next(filter(None, pages), "")


@pytest.mark.parametrize(
    "row", [b"", b"[", b"\xff", b"[]", b"[[], [], [], [], []]", b'[["http://a.test/"],[""],[1],[1],[1],[],[]]']
)
def test_bytes_that_are_no_records(row: bytes) -> None:
    with pytest.raises(ValueError, match=r"record|JSON|Expecting|decode"):
        unpacked([row])


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
