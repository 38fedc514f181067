"""What has a partition on a machine: it makes stores there, waits for one that is held, and says what is wrong."""

import asyncio
import os
from contextlib import closing
from pathlib import Path

import pytest
from support.cluster_runs import folder_at

from minicrawl.cluster.folder import store_of
from minicrawl.cluster.machines.host import FOLDER, Host
from minicrawl.cluster.machines.hosted import Call
from minicrawl.cluster.new_store import cash_of
from minicrawl.cluster.running.worker import Brief, packed
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

NOBODY: list[Call] = []
NOWHERE = CrawlSettings.of({"connect_to": "::127.0.0.1:9", "delay": "60s"})


def test_a_store_is_made_in_the_folder_of_the_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path / "disk"))
    made = asyncio.run(Host().make("c1", 1, 3))
    assert made == {"done": {"folder": str(tmp_path / "disk" / "c1")}}
    with open_store(store_of(tmp_path / "disk" / "c1", 1)) as store:
        assert (store.meta("cluster"), store.meta("partition"), store.meta("cash_total")) == ("c1", 1, cash_of(1, 3))


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "disk").touch()
    monkeypatch.setenv(FOLDER, str(tmp_path / "disk"))
    made = asyncio.run(Host().make("c1", 1, 3))
    assert "cannot be written" in made["failed"]
    assert "--folder" in made["failed"]


def test_without_a_partition_it_answers_nothing() -> None:
    assert asyncio.run(Host().ask({"do": "report"})) is None
    assert "does not run yet" in asyncio.run(Host().take(1, []))["failed"]


def test_a_store_that_the_host_of_a_keeper_before_still_has_is_waited_for(tmp_path: Path) -> None:
    folder = folder_at(tmp_path / "web", 1)

    async def run() -> None:
        host = Host()
        with closing(Writer(folder.stores[0])):
            begins = asyncio.create_task(host.begin(packed(Brief(folder, 0, NOWHERE, Seeds([]))), NOBODY))
            await asyncio.sleep(0.3)
            assert not begins.done()
        assert (await begins)["done"] == {"pid": os.getpid()}
        await host.leave()

    asyncio.run(run())
    assert not folder.is_in_use


def test_a_damaged_store_is_one_sentence(tmp_path: Path) -> None:
    folder = folder_at(tmp_path / "web", 1)
    folder.stores[0].write_bytes(b"no store " * 1000)
    begun = asyncio.run(Host().begin(packed(Brief(folder, 0, NOWHERE, Seeds([]))), NOBODY))
    assert "is damaged or no SQLite file" in begun["failed"]


def test_who_begins_waits_until_what_was_there_has_left(tmp_path: Path) -> None:
    """Both use one store."""
    folder = folder_at(tmp_path / "web", 1)

    async def run() -> None:
        host, begun = Host(), packed(Brief(folder, 0, NOWHERE, Seeds(["http://a.test/"])))
        assert "pid" in (await host.begin(begun, NOBODY))["done"]
        leaves = asyncio.create_task(host.leave())
        await asyncio.sleep(0)
        assert "pid" in (await host.begin(begun, NOBODY))["done"]
        assert leaves.done()
        await host.leave()

    asyncio.run(run())
    assert not folder.is_in_use
