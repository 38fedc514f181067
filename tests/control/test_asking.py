"""The client side: asking a crawl that runs, rests or is busy; NAME=VALUE."""

import contextlib
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sites import HOME, crawled_anew

from minicrawl.control.asking import ask, assigned
from minicrawl.control.messages import bound
from minicrawl.errors import ConfigError, CrawlEndedError, StoreError
from minicrawl.settings import SETTINGS, CrawlSettings
from minicrawl.store.writer import Writer

SOON = {"begins": 0.2, "answers": 0.5}
store = crawled_anew({HOME: ["/a"]}, [HOME], pages=1)


@contextmanager
def answering(store: Path, *answers: bytes) -> Iterator[list[bytes]]:
    """Listen as a crawl does, and say these to one client, a line for each of its own, the last of which may be half a
    line: then hang up. Gives what it has said."""
    heard: list[bytes] = []
    file = bound(store)
    file.socket.listen()

    def serve() -> None:
        line, _ = file.socket.accept()
        with line, line.makefile("rb") as lines:
            for answer in answers:
                heard.append(lines.readline())
                line.sendall(answer)
                if not answer.endswith(b"\n"):
                    return
            lines.read()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield heard
    finally:
        thread.join()
        file.remove()
        file.socket.close()


def test_a_crawl_that_runs_is_asked_one_thing_after_the_other(store: Path) -> None:
    with answering(store, b'{"done": {"new": 1}}\n', b'{"done": {"new": 2}}\n') as heard:
        answers = ask(store, [{"do": "add"}, {"do": "status"}])
    assert answers == [{"running": True, "new": 1}, {"running": True, "new": 2}]
    assert heard == [b'{"do": "add"}\n', b'{"do": "status"}\n']


@pytest.mark.parametrize("answer", [b"", b'{"done": {}}'])
def test_a_crawl_that_is_killed_meanwhile_leaves_the_answer_open(store: Path, answer: bytes) -> None:
    problem = "ended.*check in the store whether"
    with answering(store, answer), pytest.raises(CrawlEndedError, match=problem):
        ask(store, [{"do": "ban", "host": "a.test"}])


def test_a_crawl_that_does_not_answer_is_not_waited_for_for_ever(store: Path) -> None:
    with answering(store), pytest.raises(CrawlEndedError, match=r"has not answered for 0\.5 s"):
        ask(store, [{"do": "status"}], **SOON)


@pytest.mark.parametrize("answer", [b"hello\n", b"{}\n", b"[]\n"])
def test_something_else_that_listens_is_told(store: Path, answer: bytes) -> None:
    with answering(store, answer), pytest.raises((StoreError, ConfigError), match=r"is not a crawl|a JSON object"):
        ask(store, [{"do": "status"}])


@pytest.mark.parametrize("command", ["pause", "workers"])
def test_what_needs_a_running_crawl_says_so(store: Path, command: str) -> None:
    with pytest.raises(CrawlEndedError, match=r"no crawl runs on .*'minicrawl crawl --store"):
        ask(store, [{"do": command}])


def test_a_crawl_that_does_not_listen_is_told(store: Path) -> None:
    writer = Writer(store)
    with pytest.raises(StoreError, match=r"another program is using .* and takes no commands"):
        ask(store, [{"do": "pause"}], **SOON)
    writer.close()


def test_a_crawl_that_has_just_been_started_is_waited_for(store: Path) -> None:
    writer = Writer(store)
    listening = threading.Event()

    def listen() -> None:
        listening.set()
        with answering(store, b'{"done": {}}\n'):
            pass

    timer = threading.Timer(0.2, listen)
    timer.start()
    assert ask(store, [{"do": "pause"}], begins=600) == [{"running": True}]
    assert listening.is_set()
    timer.join()
    writer.close()


def test_there_is_no_crawl_at_all(tmp_path: Path) -> None:
    with pytest.raises(CrawlEndedError, match="no crawl runs on"):
        ask(tmp_path / "none.db", [{"do": "status"}])
    with pytest.raises(StoreError, match="there is no crawl at"):
        ask(tmp_path / "none.db", [{"do": "ban", "host": "a.test"}])
    assert os.listdir(tmp_path) == []


def test_a_socket_without_anybody_behind_it_is_that_of_no_crawl(store: Path) -> None:
    left = bound(store)
    left.socket.close()
    assert left.path.exists()
    with pytest.raises(CrawlEndedError, match="no crawl runs"):
        ask(store, [{"do": "status"}])


@pytest.mark.parametrize(
    ("texts", "given"),
    [
        (["delay=2", "concurrency=32"], {"delay": "2", "concurrency": "32"}),
        (["pages=none", "time=", "max-depth=None"], {"pages": None, "time": None, "max_depth": None}),
        (["--ip-delay=1s", "per_host=2"], {"ip_delay": "1s", "per_host": "2"}),
        (["deny=/a=b/", "deny=/c/", "allow="], {"deny": ["/a=b/", "/c/"], "allow": []}),
        (["sitemaps=no", "refresh=Yes"], {"sitemaps": False, "refresh": True}),
        (["scope=none"], {"scope": "none"}),
        (["nonsense=1"], {"nonsense": "1"}),
    ],
)
def test_settings_are_read(texts: list[str], given: dict[str, object]) -> None:
    assert assigned(texts) == given


@given(st.sampled_from(sorted(SETTINGS)), st.text(max_size=9))
def test_any_value_is_a_setting_or_a_sentence(name: str, value: str) -> None:
    with contextlib.suppress(ConfigError):
        CrawlSettings.of(assigned([f"{name}={value}"]))
