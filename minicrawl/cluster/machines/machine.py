"""This machine as one of those that share a crawl: started, found again by a file, stopped.

    python -m minicrawl.cluster.machines.machine      holds Ray's processes; it reads what it is to be from its input

It ends Ray's processes, and then itself, when someone connects to its socket, and also where one of them has died. The
file of a machine has all that a command here needs: ~/.local/state/minicrawl/machines/NAME.json, or the same folder in
$XDG_STATE_HOME. It has the token, so its owner alone may read it.
"""

import contextlib
import ipaddress
import json
import os
import re
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import BinaryIO, Protocol, TextIO

from minicrawl.errors import SettingError, StoreError

LOOPBACK = "127.0.0.1"
_SECONDS = 90.0
"""For Ray to start, and to stop."""
_PATIENCE = 10.0
"""Seconds for the first machine to take a connection."""
_READY, _KEPT, _LOOK, _STOP = b"ready\n", b"kept\n", b"?", b"!"
_LONGEST_NAME = 40


class Processes(Protocol):
    """Ray's processes on a machine."""

    def is_whole(self) -> bool:
        """Whether all of them run."""
        ...

    def end(self) -> None:
        """End them; nothing where they have ended."""
        ...


@dataclass(frozen=True)
class Machine:
    """address: where Ray listens here. head: where the first machine listens, HOST:PORT. folder: for stores of crawls
    that the first machine has begun. place: a folder for Ray's own files, and for the socket."""

    name: str
    address: str
    head: str
    token: str
    folder: str
    place: str
    is_head: bool

    @property
    def is_loopback(self) -> bool:
        return self.address == LOOPBACK


def first(name: str, address: str, port: int) -> Machine:
    """The machine that others join. Raises SettingError."""
    return _checked(Machine(name, address, f"{address}:{port}", secrets.token_hex(32), "", _place(), is_head=True))


def joining(name: str, address: str, head: str, token: str, folder: Path) -> Machine:
    """A machine that joins the one that listens at `head`. Raises SettingError."""
    host, _, port = head.rpartition(":")
    if not port.isdecimal() or not 0 < int(port) < 2**16 or not _is_address(host):
        raise SettingError(f"{head} is no HOST:PORT of a first machine; 'minicrawl cluster start' prints it there")
    if (host == LOOPBACK) != (address == LOOPBACK):
        raise SettingError(
            f"{host} and {address} do not reach each other; name with --address the address of this machine that "
            f"{host} can reach, and start the first machine with an --address, too"
        )
    if not re.fullmatch("[0-9a-f]{64}", token):
        raise SettingError("that is no token: it has 64 letters and digits; 'minicrawl cluster start' prints it")
    return _checked(Machine(name, address, head, token, str(folder.absolute()), _place(), is_head=False))


def check_ray() -> None:
    """Raises SettingError where this Python has no Ray."""
    if find_spec("ray") is None:
        raise SettingError("several machines need Ray; run: pip install 'minicrawl[cluster]'")


def start(machine: Machine) -> None:
    """Let Ray run here until `stop`. Raises SettingError where it runs, and StoreError where it cannot be started."""
    check_ray()
    if found(machine.name) is not None:
        raise SettingError(f"machine {machine.name} has been started; 'minicrawl cluster stop' ends it")
    if not machine.is_head:
        _check_head(machine.head)
    place = Path(machine.place)
    place.mkdir(mode=0o700)
    with (place / "log").open("wb") as log:
        command = [sys.executable, "-m", "minicrawl.cluster.machines.machine"]
        pipe = subprocess.PIPE
        holder = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=log, start_new_session=True)
    assert holder.stdin is not None
    assert holder.stdout is not None
    with holder.stdin, holder.stdout, contextlib.suppress(OSError):
        holder.stdin.write(json.dumps(asdict(machine)).encode() + b"\n")
        holder.stdin.flush()
        if holder.stdout.readline() == _READY:
            keep(machine)
            holder.stdin.write(_KEPT)
            holder.stdin.flush()
            holder.returncode = 0  # it goes on without us, so nobody waits for it
            return
    holder.wait()
    lines = (place / "log").read_text("utf-8", "replace").split("\n")
    why = next((line for line in reversed(lines) if line.strip()), "it has said nothing")
    shutil.rmtree(place, ignore_errors=True)
    if "InvalidAuthToken" in why:
        raise SettingError(f"that is not the token of {machine.head}; 'minicrawl cluster start' has printed it there")
    raise StoreError(f"Ray does not start: {why.strip()}")


def _check_head(head: str) -> None:
    """Raise StoreError where nobody listens, for which Ray would wait for minutes."""
    host, _, port = head.rpartition(":")
    try:
        socket.create_connection((host, int(port)), _PATIENCE).close()
    except OSError as error:
        raise StoreError(
            f"nobody listens at {head} ({error.strerror or 'no answer'}); 'minicrawl cluster start' prints on the "
            "first machine where it does"
        ) from error


def keep(machine: Machine) -> None:
    """Let commands here find it, and take away what one of that name has left that was killed."""
    file = _folder() / f"{machine.name}.json"
    with contextlib.suppress(OSError, ValueError, TypeError):
        shutil.rmtree(Machine(**json.loads(file.read_text("utf-8"))).place, ignore_errors=True)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    file.touch(mode=0o600)
    file.write_text(json.dumps(asdict(machine), indent=2) + "\n", "utf-8")


def found(name: str | None = None) -> Machine | None:
    """The machine of that name that runs here, or the one there is. None where there is none."""
    return next((machine for machine in running() if name in (None, machine.name)), None)


def running() -> Iterator[Machine]:
    """Those that run here, the first machine first."""
    machines = []
    for file in sorted(_folder().glob("*.json")):
        with contextlib.suppress(OSError, ValueError, TypeError):
            machine = Machine(**json.loads(file.read_text("utf-8")))
            with contextlib.suppress(OSError), _connected(machine, _LOOK):
                machines.append(machine)
    return iter(sorted(machines, key=lambda machine: (not machine.is_head, machine.name)))


def stop(machine: Machine) -> None:
    """End Ray here, and wait until it has ended. Raises StoreError where it goes on."""
    with contextlib.suppress(ConnectionError, FileNotFoundError):  # it is not there any more
        try:
            with _connected(machine, _STOP) as line:
                while line.recv(1):
                    pass
        except TimeoutError as error:
            raise StoreError(f"Ray on machine {machine.name} does not end; {machine.place}/log may say why") from error
    (_folder() / f"{machine.name}.json").unlink(missing_ok=True)
    shutil.rmtree(machine.place, ignore_errors=True)


def hold(machine: Machine, ray: Processes, is_kept: Callable[[], bool]) -> None:
    """Wait until somebody lets this machine stop, who waits for its end, or until Ray has died.

    is_kept: is called when this machine can be stopped; whether whoever has started it knows it. Else it ends at once.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listens:
        listens.bind(_socket(machine))
        listens.listen()
        listens.settimeout(1.0)
        try:
            if not is_kept():
                shutil.rmtree(machine.place, ignore_errors=True)
                return
            while ray.is_whole() and not _is_to_stop(listens, ray):
                pass
        finally:
            ray.end()


def _is_to_stop(listens: socket.socket, ray: Processes) -> bool:
    with contextlib.suppress(OSError):  # also that nobody came, or that he went
        line, _ = listens.accept()
        with line:
            line.settimeout(1.0)
            if line.recv(1) == _STOP:
                ray.end()
                return True
    return False


def _checked(machine: Machine) -> Machine:
    name, address = machine.name, machine.address
    if not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?", name) or len(name) > _LONGEST_NAME:
        raise SettingError(
            f"{name!r} is no name of a machine: up to {_LONGEST_NAME} letters, digits, dots and hyphens; give one "
            "with --name"
        )
    if not _is_address(address) or (address != LOOPBACK and ipaddress.ip_address(address).is_loopback):
        raise SettingError(f"{address} is no address that others reach, such as 10.0.0.1; name one with --address")
    return machine


def _place() -> str:
    """A new folder's path; short, as sockets are in it."""
    return f"{tempfile.gettempdir()}/minicrawl-ray-{secrets.token_hex(4)}"


def _is_address(text: str) -> bool:
    try:
        ipaddress.IPv4Address(text)
    except ValueError:
        return False
    return True


def _folder() -> Path:
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local/state") / "minicrawl" / "machines"


def _socket(machine: Machine) -> str:
    return f"{machine.place}/stop.sock"


@contextlib.contextmanager
def _connected(machine: Machine, word: bytes) -> Iterator[socket.socket]:
    """A line to who holds a machine, with a word sent. Raises OSError where nobody does."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(_SECONDS)
        line.connect(_socket(machine))
        line.sendall(word)
        yield line


def is_kept(asks: TextIO, says: BinaryIO) -> bool:
    """Say to who has started this machine that it runs; whether he has kept that, and was not killed before."""
    with contextlib.suppress(OSError):
        says.write(_READY)
        says.flush()
        return asks.readline() == _KEPT.decode()
    return False


def main() -> None:
    from minicrawl.cluster.machines.ray import RayNode  # noqa: PLC0415 - nobody else here needs Ray

    machine = Machine(**json.loads(sys.stdin.readline()))
    hold(machine, RayNode(machine), lambda: is_kept(sys.stdin, sys.stdout.buffer))


if __name__ == "__main__":
    main()
