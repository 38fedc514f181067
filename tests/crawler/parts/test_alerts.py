"""Changes that a crawl tells a webhook or a command of, through failures and kills."""

import json
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from support.refreshed import PATIENT
from support.sites import Server, Site, crawl, rows

from minicrawl.errors import SettingError
from minicrawl.model import CrawlReport

HOME = "http://a.test/"
QUICK = replace(PATIENT, alert=5.0, alert_retry=0.001, alerts=20.0)

SITE: Site = {HOME: ["/edited", "/taken"], HOME + "edited": [HOME], HOME + "taken": [HOME]}


class Editing(Server):
    """Serves a page that is edited at its third fetch, and one that is taken away at its second; both have been, if the
    crawl is not new."""

    before = 0

    def _answer(self, request: httpx.Request) -> httpx.Response:
        url, answered = str(request.url), super()._answer(request)
        count = self.asked.count(url) + self.before
        if url == HOME + "edited":
            return httpx.Response(200, html=f"<p>edition {count > 2}</p><a href='/'>home</a>")
        return httpx.Response(404) if url == HOME + "taken" and count > 1 else answered


class Receiver:
    """A webhook on loopback. `answer`: the status of the nth request; `taken`: the changes of each."""

    def __init__(self, answer: Callable[[int], int]) -> None:
        self._answer = answer
        self.taken: list[list[dict[str, Any]]] = []
        self.url = ""

    @contextmanager
    def listening(self) -> Iterator["Receiver"]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                document = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                receiver.taken.append(document["changes"])
                self.send_response(receiver._answer(len(receiver.taken)))
                self.send_header("Location", "http://elsewhere.test/")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            thread = threading.Thread(target=server.serve_forever, args=(0.01,))
            thread.start()
            self.url = f"http://user:s3cret@127.0.0.1:{server.server_port}/s3cret?token=s3cret"
            try:
                yield self
            finally:
                server.shutdown()
                thread.join()


def refreshed(store: Path, receiver: str, site: Site = SITE, **settings: Any) -> CrawlReport:
    options = {"refresh": True, "pages": 60, "probe": False, "timing": QUICK, "on_change": receiver} | settings
    server = Editing(site)
    server.before = 3 * store.exists()
    return crawl(server, store, [HOME], **options)[0]


def told(*batches: list[dict[str, Any]]) -> set[tuple[str, str]]:
    return {(change["url"].removeprefix(HOME), change["what"]) for batch in batches for change in batch}


def test_webhook_that_fails_twice_is_told_of_all_changes_and_none_is_new(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    with Receiver(lambda n: (500, 302, 200)[min(n, 3) - 1]).listening() as receiver:
        report = refreshed(tmp_path / "crawl.db", receiver.url, text=True)
    assert report.undelivered == 0
    assert told(receiver.taken[0]) <= told(receiver.taken[1]) <= told(receiver.taken[2])
    delivered = [change for batch in receiver.taken[2:] for change in batch]
    assert told(delivered) == {("edited", "changed"), ("taken", "gone")}
    assert len(delivered) == 2
    for batch in receiver.taken:
        assert [one["importance"] for one in batch] == sorted((one["importance"] for one in batch), reverse=True)
    edited = next(change for change in delivered if change["what"] == "changed")
    assert (edited["added"], edited["removed"], edited["excerpt"]) == (1, 1, "edition True")
    assert edited.keys() == {"url", "title", "what", "at", "importance", "added", "removed", "excerpt"}
    assert [one.message for one in caplog.records if one.levelname == "WARNING"] == [
        "changes could not be delivered to --on-change (HTTP status 500); they are kept, and tried again"
    ]
    assert "s3cret" not in caplog.text
    assert b"s3cret" not in (tmp_path / "crawl.db").read_bytes()


def test_command_gets_a_line_a_change(tmp_path: Path) -> None:
    file = tmp_path / "told file"
    words = [sys.executable, "-c", "import sys; open(sys.argv[1], 'a').write(sys.stdin.read())", str(file)]
    assert refreshed(tmp_path / "crawl.db", shlex.join(words)).undelivered == 0
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert told(lines) == {("edited", "changed"), ("taken", "gone")}
    assert [line["excerpt"] for line in lines] == [None, None]


@pytest.mark.parametrize("what", ["status", "command", "silent"])
def test_receiver_that_always_fails_is_one_warning_and_the_next_run_tells_it(
    what: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store, hushed = tmp_path / "crawl.db", replace(QUICK, alert=0.2, alerts=1.0)
    held = threading.Event()
    with Receiver(lambda _: 500 if what == "status" else 200 + held.wait(5.0)).listening() as receiver:
        failing = f"{sys.executable} -c 'raise SystemExit(3)'" if what == "command" else receiver.url
        report = refreshed(store, failing, timing=hushed)
        held.set()
    assert report.undelivered == 2
    assert len([one for one in caplog.records if one.levelname == "WARNING"]) == 1
    with Receiver(lambda _: 204).listening() as receiver:
        assert refreshed(store, receiver.url, pages=1).undelivered == 0
    assert {("edited", "changed"), ("taken", "gone")} <= told(*receiver.taken)
    with Receiver(lambda _: 204).listening() as receiver:
        refreshed(store, receiver.url, pages=1)
    assert not {("edited", "changed"), ("taken", "gone")} & told(*receiver.taken)


def test_changes_of_a_killed_run_are_delivered_by_the_next(tmp_path: Path) -> None:
    """The run is killed by kill -9 when its first changes are under way."""
    store, child = tmp_path / "crawl.db", 0

    def kill(n: int) -> int:
        if n == 1:
            os.kill(child, signal.SIGKILL)
        return 200

    begins, begin = os.pipe()
    child = os.fork()
    if not child:
        try:
            refreshed(store, os.read(begins, 1000).decode())
        finally:
            os._exit(0)
    with Receiver(kill).listening() as receiver:
        os.write(begin, receiver.url.encode())
        os.close(begin)
        os.close(begins)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
        lost = told(receiver.taken[0])
        assert lost
        assert refreshed(store, receiver.url).undelivered == 0
    assert lost <= told(*receiver.taken[1:])
    ((until,),) = rows(store, "SELECT value FROM meta WHERE key = 'alerted_until'")
    assert rows(store, "SELECT max(id) FROM changes") == [(until,)]


def test_later_runs_tell_of_new_pages_and_of_no_change_from_before_the_first(tmp_path: Path) -> None:
    store = tmp_path / "crawl.db"
    refreshed(store, "")
    more = {**SITE, HOME: [*SITE[HOME], "/more"], HOME + "more": ["<title>More</title>", HOME]}
    with Receiver(lambda _: 200).listening() as receiver:
        refreshed(store, receiver.url, more)
    assert told(*receiver.taken) == {("more", "new"), ("", "changed")}


@pytest.mark.parametrize("wrong", ["https://:80/s3cret", "http://a.test:s3cret/", "no-s3cret-such x"])
def test_wrong_receiver_is_refused_without_its_secrets(wrong: str, tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="--on-change is") as found:
        refreshed(tmp_path / "crawl.db", wrong)
    assert "s3cret" not in str(found.value)
    assert not (tmp_path / "crawl.db").exists()
