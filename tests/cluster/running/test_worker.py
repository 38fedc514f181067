"""A process that has a partition: what it answers, and what it does when nobody asks any more."""

import asyncio
import json
import resource
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from itertools import count, islice
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest
from cluster_runs import folder_at
from sites import rows

from minicrawl.cluster.audit import audit_all
from minicrawl.cluster.folder import Folder
from minicrawl.cluster.running.partition import PostError
from minicrawl.cluster.running.worker import Brief, Worker, packed
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.sharing.records import Records, to_bytes
from minicrawl.opic.ledger import UNIT
from minicrawl.settings import CrawlSettings
from minicrawl.store.write.transfer_rows import OutboxRow
from minicrawl.store.writer import Writer

SEEDS = [f"http://h{number}.test/" for number in range(8)]
NOWHERE = CrawlSettings.of({"connect_to": "::127.0.0.1:9", "delay": "60s"})


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return folder_at(tmp_path / "web", 2)


def brief(folder: Folder) -> Brief:
    return Brief(folder, 0, NOWHERE, Seeds(SEEDS))


@contextmanager
def started(given: Brief) -> Iterator[tuple["subprocess.Popen[bytes]", socket.socket, BinaryIO]]:
    ours, theirs = socket.socketpair()
    with theirs:
        words = [sys.executable, "-m", "minicrawl.cluster.running.worker", str(theirs.fileno())]
        process = subprocess.Popen(words, pass_fds=[theirs.fileno()], stderr=subprocess.PIPE)
    with process, ours, ours.makefile("rb") as answers:
        try:
            ours.sendall(packed(given))
            yield process, ours, answers
        finally:
            process.kill()


def asked(line: socket.socket, answers: BinaryIO, do: str, **more: object) -> dict[str, Any]:
    line.sendall(json.dumps({"do": do, **more}).encode() + b"\n")
    return dict(json.loads(answers.readline()))


def test_a_keeper_that_dies_ends_it_with_everything_committed(folder: Folder) -> None:
    with started(brief(folder)) as (process, line, answers):
        assert asked(line, answers, "report")["done"]["crawled"] is False
        line.sendall(b'{"do": "report"}\n')  # an answer that nobody reads
        answers.close()
        line.close()
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")
    assert not folder.is_in_use
    with folder.opened() as stores:
        assert list(audit_all(stores)) == []
        assert stores[0].size() == len(SEEDS), "it knows all seeds, also those that are at home elsewhere"


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="limits of another process are Linux's")
def test_a_disk_that_is_full_when_nobody_asks_any_more_leaves_no_traceback(folder: Folder) -> None:
    """As where another partition has failed first, and the keeper lets all end."""
    with started(brief(folder)) as (process, line, answers):
        assert asked(line, answers, "report")["done"]["crawled"] is False
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, 0))
        answers.close()
        line.close()
        _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, b"")
    with folder.opened() as stores:
        assert list(audit_all(stores)) == []


def test_a_partition_crawls_settles_and_ends(folder: Folder) -> None:
    with started(brief(folder)) as (process, line, answers):
        assert asked(line, answers, "stop", reason="interrupted", now=True) == {"done": {}}
        while not asked(line, answers, "report")["done"]["crawled"]:
            pass
        assert asked(line, answers, "settle") == {"done": {}}
        assert asked(line, answers, "hand over")["done"]["some"] in (False, True)
        assert asked(line, answers, "end", settled=True)["done"].keys() == {"failures", "unanswered", "cookies"}
        line.shutdown(socket.SHUT_WR)
        assert process.wait(timeout=60) == 0


def test_a_store_of_another_crawl_is_refused(folder: Folder) -> None:
    with started(brief(replace(folder, cluster="another"))) as (process, line, answers):
        answer = asked(line, answers, "report")
        assert answer["exit"] == 3
        assert "is not partition 0 of this crawl" in answer["failed"]
        line.shutdown(socket.SHUT_WR)
        assert process.wait(timeout=60) == 0


class NoPost:
    """Brings nothing anywhere."""

    async def send(self, source: int, home: int, rows: Sequence[OutboxRow]) -> int:
        raise PostError


def test_one_commit_holds_what_others_hand_over_together_when_all_have_crawled(tmp_path: Path) -> None:
    folder = folder_at(tmp_path / "web", 3)
    store = folder.stores[0]
    at_home = (url for url in map("http://g{}.test/".format, count()) if folder.homes.home_of(url) == 0)
    records = [
        Records(
            [url],
            [SEEDS[0]],
            cash=np.array([0]),
            received=np.array([UNIT]),
            walkers=np.array([0]),
            inlinks=np.array([1], dtype=np.int32),
            depth=np.array([1], dtype=np.int32),
            chain_length=np.array([0], dtype=np.int8),
        )
        for url in islice(at_home, 2)
    ]
    handed = [OutboxRow(0, 1, 0, UNIT, 0, to_bytes(some)) for some in records]

    async def both() -> tuple[int, int]:
        with closing(Writer(store)) as writer:
            worker = Worker(replace(brief(folder), crawls=False), writer, NoPost())
            with closing(sqlite3.connect(store)) as db:
                db.execute("CREATE TABLE commits (level)")
                on_level = "AFTER INSERT ON meta WHEN new.key = 'level'"
                db.execute(f"CREATE TRIGGER t {on_level} BEGIN INSERT INTO commits VALUES (new.value); END")
            first, second = await asyncio.gather(worker.take(1, handed[:1]), worker.take(2, handed[1:]))
            held = rows(store, "SELECT partition, taken FROM neighbours ORDER BY partition")
            assert held == [(1, 1), (2, 1)], "they are confirmed when a commit holds them"
            await worker.leave()
        return first, second

    assert asyncio.run(both()) == (1, 1)
    assert rows(store, "SELECT count(*) FROM commits") == [(1,)]
    assert rows(store, "SELECT count(*) FROM pages WHERE url LIKE 'http://g%' AND state = 'waiting'") == [(2,)]
