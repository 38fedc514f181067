"""A machine that shares crawls: what is refused, how it is found, and how it ends."""

import io
import socket
import threading
from pathlib import Path

import pytest

from minicrawl.cluster.machines.machine import Machine, first, found, hold, is_kept, joining, keep, running, start, stop
from minicrawl.errors import SettingError, StoreError

TOKEN = "0123456789abcdef" * 4


class Ended:
    """Ray's, as a machine holds them."""

    def __init__(self) -> None:
        self.ended = threading.Event()
        self.died = threading.Event()

    def is_whole(self) -> bool:
        return not self.died.is_set()

    def end(self) -> None:
        self.ended.set()


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "minicrawl" / "machines"


def held(machine: Machine) -> tuple[Ended, threading.Thread]:
    """A machine that runs."""
    Path(machine.place).mkdir(mode=0o700)
    processes, ready = Ended(), threading.Event()

    def is_kept() -> bool:
        ready.set()
        return True

    thread = threading.Thread(target=hold, args=(machine, processes, is_kept))
    thread.start()
    assert ready.wait(60)
    keep(machine)
    return processes, thread


def test_a_machine_whose_start_was_killed_ends(tmp_path: Path) -> None:
    """Nobody would find it, to stop it."""
    machine, processes = first("alpha", "127.0.0.1", 6399), Ended()
    Path(machine.place).mkdir(mode=0o700)
    hold(machine, processes, lambda: is_kept(io.StringIO(""), io.BytesIO()))
    assert processes.ended.is_set()
    assert not Path(machine.place).exists()


def test_one_that_is_kept_goes_on() -> None:
    says = io.BytesIO()
    assert is_kept(io.StringIO("kept\n"), says)
    assert says.getvalue() == b"ready\n"


def test_a_machine_is_found_until_it_is_stopped(state: Path) -> None:
    alpha = first("alpha", "127.0.0.1", 6399)
    beta = joining("beta", "127.0.0.1", alpha.head, alpha.token, Path("disk"))
    (first_processes, one), (_, other) = held(alpha), held(beta)
    assert [machine.name for machine in running()] == ["alpha", "beta"]
    assert (found(), found("beta"), found("gamma")) == (alpha, beta, None)
    assert {file.stat().st_mode & 0o777 for file in state.iterdir()} == {0o600}
    assert not first_processes.ended.is_set()
    stop(alpha)
    assert first_processes.ended.is_set(), "it is waited for"
    assert found() == beta
    stop(beta)
    assert (found(), list(state.iterdir())) == (None, [])
    assert not Path(alpha.place).exists()
    for thread in (one, other):
        thread.join(60)


def test_a_machine_whose_ray_has_died_ends_the_rest_of_it() -> None:
    alpha = first("alpha", "127.0.0.1", 6399)
    processes, thread = held(alpha)
    processes.died.set()
    thread.join(60)
    assert processes.ended.is_set()
    assert found() is None
    again = first("alpha", "127.0.0.1", 6399)
    held(again)
    assert not Path(alpha.place).exists()
    stop(again)


def test_a_first_machine_that_is_not_there_is_said_at_once(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("minicrawl.cluster.machines.machine.find_spec", lambda _: True)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    beta = joining("beta", "127.0.0.1", f"127.0.0.1:{port}", TOKEN, Path("disk"))
    with pytest.raises(StoreError, match=f"nobody listens at 127.0.0.1:{port} .Connection refused"):
        start(beta)
    assert (Path(beta.place).exists(), state.exists()) == (False, False)


def test_a_joining_machine_keeps_stores_in_a_folder_of_its_own() -> None:
    beta = joining("beta", "10.0.0.2", "10.0.0.1:6399", TOKEN, Path("disk"))
    assert (Path(beta.folder), beta.is_loopback, beta.is_head) == (Path("disk").absolute(), False, False)


@pytest.mark.parametrize("address", ["127.0.0.2", "0.0.0.0.0", "localhost", "", "::1"])
def test_an_address_that_no_other_reaches_is_refused(address: str) -> None:
    with pytest.raises(SettingError, match="is no address that others reach"):
        first("alpha", address, 6399)


@pytest.mark.parametrize("name", ["", "a b", "-a", "a/b", "x" * 41])
def test_a_name_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(SettingError, match="is no name of a machine"):
        first(name, "127.0.0.1", 6399)


@pytest.mark.parametrize(
    ("head", "address", "token", "message"),
    [
        ("10.0.0.1", "10.0.0.2", TOKEN, "10.0.0.1 is no HOST:PORT of a first machine"),
        ("alpha:6399", "10.0.0.2", TOKEN, "alpha:6399 is no HOST:PORT"),
        ("10.0.0.1:99999", "10.0.0.2", TOKEN, "is no HOST:PORT"),
        ("10.0.0.1:6399", "127.0.0.1", TOKEN, "10.0.0.1 and 127.0.0.1 do not reach each other"),
        ("127.0.0.1:6399", "10.0.0.2", TOKEN, "do not reach each other"),
        ("10.0.0.1:6399", "10.0.0.2", "secret", "that is no token"),
    ],
)
def test_what_cannot_be_joined_is_refused(head: str, address: str, token: str, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        joining("beta", address, head, token, Path("disk"))
