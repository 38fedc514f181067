"""The log's level; files of the log that are moved while a crawl writes them."""

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from support.command_line import HOME, end_logs, run
from support.counted_web import counted_web
from support.patience import PATIENCE
from support.small_web import Pages, WebServer

from minicrawl import log


class Rotating(Pages):
    """Twenty pages; as the tenth is asked for, the log is moved, and the crawl gets SIGHUP."""

    server: "RotatingServer"

    def do_GET(self) -> None:  # noqa: N802 - as http.server calls it
        links = "".join(f"<a href='/{number}'>{number}</a>" for number in range(20)) if self.path == "/" else ""
        if self.path == "/9":
            self.server.log.rename(self.server.log.with_suffix(".1"))
            os.kill(self.server.crawl.pid, signal.SIGHUP)
        self.answer(404 if self.path == "/robots.txt" else 200, f"<title>{self.path}</title>{links}".encode())


class RotatingServer(WebServer):
    log: Path
    crawl: "subprocess.Popen[str]"


def test_a_crawl_without_terminal_opens_its_log_anew_at_sighup_and_goes_on(tmp_path: Path) -> None:
    server = RotatingServer(("127.0.0.1", 0), Rotating)
    server.log = tmp_path / "crawl.log"
    with server.serving():
        words = server.crawl_command(tmp_path / "crawl.db", [HOME], "--log-file", str(server.log))
        with subprocess.Popen(words, start_new_session=True, text=True, stderr=subprocess.PIPE) as server.crawl:
            _, told = server.crawl.communicate(timeout=PATIENCE)
    assert server.crawl.returncode == 0, told
    before, after = (file.read_text() for file in (server.log.with_suffix(".1"), server.log))
    assert ("crawling into" in before, "has ended (nothing-left)" in after) == (True, True)
    assert sum("fetched ok" in line for line in (before + after).splitlines()) == 21


def test_a_file_that_is_moved_or_removed_is_made_anew_without_a_signal(tmp_path: Path) -> None:
    """As in the other processes of a crawl, which get none."""
    file = tmp_path / "log"
    try:
        log.begin(log.Output(str(file), False, "run"))
        for act in (lambda: file.rename(tmp_path / "log.1"), file.unlink):
            log.event("host-back", host="a.test")
            act()
        log.event("host-back", host="b.test")
    finally:
        end_logs()
    assert [text.read_text().count("well again") for text in (tmp_path / "log.1", file)] == [1, 1]


@pytest.mark.parametrize(
    ("level", "lives"), [("debug", {"debug", "info"}), ("info", {"info"}), ("warning", set()), ("error", set())]
)
def test_a_log_has_what_is_of_its_level_or_more(tmp_path: Path, level: str, lives: set[str]) -> None:
    file = tmp_path / "log"
    with counted_web(2) as served:
        sent = f"--connect-to ::127.0.0.1:{served.port} --allow-private --delay 0 --store {tmp_path / 'crawl.db'}"
        done = run("crawl", HOME, *sent.split(), "--log-file", file, "--log-format", "json", "--log-level", level)
    end_logs()
    assert done.exit_code == 0, done.output
    assert {json.loads(line)["level"] for line in file.read_text().splitlines()} == lives
