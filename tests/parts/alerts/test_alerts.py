"""What somebody who does not look is told of a crawl: by a command, by a webhook, once each."""

import json
import logging
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import Result
from support.cluster_runs import SEEDS
from support.command_line import HOME, end_logs, run
from support.counted_web import counted_web
from support.patience import PATIENCE
from support.small_web import Pages, small_web

from minicrawl import log
from minicrawl.errors import SettingError
from minicrawl.parts.alerts import TOLD, telling

KEEP = "import sys; open(sys.argv[1], 'a').write(sys.stdin.read())"


def calls(*words: str) -> str:
    return shlex.join([sys.executable, "-c", *words])


@contextmanager
def web(tmp_path: Path) -> Iterator[list[str]]:
    """Options of a crawl of three pages."""
    with counted_web(2) as served:
        sent = f"--connect-to ::127.0.0.1:{served.port} --allow-private --delay 0 --store {tmp_path / 'crawl.db'}"
        yield [HOME, *sent.split()]


def test_every_event_that_is_told_is_one_of_the_log_and_more_than_debugging() -> None:
    assert all(log.EVENTS[name][0] >= logging.INFO for name in TOLD)


@pytest.mark.parametrize("quiet", [(), ("--quiet",)])
def test_a_command_is_told_of_the_end_once_and_of_nothing_else(tmp_path: Path, quiet: tuple[str, ...]) -> None:
    told = tmp_path / "told"
    with web(tmp_path) as words:
        done = run("crawl", *words, *quiet, "--run", calls(KEEP, str(told)))
        again = run("refresh", "--pages", "2", "--store", tmp_path / "crawl.db", "--run", calls(KEEP, str(told)))
    assert (done.exit_code, again.exit_code) == (0, 0), done.output + again.output
    first, second = map(json.loads, told.read_text().splitlines())
    assert (first["event"], first["reason"], first["pages"]) == ("crawl-ended", "nothing-left", 3)
    assert first["message"].startswith(f"the crawl into {tmp_path / 'crawl.db'} has ended (nothing-left)")
    assert (second["event"], second["pages"]) == ("crawl-ended", 2)


def test_a_log_that_is_asked_for_is_as_without(tmp_path: Path) -> None:
    with web(tmp_path) as words:
        run("crawl", *words, "--run", calls("pass"), "--log-file", tmp_path / "log")
    end_logs()
    lines = (tmp_path / "log").read_text()
    assert ("fetched ok" in lines, "has ended" in lines) == (True, True)


def test_a_webhook_is_told_and_one_that_fails_is_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("apprise")
    posted = []

    class Hook(Pages):
        def do_POST(self) -> None:  # noqa: N802 - as http.server calls it
            posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.answer(200 if self.path == "/good" else 500, b"")

    with small_web(Hook) as port, web(tmp_path) as words:
        hooks = (f"json://user:secret@127.0.0.1:{port}/{name}" for name in ("good", "bad"))
        done = run("crawl", *words, *(word for hook in hooks for word in ("--notify", hook)))
    assert [post["title"] for post in posted] == ["minicrawl: crawl-ended"] * 2
    assert "Warning: a message was not sent, and will be sent with the next: json://***@127.0.0.1" in done.stderr
    (kept,) = map(json.loads, (tmp_path / "crawl.db.unsent").read_text().splitlines())
    assert (kept[0], kept[1]["event"]) == ("notify 1", "crawl-ended")
    assert ("secret" in done.output, done.exit_code) == (False, 0)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--run", "say 'it"), '--run "say \'it" is no command: No closing quotation'),
        (("--notify", "what://a.test"), "is not a URL that Apprise knows"),
    ],
)
def test_what_cannot_be_told_to_is_refused_before_the_crawl(tmp_path: Path, words: tuple[str, str], says: str) -> None:
    if "--notify" in words:
        pytest.importorskip("apprise")
    refused: Result = run("crawl", HOME, "--store", tmp_path / "crawl.db", *words)
    assert (refused.exit_code, says in " ".join(refused.stderr.split())) == (2, True), refused.output
    assert not (tmp_path / "crawl.db").exists()


def test_warnings_go_to_standard_error_as_without(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with telling((), calls("pass"), tmp_path / "unsent", print):
        log.event("outage-began", since=0.0)
        log.event("crawl-ended", store="crawl.db", reason="pages", pages=1, seconds=1.0)
    assert "no host answers" in capsys.readouterr().err


def test_what_was_not_sent_is_sent_by_the_next_run_in_order_and_once(tmp_path: Path) -> None:
    kept, told, warned = tmp_path / "unsent", tmp_path / "told", list[str]()
    for command in (calls("exit(3)"), calls("exit(4)"), calls(KEEP, str(told)), calls(KEEP, str(told))):
        with telling((), command, kept, warned.append):
            log.event("outage-over", seconds=len(warned))
    messages = list(map(json.loads, told.read_text().splitlines()))
    assert [message["seconds"] for message in messages] == [0, 1, 3, 3]
    assert all(message["at"].endswith("+00:00") for message in messages)
    assert [why.rpartition(" ")[2] for why in warned] == ["3", "4", "4"], "once when it begins, once for the event"
    assert not kept.exists()


def test_a_message_is_kept_while_it_is_sent(tmp_path: Path) -> None:
    kept, copy = tmp_path / "unsent", tmp_path / "copy"
    with telling((), calls("import shutil, sys; shutil.copy(*sys.argv[1:])", str(kept), str(copy)), kept, print):
        log.event("outage-over", seconds=1.0)
    assert json.loads(copy.read_text())[1]["event"] == "outage-over"


def test_a_file_that_has_no_messages_is_refused(tmp_path: Path) -> None:
    (tmp_path / "unsent").write_text("{]")
    with pytest.raises(SettingError, match=r"cannot be read.*remove it"), telling((), "x", tmp_path / "unsent", print):
        pass


@pytest.mark.slow
@pytest.mark.usefixtures("ray")
def test_what_happens_in_a_partition_is_told(tmp_path: Path) -> None:
    told, folder = tmp_path / "told", str(tmp_path / "web")
    stop = [sys.executable, "-m", "minicrawl", "control", "stop", "--store", folder]
    keep = f"import subprocess, sys; open({str(told)!r}, 'a').write(sys.stdin.read()); subprocess.run({stop})"
    words = f"crawl {SEEDS[0]} --partitions 2 --proxy http://127.0.0.1:1 --allow-private --time {PATIENCE}"
    run(*words.split(), "--store", folder, "--run", shlex.join([sys.executable, "-c", keep]))
    first, last = map(json.loads, told.read_text().splitlines())
    assert (first["event"], last["event"]) == ("proxy-failed", "crawl-ended")
    assert first["message"].startswith(f"partition {first['partition']}: the proxy http://127.0.0.1:1 cannot be used")
