"""Ray: the only module that imports it.

Partitions are in actors on the node that has their stores. A node is known by its IP address, which Ray makes a
resource, "node:10.0.0.2": an actor that requires it waits while the node is away, and runs there again once it is
back, as a new node to Ray.

Ray places actors, restarts those that have died, and fails calls that it cannot deliver. It repeats no call, and stores
nothing. Actors end with the command that has started them, also if it is killed.
"""

import fcntl
import os
import secrets
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from itertools import accumulate, chain, cycle, islice, repeat
from pathlib import Path
from typing import Any, NamedTuple  # Any: messages

from minicrawl import installed, log
from minicrawl.errors import MinicrawlError, SettingError, StoreError
from minicrawl.store.folder import Folder
from minicrawl.system import is_shared_locked

_A_BIT = 0.001
"""Amount of a node's resource per actor: a thousand actors fit on a node."""
_CONNECT = 10.0
"""Seconds to wait for a connection to a cluster."""
_HELD = "held"
"""The file in Ray's folder that is locked as long as the command lives."""
_NEW = 60.0
"""Seconds in which a folder gets that file."""
_STARTS = 3
"""Attempts to start Ray, which gives up after 30 seconds on a busy machine."""


class GoneError(MinicrawlError):
    """A call without an answer; it may have been carried out."""


class Call:
    """Calls the methods of an actor. Picklable, so that actors can call each other."""

    def __init__(self, handle: object) -> None:
        self._handle = handle

    async def __call__(self, method: str, *given: object) -> Any:
        """Call a method by name. Returns its answer. Raises MinicrawlError, and GoneError if none comes."""
        with _errors():
            return await getattr(self._handle, method).remote(*given)

    def kill(self) -> None:
        """End the actor at once; Ray does not restart it."""
        import ray  # noqa: PLC0415

        ray.kill(self._handle, no_restart=True)


def pauses() -> Iterator[float]:
    """Seconds before each next try of a call that was not answered, doubled up to five."""
    return accumulate(repeat(0.1), lambda pause, _: min(2 * pause, 5.0))


class Where(NamedTuple):
    """Where partitions are. actors: of all machines, `names` their nodes; places: by partition, the number of its
    actor."""

    actors: list[Call]
    names: list[str]
    places: list[int]


@contextmanager
def connected(address: str | None, actors: int = 1) -> Iterator[None]:
    """Have Ray during the block: as a driver on a node of a cluster; else on this machine alone, with room for so many
    actors. A program that has Ray already keeps it. Raises SettingError, StoreError."""
    if find_spec("ray") is None:
        raise SettingError(f"partitions need Ray; run: {installed.adding('cluster')}")
    if address is not None:
        _check(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if "ray" in sys.modules and sys.modules["ray"].is_initialized():
        yield
        return
    with ExitStack() as stack:
        more: Mapping[str, object] = {}
        if address is None:
            stack.enter_context(_for_this_user())
            more = {"num_cpus": actors, "include_dashboard": False}
        import ray  # noqa: PLC0415 - an extra

        stack.callback(ray.shutdown)
        for attempts_left in range(_STARTS if address is None else 1)[::-1]:
            try:
                ray.init(address or "local", log_to_driver=False, logging_level="CRITICAL", **more)
                break
            except Exception as error:  # Ray raises many types of errors for a failed connection
                ray.shutdown()
                if attempts_left:
                    continue
                why = str(error).partition("\n")[0]
                where = "Ray does not start here" if address is None else f"no Ray cluster answers at {address}"
                raise StoreError(f"{where}: {why}") from error
        yield


def _check(address: str) -> None:
    if "://" in address:
        raise SettingError(f"--ray takes auto or HOST:PORT, not {address}: run minicrawl on a node of the cluster")
    host, _, port = address.rpartition(":")
    try:
        if host and port.isdecimal():
            socket.create_connection((host, int(port)), _CONNECT).close()  # Ray itself would wait for minutes
    except (OSError, OverflowError) as error:
        raise StoreError(f"nothing listens at {address}; start a cluster there with 'ray start --head'") from error


@contextmanager
def _for_this_user() -> Iterator[None]:
    """Let a Ray that starts in the block have a folder and a token that only this user can read, and listen on this
    machine alone. Ray looks for the token and the addresses when it is imported."""
    if "ray" not in sys.modules and "RAY_AUTH_MODE" not in os.environ:
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    _remove_left()
    with (
        tempfile.TemporaryDirectory(prefix="mc-ray-", dir="/tmp", ignore_cleanup_errors=True) as folder,
        Path(folder, f"{_HELD}.new").open("x") as held,
    ):
        fcntl.flock(held, fcntl.LOCK_EX)
        Path(held.name).rename(Path(folder, _HELD))  # nobody sees it without the lock
        # A short path, since it has sockets. And no cluster, as on macOS: then Ray listens on 127.0.0.1.
        own = {"RAY_TMPDIR": folder, "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
        os.environ.update(own)
        try:
            yield
        finally:
            for name in own:
                del os.environ[name]


def _remove_left() -> None:
    """Remove the folders of Ray that this user's commands have left when they were killed."""
    try:
        sockets = Path("/proc/net/unix").read_text("ascii", "replace")
    except OSError:
        sockets = ""
    for folder in Path("/tmp").glob("mc-ray-*"):
        with suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                continue
            if (folder / _HELD).exists():
                with (folder / _HELD).open() as held:
                    is_used = is_shared_locked(held.fileno())
            else:  # of an older version, whose Ray has sockets there; or it has just been made
                is_used = f"{folder}/" in sockets or time.time() - folder.stat().st_mtime < _NEW
            if not is_used:
                shutil.rmtree(folder, ignore_errors=True)


def nodes() -> Mapping[str, int]:
    """The CPUs of the live nodes by IP address, that of this command first."""
    import ray  # noqa: PLC0415

    own = ray.get_runtime_context().get_node_id()
    alive = [node for node in ray.nodes() if node["Alive"]]
    alive.sort(key=lambda node: (node["NodeID"] != own, node["NodeManagerAddress"]))
    return {node["NodeManagerAddress"]: max(int(node["Resources"].get("CPU", 1)), 1) for node in alive}


def placed(partitions: int) -> Mapping[int, str]:
    """The nodes of a new crawl's partitions by turns, but for those on this one."""
    names = list(nodes())
    return {number: name for number, name in enumerate(islice(cycle(names), partitions)) if name != names[0]}


def away(folder: Folder) -> Mapping[str, Sequence[int]]:
    """Unreachable nodes, with the partitions of each."""
    there, found = nodes(), dict[str, list[int]]()
    for number, name in folder.nodes.items():
        if name not in there:
            found.setdefault(name, []).append(number)
    return found


def started(kind: type, folder: Folder, workers: int) -> Where:
    """Start the actors of a crawl on its nodes. workers: on each; 0: one a CPU, as Ray counts them."""
    import ray  # noqa: PLC0415

    cpus, of_node = nodes(), _by_node(folder, range(folder.partitions))
    where = Where([], [], [0] * folder.partitions)
    for name, numbers in of_node.items():
        first, count = len(where.actors), min(workers or cpus.get(name, 1), len(numbers))
        for place, number in zip(cycle(range(count)), numbers):
            where.places[number] = first + place
        options = {"max_restarts": -1, "max_task_retries": 0, **_on(name)}
        where.actors.extend(Call(ray.remote(kind).options(**options).remote()) for _ in range(count))
        where.names.extend([name] * count)
    return where


def asked(folder: Folder, numbers: Sequence[int], question: Callable[..., object], *given: object) -> list[Any]:
    """The answers of stores to a question, by number, each where the store lies. question: a function of a module; its
    first argument is the path of the store. Raises MinicrawlError, also if a node is away."""
    import ray  # noqa: PLC0415

    if gone := away(folder):
        raise StoreError(f"node {next(iter(gone))} is down; restart Ray there and try again")
    of_node, asking = _by_node(folder, numbers), ray.remote(_answers)
    with _errors():
        found = ray.get(
            [
                asking.options(max_retries=0, **_on(name)).remote(question, list(map(folder.store, some)), *given)
                for name, some in of_node.items()
            ]
        )
    answers = dict(zip(chain(*of_node.values()), chain(*found), strict=True))
    return [answers[number] for number in numbers]


def _answers(question: Callable[..., object], stores: Sequence[Path], *given: object) -> list[object]:
    return [question(store, *given) for store in stores]


def _by_node(folder: Folder, numbers: Sequence[int]) -> Mapping[str, Sequence[int]]:
    here = next(iter(nodes()))
    found: dict[str, list[int]] = {}
    for number in numbers:
        found.setdefault(folder.nodes.get(number, here), []).append(number)
    return found


def _on(node: str) -> Mapping[str, object]:
    return {"num_cpus": 0, "resources": {f"node:{node}": _A_BIT}}


@contextmanager
def _errors() -> Iterator[None]:
    """Raise errors of Ray, and of what it has run, as our own."""
    from ray.exceptions import RayError, RayTaskError  # noqa: PLC0415

    try:
        yield
    except MinicrawlError as error:  # also an error of Ray, which holds a traceback
        raise getattr(error, "cause", error) from None
    except RayTaskError as error:
        log.event("partition-failed", error=error, why=repr(error.cause))  # its text has the traceback of the partition
        raise StoreError(f"a partition failed: {error.cause!r}; --log-file FILE has the traceback") from error
    except RayError as error:
        raise GoneError(str(error).partition("\n")[0]) from error
