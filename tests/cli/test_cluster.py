"""`minicrawl cluster`, as a user types it."""

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
from support.sites import rows


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    return crawled_by_command(tmp_path_factory.mktemp("cluster"))


@pytest.fixture
def folder(crawled: tuple[Path, dict[str, Any]]) -> Path:
    return crawled[0]


def test_a_crawl_is_told_as_one(crawled: tuple[Path, dict[str, Any]]) -> None:
    folder, report = crawled
    homes = [rows(folder / f"00{number}.db", "SELECT url FROM pages WHERE state = 'fetched'") for number in (0, 1)]
    assert all(homes), "each has some of the hosts"
    read = sum(map(len, homes))
    assert (report["reason"], report["read"]) == ("nothing-left", read)
    assert report["fetched"] >= read
    status = answer("cluster", "status", "--store", folder)
    assert (status["running"], status["known"], status["read"]) == (False, report["known"], read)
    assert [row["pages"]["fetched"] for row in status["partitions"]] == list(map(len, homes))
    assert f"known     {report['known']} pages on " in run("cluster", "status", "--store", folder).output


REFUSED = {
    "archive": (["--archive-top=1%"], 2, "--archive-top does not work in partitions yet"),
    "workers": (["--workers", "2"], 2, "--workers does not work in partitions yet"),
    "no option at all": (["--nonsense"], 2, "No such option"),
    "number": (["--partitions", "3"], 2, "has 2 partitions, which is fixed"),
    "less than one each": (["--concurrency", "1"], 2, "--concurrency 1 is less than one request for each"),
    "seed": (["nowhere.txt"], 2, "seed file nowhere.txt cannot be read"),
}


@pytest.mark.parametrize(("words", "code", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_mistake_gets_one_sentence(folder: Path, words: list[str], code: int, message: str) -> None:
    before = (folder / "cluster.json").read_text()
    result = run("cluster", "crawl", "--store", folder, *words)
    assert (result.exit_code, message in result.stderr, "Traceback" in result.stderr) == (code, True, False)
    assert (folder / "cluster.json").read_text() == before


@pytest.mark.parametrize("command", ["top", "crawl http://a.test/ --partitions 2"])
def test_a_store_of_one_process_is_no_folder(command: str, tmp_path: Path) -> None:
    """A file of options may name one for all commands."""
    (tmp_path / "crawl.db").touch()
    result = run("cluster", *command.split(), "--store", tmp_path / "crawl.db")
    assert (result.exit_code, "with --store" in result.stderr) == (3, True)


@pytest.mark.parametrize("command", ["top", "status", "export ranks.csv"])
def test_commands_of_one_store_name_those_of_partitions(command: str, folder: Path) -> None:
    result = run(*command.split(), "--store", folder)
    assert (result.exit_code, "'minicrawl cluster --help' lists what reads those" in result.stderr) == (2, True)


def test_nothing_is_made_without_seeds_or_a_number(tmp_path: Path) -> None:
    assert "no seeds are given" in run("cluster", "crawl", "--store", tmp_path / "web", "--partitions", "2").stderr
    assert "--partitions N" in run("cluster", "crawl", *SEEDS, "--store", tmp_path / "web").stderr
    assert not (tmp_path / "web").exists()


def test_a_partition_is_not_crawled_by_itself(folder: Path) -> None:
    result = run("crawl", "--store", folder / "000.db")
    assert result.exit_code == 3
    assert f"'minicrawl cluster crawl --store {folder}' goes on with all" in result.stderr


def test_ctrl_c_ends_it_and_meanwhile_it_is_one_alone(tmp_path: Path) -> None:
    folder = tmp_path / "web"
    with counted_web(pages=40) as web:
        words = ["cluster", "crawl", *SEEDS, "--store", str(folder), "--partitions", "2", "--allow-private"]
        words += ["--connect-to", f"::127.0.0.1:{web.port}", "--delay", "1", "-q"]
        pipe = subprocess.PIPE
        with subprocess.Popen(
            [sys.executable, "-m", "minicrawl", *words], stdout=pipe, stderr=pipe, text=True
        ) as crawl:
            try:
                while not web.asked and crawl.poll() is None:
                    time.sleep(0.02)
                for command in ("crawl", "check"):
                    result = run("cluster", command, "--store", folder)
                    assert (result.exit_code, "stop it" in result.stderr or "wait for it" in result.stderr) == (3, True)
                crawl.send_signal(signal.SIGINT)
                out, errors = crawl.communicate(timeout=120)
            finally:
                crawl.kill()
    assert (crawl.returncode, errors) == (130, "")
    assert "it was interrupted; run the same command to go on" in out
    assert run("cluster", "check", "--store", folder).exit_code == 0
