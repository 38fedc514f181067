"""A process that has a partition: what it answers, and what it does when nobody asks any more."""

import json
import resource
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from cluster_runs import folder_at

from minicrawl.cluster.audit import audit_all
from minicrawl.cluster.folder import Folder
from minicrawl.cluster.running.worker import Brief, packed
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.settings import CrawlSettings

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
