"""`minicrawl crawl --partitions N`, as a user types it."""

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from support.cluster_runs import SEEDS, crawled_by_command
from support.command_line import answer, run
from support.counted_web import counted_web
from support.gathered import all_violations
from support.patience import PATIENCE
from support.sites import rows, served
from support.small_web import small_web

from minicrawl.api import acrawl
from minicrawl.demo.web import serving_answers

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("ray")]


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    parent = tmp_path_factory.mktemp("cluster")
    return crawled_by_command(parent, "--log-file", str(parent / "crawl.log"))


def test_the_report_is_that_of_one_process(crawled: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    folder, report = crawled
    homes = [rows(folder / f"00{number}.db", "SELECT url FROM pages WHERE state = 'fetched'") for number in (0, 1)]
    assert all(homes), "each has some of the hosts"
    with small_web() as port:
        words = [*SEEDS, "--store", str(tmp_path / "crawl.db"), "--connect-to", f"::127.0.0.1:{port}"]
        one = answer("crawl", *words, "--allow-private", "--delay", "0", "-q")
    assert report.keys() == one.keys() | {"deaths"}
    for name in ("reason", "fetched", "bytes", "known", "read", "failures", "left_out", "unanswered", "out_of_reach"):
        assert report[name] == one[name], name
    assert report["coverage"] == pytest.approx(one["coverage"], abs=1e-5)
    told, page = (answer(*words, "--store", folder) for words in (["status"], ["why", "http://club.test/"]))
    for name in ("coverage", "coverage_about", "coverage_shown"):
        assert report[name] == told["run"][name] == page[name]
    assert 0.0 < report["error"] <= 1e-6


def test_the_log_has_the_partition_of_every_commit(crawled: tuple[Path, dict[str, Any]]) -> None:
    log, _, _ = (crawled[0].parent / "crawl.log").read_text().partition(" has ended ")  # later crawls of this process
    assert {" partition " in line for line in log.splitlines() if " committed " in line} == {True}


@pytest.mark.parametrize(("words", "code", "message"), [
    ("crawl --store {folder} --partitions 3", 2, "has 2 partitions, a fixed number"),
    ("crawl --store {folder} nowhere.txt", 2, "seed file nowhere.txt cannot be read"),
    ("crawl --store {folder}/000.db", 3, "'minicrawl crawl --store {folder}' continues all of it"),
])  # fmt: skip
def test_mistake_gets_one_sentence(crawled: tuple[Path, Any], words: str, code: int, message: str) -> None:
    folder, _ = crawled
    before = (folder / "cluster.json").read_text()
    result = run(*words.format(folder=folder).split())
    assert (result.exit_code, "Traceback" in result.stderr) == (code, False)
    assert message.format(folder=folder) in result.stderr
    assert (folder / "cluster.json").read_text() == before


A, B = "http://a.test/", "http://b.test/"
ODD: dict[str, tuple[dict[str, list[str] | str], int, int, int]] = {
    "no page": ({}, 2, 0, 1),
    "one page": ({A: []}, 2, 1, 1),
    "three pages, a redirect first": ({A: B, B: [f"{B}x"], f"{B}x": [B]}, 3, 3, 3),
    "more partitions than sites": ({A: [B], B: []}, 3, 2, 2),
}
"""The web, the number of partitions, and how many pages are read and known then."""


@pytest.mark.parametrize(("web", "partitions", "read", "known"), ODD.values(), ids=ODD.keys())
async def test_the_smallest_crawls_end(
    web: dict[str, list[str] | str], partitions: int, read: int, known: int, tmp_path: Path
) -> None:
    async with serving_answers(lambda url, _: served(web, url)) as port:
        given: dict[str, Any] = {"connect_to": f"::127.0.0.1:{port}", "allow_private": True, "traps": False}
        ended = await acrawl(A, tmp_path / "web", partitions=partitions, delay=0.01, **given)
    assert (ended.reason, ended.read, ended.known) == ("nothing-left", read, known)
    assert all_violations(tmp_path / "web") == []


def test_ctrl_c_ends_it_and_meanwhile_it_is_one_alone(tmp_path: Path) -> None:
    folder = tmp_path / "web"
    with counted_web(pages=40) as web:
        words = ["crawl", *SEEDS, "--store", str(folder), "--partitions", "2", "--allow-private"]
        words += ["--connect-to", f"::127.0.0.1:{web.port}", "--delay", "1", "-q"]
        command = [sys.executable, "-m", "minicrawl", *words]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as crawl:
            try:
                while not web.asked and crawl.poll() is None:
                    time.sleep(0.02)
                result = run("crawl", "--store", folder)
                assert (result.exit_code, "wait for it" in result.stderr) == (3, True)
                assert "main process" not in run("control", "status", "--store", folder).stdout
                crawl.send_signal(signal.SIGINT)
                out, errors = crawl.communicate(timeout=PATIENCE)
            finally:
                crawl.kill()
    assert (crawl.returncode, errors) == (130, "")
    assert "it was interrupted; run the same command to continue" in out
