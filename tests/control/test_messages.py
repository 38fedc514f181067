"""A message is one line, and what is none is told in one sentence."""

import contextlib
import json
import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minicrawl.control.messages import LONGEST, answer_of, bound, connected, failed, line_of, message_of, parts, places
from minicrawl.errors import ConfigError, CrawlEndedError, MinicrawlError, SeedError, StoreError

_VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), _VALUES))
def test_a_message_comes_out_as_it_went_in(message: dict[str, Any]) -> None:
    line = line_of(message)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    assert message_of(line) == message


@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_one_sentence(line: bytes) -> None:
    with contextlib.suppress(ConfigError):
        assert isinstance(message_of(line), dict)


@pytest.mark.parametrize("line", [b"\n", b"[]\n", b"{\n", b"\xff\n", b"[" * 100_000, b"1" * 5000])
def test_what_is_no_object_is_told(line: bytes) -> None:
    with pytest.raises(ConfigError, match="a JSON object on a line of its own"):
        message_of(line)


@pytest.mark.parametrize("kind", [ConfigError, StoreError, CrawlEndedError])
def test_an_error_comes_over_the_line_with_its_exit_code(kind: type[MinicrawlError]) -> None:
    with pytest.raises(kind, match="it is wrong"):
        answer_of(message_of(line_of(failed(kind("it is wrong")))))


def test_an_answer_comes_over_the_line() -> None:
    assert answer_of(message_of(line_of({"done": {"new": 3}}))) == {"new": 3}


@pytest.mark.parametrize("answer", [{}, {"done": 1}, {"failed": 1}, {"do": "pause"}])
def test_what_does_not_answer_as_a_crawl_does_is_told(answer: dict[str, Any]) -> None:
    with pytest.raises(StoreError, match="is not a crawl"):
        answer_of(answer)


@given(st.lists(st.text(max_size=20_000), max_size=40, unique=True), st.data())
def test_seeds_are_parted_into_lines_that_are_short_enough(urls: list[str], data: st.DataObject) -> None:
    guessed = frozenset(data.draw(st.sets(st.sampled_from(urls)))) if urls else frozenset[str]()
    messages = parts(urls, guessed)
    assert all(len(line_of(message)) <= LONGEST for message in messages)
    assert [url for message in messages for url in message["urls"]] == urls
    assert {url for message in messages for url in message["guessed"]} == guessed


def test_many_seeds_take_few_messages_and_one_that_is_too_long_is_told() -> None:
    urls = [f"https://example.org/{number}" for number in range(100_000)]
    assert len(parts(urls, frozenset(urls))) < 1.2 * 2 * len(json.dumps(urls)) / LONGEST
    with pytest.raises(SeedError, match="a URL of 300,000 characters is too long"):
        parts(["x" * 300_000], frozenset())


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.db"
    path.touch()
    return path


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    """A store whose path no socket can have."""
    path = tmp_path / ("x" * 100) / "crawl.db"
    path.parent.mkdir()
    path.touch()
    return path


@contextlib.contextmanager
def listening(store: Path) -> Iterator[Path]:
    """The path of the socket of a store, on which somebody listens."""
    file = bound(store)
    file.socket.listen()
    yield file.path
    file.remove()
    file.socket.close()


def is_heard(store: Path) -> bool:
    line = connected(store, 1.0)
    if line is not None:
        line.close()
    return line is not None


def test_it_is_beside_the_store_for_its_owner_alone(store: Path) -> None:
    file = bound(store)
    assert file.path == store.with_name("crawl.db.sock")
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert not is_heard(store)  # nobody gets in before it is for its owner alone
    file.socket.listen()
    assert is_heard(store)
    file.remove()
    assert not file.path.exists()
    file.socket.close()


def test_a_store_has_one_socket_by_whatever_links_it_is_reached(store: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    link = tmp_path / "folder/other.db"
    link.symlink_to(store)
    with listening(link) as path:
        assert path.parent == store.parent
        assert is_heard(store)
        assert is_heard(link)


def test_where_the_path_would_be_too_long_it_is_in_a_folder_of_our_own(deep: Path) -> None:
    with listening(deep) as path:
        assert path.parent.name.startswith("minicrawl")
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert len(os.fsencode(path)) < 104
        assert is_heard(deep)
        assert not is_heard(deep.with_name("other.db"))
    assert not is_heard(deep)


@pytest.mark.parametrize("length", [80, 98, 99, *range(100, 111), 120])
def test_paths_of_every_length_can_be_bound(tmp_path: Path, length: int) -> None:
    folder = tmp_path / ("x" * max(1, length - len(str(tmp_path)) - 10))
    folder.mkdir()
    (folder / "a.db").touch()
    with listening(folder / "a.db"):
        assert is_heard(folder / "a.db")


def test_a_socket_that_a_killed_crawl_has_left_is_replaced(store: Path) -> None:
    killed = bound(store)  # which never listens; as long as it is open, no other file gets its number
    assert killed.path.exists()
    assert not is_heard(store)
    with listening(store):
        assert is_heard(store)
        killed.remove()  # what is there now is another one's
        assert is_heard(store)
    killed.socket.close()


def test_anything_else_that_is_there_stays_and_the_socket_is_elsewhere(store: Path) -> None:
    beside = store.with_name("crawl.db.sock")
    beside.write_text("mine")
    with listening(store) as path:
        assert (path != beside, beside.read_text(), is_heard(store)) == (True, "mine", True)


def test_a_socket_that_strangers_can_reach_through_a_link_is_not_taken(store: Path, tmp_path: Path) -> None:
    theirs = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    theirs.bind(os.fspath(tmp_path / "theirs"))
    theirs.listen()
    store.with_name("crawl.db.sock").symlink_to(tmp_path / "theirs")
    assert not is_heard(store)
    theirs.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a socket to somebody else")
def test_a_socket_of_a_stranger_is_not_taken(store: Path) -> None:
    theirs = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    path = store.with_name("crawl.db.sock")
    theirs.bind(os.fspath(path))
    theirs.listen()
    os.chown(path, 12345, 12345)
    assert not is_heard(store)
    os.chown(store, 12345, 12345)  # but the owner of the store may well run its crawl
    assert is_heard(store)
    theirs.close()


def test_a_folder_that_others_may_use_is_not_taken(deep: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as runtime:
        shared = Path(runtime) / "minicrawl"
        shared.mkdir()
        shared.chmod(0o777)
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
        assert shared in [path.parent for path in places(deep)]
        with listening(deep) as path:
            assert path.parent != shared


def test_where_no_socket_can_be_that_is_one_sentence(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "bind", lambda *_: (_ for _ in ()).throw(PermissionError(1, "not permitted")))
    with pytest.raises(StoreError, match=r"cannot be controlled from another shell .*not permitted"):
        bound(store)
