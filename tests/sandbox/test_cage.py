"""A cage lets nothing out."""

import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from minicrawl.sandbox.cage import FILTER, NAMESPACE, OPEN, cage_of, caged


def runs(*command: str) -> bool:
    return shutil.which(command[0]) is not None and subprocess.run(command, check=False).returncode == 0


only_linux = pytest.mark.skipif(sys.platform != "linux", reason="cages are for Linux")

INMATE = """#!PYTHON -IS
import os, resource, socket, sys
def error(act):
    try:
        act()
    except OSError as error:
        return type(error).__name__
def speak(kind, family=socket.AF_INET):
    with socket.socket(family, kind) as one:
        one.connect(("127.0.0.1" if family == socket.AF_INET else "::1", int(sys.argv[1])))
        one.send(b"x")
tried = [error(lambda: speak(*each)) for each in (
    (socket.SOCK_DGRAM,), (socket.SOCK_STREAM,), (socket.SOCK_DGRAM, socket.AF_INET6), (socket.SOCK_RAW,))]
local = error(lambda: socket.socket(socket.AF_UNIX).close())
print([os.geteuid() == 0, all(tried), local, resource.getrlimit(resource.RLIMIT_DATA)[1], sys.argv[2:]])
"""


@only_linux
@pytest.mark.parametrize("kind", [NAMESPACE, FILTER])
def test_a_program_in_a_cage_speaks_with_nobody(tmp_path: Path, kind: str) -> None:
    refused = "echo 0 >/proc/sys/user/max_user_namespaces; " if kind == FILTER else ""
    if not runs("unshare", "-r", "sh", "-c", refused + "true"):
        pytest.skip("this system lets nobody have namespaces")
    inmate = tmp_path / "in mate"
    inmate.write_text(INMATE.replace("PYTHON", sys.executable))
    inmate.chmod(0o700)
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
        socket.create_server(("127.0.0.1", 0)) as tcp,
        caged(inmate, 2**30) as starter,
    ):
        port = tcp.getsockname()[1]
        udp.bind(("127.0.0.1", port))
        udp.setblocking(False)
        tcp.setblocking(False)
        command = ["unshare", "-r", "sh", "-c", f'{refused}exec "$0" "$@"', str(starter), str(port), "--a b", "*"]
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        sandbox = ["--no-sandbox"] if kind == FILTER else []
        assert found == f"{[kind == FILTER, True, None, 2**30, ['--a b', '*', *sandbox]]}\n"
        for listener in (udp, tcp):
            with pytest.raises(BlockingIOError):
                listener.recv(1) if listener is udp else listener.accept()
    assert not starter.exists()


def test_this_process_is_in_no_cage() -> None:
    assert cage_of(0) == OPEN
