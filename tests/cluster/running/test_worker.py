"""A process that has a partition: what it answers, and what it does when nobody asks any more."""

import asyncio
import json
import random
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest
from support.cluster_runs import folder_at
from support.gathered import all_violations
from support.patience import PATIENCE

from minicrawl.cluster.folder import Folder
from minicrawl.cluster.running.brief import Brief, packed
from minicrawl.cluster.running.post import VERSION
from minicrawl.cluster.running.worker import Server
from minicrawl.control.messages import connected, line_of
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.opic.book import UNIT
from minicrawl.settings import CrawlSettings
from minicrawl.store.partitions.records import Records, from_bytes, to_bytes
from minicrawl.store.transfers import OutboxRow
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
    lines, its_lines = socket.socketpair()
    ours, theirs = socket.socketpair()
    with its_lines:
        words = [sys.executable, "-m", "minicrawl.cluster.running.worker", str(its_lines.fileno())]
        process = subprocess.Popen(words, pass_fds=[its_lines.fileno()], stderr=subprocess.PIPE)
    with theirs, lines:
        socket.send_fds(lines, [b"+"], [theirs.fileno()])
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
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, b"")
    assert not folder.is_in_use
    with folder.opened() as stores:
        assert list(all_violations(stores)) == []
        own = sum(folder.homes.home_of(url) == 0 for url in SEEDS)
        assert stores[0].size() == own, "it knows its own seeds alone"


def test_a_store_that_a_kill_left_before_its_first_commit_is_begun(folder: Folder) -> None:
    folder.store(0).unlink()
    Writer(folder.store(0)).close()
    with started(brief(folder)) as (_, line, answers):
        assert "done" in asked(line, answers, "report")
    with folder.opened() as stores:
        assert list(all_violations(stores)) == []


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="limits of another process are Linux's")
def test_a_disk_that_is_full_when_nobody_asks_any_more_leaves_no_traceback(folder: Folder) -> None:
    """As where another partition has failed first, and the keeper lets all end."""
    with started(brief(folder)) as (process, line, answers):
        assert asked(line, answers, "report")["done"]["crawled"] is False
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, 0))
        answers.close()
        line.close()
        _, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, errors) == (0, b"")
    with folder.opened() as stores:
        assert list(all_violations(stores)) == []


def test_a_partition_crawls_settles_and_ends(folder: Folder) -> None:
    with started(brief(folder)) as (process, line, answers):
        assert asked(line, answers, "stop", reason="interrupted", now=True) == {"done": {}}
        while not asked(line, answers, "report")["done"]["crawled"]:
            pass
        assert asked(line, answers, "settle", round=1) == {"done": {}}
        assert asked(line, answers, "hand over")["done"]["homes"] in ([], [1])
        ended = {"failures", "unanswered", "cookies", "unsettled", "pages", "left_out", "coverage"}
        assert asked(line, answers, "end", settled=True)["done"].keys() == ended
        line.shutdown(socket.SHUT_WR)
        assert process.wait(timeout=PATIENCE) == 0


def test_a_store_of_another_crawl_is_refused(folder: Folder) -> None:
    with started(brief(replace(folder, cluster="another"))) as (process, line, answers):
        answer = asked(line, answers, "report")
        assert answer["exit"] == 3
        assert "is not partition 0 of this crawl" in answer["failed"]
        line.shutdown(socket.SHUT_WR)
        assert process.wait(timeout=PATIENCE) == 0


def a_row(folder: Folder, **other: Any) -> OutboxRow:
    """What partition 1 may hand over to partition 0, but for some columns."""
    urls = [url for url in map("http://g{}.test/".format, range(40)) if folder.homes.home_of(url) == 0][:2]
    texts = {"urls": urls, "found_on": ["http://h0.test/"] * 2}
    columns = {"received": [UNIT, -1], "inlinks": [1, 1], "depth": [1, 2]}
    numbers = {name: np.array(other.get(name, column)) for name, column in (columns | {"chain_length": [0, 0]}).items()}
    return OutboxRow(0, 1, UNIT - 1, to_bytes(Records(**{**texts, **other, **numbers})))


def frame(given: OutboxRow, head: object = None, **more: object) -> bytes:
    """As it goes over the socket."""
    sizes = [given.number, given.received, len(given.records)] if head is None else head
    parcel = {"source": 1, "home": 0, "rows": [sizes]} | {key: more.pop(key) for key in list(more) if key in PARCEL}
    message = {"do": "take", "version": VERSION, "parcels": [_whole(parcel)]} | more
    return line_of(_whole(message)) + given.records


PARCEL = {"source", "home", "rows"}


def _whole(message: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in message.items() if value != "left out"}


def bad_frames(folder: Folder) -> Iterator[bytes]:
    """What cannot be read, or not be meant."""
    row = a_row(folder)
    size, url = len(row.records), from_bytes(row.records).urls[0]
    yield from (b"\n", b"{}\n", b"[]\n", b"\xff\xfe\0\n", b"[" * 100_000 + b"\n", b"x" * 300_000, b'{"do": ["take"]}\n')
    yield from (b'{"do": "take"}\n', b'{"do": "take", "version": 1}\n', b"9" * 5_000 + b"\n", b'{"do": "report"}\n')
    yield from (frame(row, version=version) for version in ("left out", None, 0, VERSION + 1, str(VERSION), [VERSION]))
    sources: list[object] = ["left out", None, 0, 2, -1, 1.0, True, "1", [], 10**30]
    yield from (frame(row, source=source) for source in sources)
    lists: list[object] = ["left out", None, {}, [1], [[]], [[1] * 5], [[1, 5, 0, 0]] * 1001]
    yield from (frame(row, rows=heads) for heads in lists)
    others: list[object] = [None, {}, [1], [None], "x"]
    yield from (frame(row, parcels=parcels) for parcels in others)
    sums = ([None, 5, 0, size], [1.5, 5, 0, size], [1, 2**63, 0, size], [1, 5, 0, -1], [1, 5, 0, 2**40])
    yield from (frame(row, head) for head in (*sums, [1, 6, UNIT - 1, size], [1, 5, UNIT - 1, 0], [1, 5, UNIT - 1, 3]))
    elsewhere = next(url for url in SEEDS if folder.homes.home_of(url) == 1)
    for other in ("", "x", "http://", "http://[", "ftp://a.test/", "http://a b.test/", "http://\0/", elsewhere):
        yield frame(a_row(folder, urls=[url, other]))
    yield frame(a_row(folder, urls=[url, url]))
    yield from (frame(a_row(folder, found_on=["http://h0.test/", other])) for other in ("", "x", "http://[::1"))
    yield from (frame(a_row(folder, **{name: [1, -1]})) for name in ("depth", "chain_length"))
    chance = random.Random(6)
    for _ in range(30):
        spoilt = bytearray(row.records)
        spoilt[chance.randrange(20)] ^= chance.randrange(1, 256)  # how many there are, and what they add up to
        yield frame(row._replace(records=bytes(spoilt)))


def test_what_cannot_be_meant_is_refused_and_costs_nobody_else_anything(folder: Folder) -> None:
    with started(brief(folder)) as (process, line, answers):
        assert asked(line, answers, "report")["done"]["crawled"] is False
        with ExitStack() as stack:
            lines = []
            for sent in bad_frames(folder):
                sender = stack.enter_context(closing(connected_to(folder.stores[0])))
                lines.append((sent, stack.enter_context(sender.makefile("rb"))))
                with suppress(OSError):  # it may hang up before it has read all
                    sender.sendall(sent)
                    sender.shutdown(socket.SHUT_WR)
            for sent, says in lines:
                with suppress(ConnectionError):
                    answer = json.loads(says.readline())
                    refused = answer["done"]["answers"][0] if "done" in answer else answer
                    assert (refused["exit"], says.read()) == (2, b""), sent
        with closing(connected_to(folder.stores[0])) as sender, sender.makefile("rb") as says:
            sender.sendall(frame(a_row(folder)))
            assert json.loads(says.readline()) == {"done": {"here": [0], "answers": [{"done": {"number": 1}}]}}
        assert asked(line, answers, "report")["done"]["counters"] == [0, 0, 1]
        answers.close()
        line.close()
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert b"Traceback" not in errors


def connected_to(store: Path) -> socket.socket:
    line = connected(store, 60.0)
    assert line is not None
    return line


def test_a_partition_of_another_version_is_not_begun(folder: Folder) -> None:
    given = packed(brief(folder))
    ours, theirs = socket.socketpair()
    with ours, theirs, ours.makefile("rb") as answers:
        ours.sendall((VERSION + 1).to_bytes(4, "big") + given[4:-1] + b"?")
        ours.shutdown(socket.SHUT_WR)
        asyncio.run(Server().serve(theirs))
        answer = json.loads(answers.readline())
    assert (answer["exit"], "another minicrawl's" in answer["failed"]) == (2, True)
