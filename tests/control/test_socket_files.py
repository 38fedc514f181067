"""Where the socket of a crawl is, whoever may use it, and what becomes of one that was left behind."""

import os
import socket
import stat
import tempfile
from pathlib import Path

import pytest

from minicrawl.control.messages import bound, connected, places
from minicrawl.errors import StoreError


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
    file = bound(link)
    file.socket.listen()
    assert file.path.parent == store.parent
    assert is_heard(store)
    assert is_heard(link)
    file.remove()
    file.socket.close()


def test_where_the_path_would_be_too_long_it_is_in_a_folder_of_our_own(deep: Path) -> None:
    file = bound(deep)
    file.socket.listen()
    folder = file.path.parent
    assert folder.name.startswith("minicrawl")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert len(os.fsencode(file.path)) < 104
    assert is_heard(deep)
    assert not is_heard(deep.with_name("other.db"))
    file.remove()
    assert not is_heard(deep)
    file.socket.close()


@pytest.mark.parametrize("length", [80, 98, 99, *range(100, 111), 120])
def test_paths_of_every_length_can_be_bound(tmp_path: Path, length: int) -> None:
    folder = tmp_path / ("x" * max(1, length - len(str(tmp_path)) - 10))
    folder.mkdir()
    (folder / "a.db").touch()
    file = bound(folder / "a.db")
    file.socket.listen()
    assert is_heard(folder / "a.db")
    file.remove()
    file.socket.close()


def test_a_socket_that_a_killed_crawl_has_left_is_replaced(store: Path) -> None:
    killed = bound(store)  # which never listens; as long as it is open, no other file gets its number
    assert killed.path.exists()
    assert not is_heard(store)
    file = bound(store)
    file.socket.listen()
    assert is_heard(store)
    killed.remove()  # what is there now is another one's
    assert is_heard(store)
    file.remove()
    for one in (killed, file):
        one.socket.close()


def test_anything_else_that_is_there_stays_and_the_socket_is_elsewhere(store: Path) -> None:
    beside = store.with_name("crawl.db.sock")
    beside.write_text("mine")
    file = bound(store)
    file.socket.listen()
    assert (file.path != beside, beside.read_text(), is_heard(store)) == (True, "mine", True)
    file.remove()
    file.socket.close()


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
        file = bound(deep)
        assert file.path.parent != shared
        file.remove()
        file.socket.close()


def test_where_no_socket_can_be_that_is_one_sentence(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket.socket, "bind", lambda *_: (_ for _ in ()).throw(PermissionError(1, "not permitted")))
    with pytest.raises(StoreError, match=r"cannot be controlled from another shell .*not permitted"):
        bound(store)
