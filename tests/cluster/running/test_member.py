"""A partition's answers to its keeper."""

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import count, islice
from pathlib import Path

import numpy as np
import pytest
from support.cluster_runs import folder_at
from support.sites import rows

from minicrawl.cluster.running.brief import Brief
from minicrawl.cluster.running.member import Member
from minicrawl.cluster.running.partition import PostError
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.run import Together
from minicrawl.errors import ConfigError, CrawlEndedError
from minicrawl.opic.book import UNIT
from minicrawl.settings import CrawlSettings
from minicrawl.store.partitions.records import Records, to_bytes
from minicrawl.store.transfers import OutboxRow
from minicrawl.store.writer import Writer

SEEDS = [f"http://h{number}.test/" for number in range(8)]
NOWHERE = CrawlSettings.of({"connect_to": "::127.0.0.1:9", "delay": "60s"})


class NoPost:
    """Brings nothing anywhere."""

    def send(
        self, source: int, home: int, rows: Sequence[OutboxRow], *, hurries: bool = False
    ) -> "asyncio.Future[int]":
        raise PostError


def test_one_commit_holds_what_others_hand_over_together_when_all_have_crawled(tmp_path: Path) -> None:
    folder = folder_at(tmp_path / "web", 3)
    store = folder.stores[0]
    at_home = (url for url in map("http://g{}.test/".format, count()) if folder.homes.home_of(url) == 0)
    records = [
        Records(
            [url],
            [SEEDS[0]],
            received=np.array([UNIT]),
            inlinks=np.array([1], dtype=np.int32),
            depth=np.array([1], dtype=np.int32),
            chain_length=np.array([0], dtype=np.int8),
        )
        for url in islice(at_home, 2)
    ]
    handed = [OutboxRow(0, 1, UNIT, to_bytes(some)) for some in records]

    async def both() -> tuple[int, int]:
        with closing(Writer(store)) as writer:
            member = Member(Brief(folder, 0, NOWHERE, Seeds(SEEDS), crawls=False), writer, NoPost(), Together(1), print)
            with closing(sqlite3.connect(store)) as db:
                db.execute("CREATE TABLE commits (virtual)")
                on_virtual = "AFTER INSERT ON meta WHEN new.key = 'virtual'"
                db.execute(f"CREATE TRIGGER t {on_virtual} BEGIN INSERT INTO commits VALUES (new.value); END")
            first, second = await asyncio.gather(member.take(1, handed[:1]), member.take(2, handed[1:]))
            held = rows(store, "SELECT partition, taken FROM neighbours ORDER BY partition")
            assert held == [(1, 1), (2, 1)], "they are confirmed when a commit holds them"
            await member.leave()
        return first, second

    assert asyncio.run(both()) == (1, 1)
    assert rows(store, "SELECT count(*) FROM commits") == [(1,)]
    assert rows(store, "SELECT count(*) FROM pages WHERE url LIKE 'http://g%' AND state = 'waiting'") == [(2,)]


def test_rows_that_are_being_taken_as_it_leaves_are_not_confirmed(tmp_path: Path) -> None:
    """They are sent again: its store may be closed by now."""
    folder = folder_at(tmp_path / "web", 2)

    async def taken() -> None:
        with closing(Writer(folder.stores[0])) as writer:
            member = Member(Brief(folder, 0, NOWHERE, Seeds(SEEDS), crawls=False), writer, NoPost(), Together(1), print)
            member.begin()
            taking = member.take(1, [])
            await member.leave()
        with pytest.raises(CrawlEndedError, match="partition 0 has ended"):
            await taking

    asyncio.run(taken())


@pytest.mark.parametrize("source", [0, 2])
def test_rows_of_no_other_partition_of_the_crawl_are_refused_and_a_line_tells(
    source: int, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = folder_at(tmp_path / "web", 2)

    async def take() -> None:
        with closing(Writer(folder.stores[0])) as writer:
            member = Member(Brief(folder, 0, NOWHERE, Seeds(SEEDS), crawls=False), writer, NoPost(), Together(1), print)
            member.begin()
            with pytest.raises(ConfigError, match=f"partition 0 takes nothing of partition {source}"):
                await member.take(source, [])
            await member.leave()

    asyncio.run(take())
    assert f"takes nothing of partition {source}" in caplog.text
