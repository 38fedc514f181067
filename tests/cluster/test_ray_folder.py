"""Ray on one machine: folders that killed commands left go at the next start, and it listens on loopback only."""

import fcntl
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.patience import PATIENCE

CONNECT = """
import os
from contextlib import suppress
from pathlib import Path
from minicrawl.cluster import ray
from minicrawl.system import descendants

def listening():
    \"\"\"Addresses, in hexadecimal, of the sockets that this process and its descendants listen on.\"\"\"
    own = set()
    for pid in (os.getpid(), *(child["pid"] for child in descendants(os.getpid()))):
        for file in Path(f"/proc/{pid}/fd").glob("*"):
            with suppress(OSError):
                own.add(os.readlink(file))
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path("/proc/net", name).read_text().splitlines()]
    return {row[1].partition(":")[0] for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in own}

with ray.connected(None, 1):
    print(*listening(), flush=True)
"""
LOOPBACK = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
pytest.importorskip("ray")


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="mc-ray-", dir="/tmp", ignore_cleanup_errors=True) as made:
        yield Path(made)


def connect() -> str:
    """Have Ray in another process, for a moment. Returns what it printed."""
    command = [sys.executable, "-c", CONNECT]
    return subprocess.run(command, check=True, input="", capture_output=True, text=True, timeout=PATIENCE).stdout


@pytest.mark.parametrize(
    ("kind", "stays"),
    [("dead", False), ("living", True), ("old and dead", False), ("old and living", True), ("new", True)],
)
@pytest.mark.slow
def test_folders_of_dead_commands_go_at_the_next_start(folder: Path, kind: str, stays: bool) -> None:
    with (folder / "other").open("x") as held, socket.socket(socket.AF_UNIX) as end:
        if kind in ("dead", "living"):
            (folder / "other").rename(folder / "held")
        if kind == "living":
            fcntl.flock(held, fcntl.LOCK_EX)
        if kind == "old and living":
            end.bind(str(folder / "socket"))
        if kind != "new":
            os.utime(folder, (0, 0))
        connect()
        assert folder.exists() == stays


@pytest.mark.slow
@pytest.mark.skipif(sys.byteorder != "little" or sys.platform != "linux", reason="addresses are as /proc writes them")
def test_ray_listens_on_this_machine_alone() -> None:
    found = set(connect().split())
    assert found
    assert found <= LOOPBACK
