"""The nodes of a Ray cluster: the only module that imports Ray.

The user runs the cluster by Ray's own means: `ray start`, KubeRay, a cloud's launcher. Partitions are in named actors,
as many a node as it has CPUs, on the node that has their stores. A node is known by its IP address, which Ray makes a
resource, "node:10.0.0.2": an actor that requires it waits while the node is away, and runs there again once it is
back, as a new node to Ray.

Ray restarts dead actors, and fails calls that it cannot deliver. Nothing else is left to Ray: it repeats no call, and
stores nothing. Actors are not detached, so they end with the command that has started them, also if it is killed.
"""

import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from itertools import cycle, islice
from pathlib import Path
from typing import Any, ParamSpec, TypeVar  # Any: messages

from minicrawl import installed
from minicrawl.cluster.folder import Folder
from minicrawl.cluster.machines.hosted import Call as AsyncCall
from minicrawl.cluster.machines.hosted import GoneError, Host, Machines
from minicrawl.cluster.new_store import make_store
from minicrawl.control.messages import Message
from minicrawl.errors import MinicrawlError, SettingError, StoreError
from minicrawl.store.partitions.agreement import Traffic, check_traffic, traffic_at
from minicrawl.store.partitions.folder import PartitionFolder, store_of

_A_BIT = 0.001
"""Amount of a node's resource per actor: a thousand actors fit on a node."""
_SECONDS = 120.0
"""Seconds until an actor must run on a reachable node."""
_CONNECT = 10.0
Call = Callable[..., Any]
"""Calls a method of an actor by name, and returns its result. Raises MinicrawlError."""
_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


class Remote:
    """Runs functions of minicrawl on another machine."""

    def call(self, function: Callable[_Given, _Answer], *given: _Given.args, **named: _Given.kwargs) -> _Answer:
        try:
            return function(*given, **named)
        except OSError as error:
            raise StoreError(f"{error.filename or 'a file'} cannot be used: {error.strerror or error}") from error


class Actor:
    """Calls the methods of an actor. Picklable, so that actors can call each other."""

    def __init__(self, handle: object) -> None:
        self._handle = handle

    async def __call__(self, method: str, *given: object) -> Message | None:
        from ray.exceptions import RayError  # noqa: PLC0415 - an extra

        try:
            answer: Message | None = await getattr(self._handle, method).remote(*given)
        except RayError as error:
            raise GoneError(str(error).partition("\n")[0]) from error
        return answer

    def kill(self) -> None:
        import ray  # noqa: PLC0415

        ray.kill(self._handle, no_restart=True)


class Line:
    """Calls the methods of an actor, and waits for each answer. Raises MinicrawlError."""

    def __init__(self, handle: object, node: str) -> None:
        self._handle, self._node = handle, node

    def __call__(self, method: str, *given: object) -> Any:
        return _answered(getattr(self._handle, method).remote(*given), self._node)


class Nodes:
    """The live nodes of the cluster. here: the node of this command."""

    def __init__(self) -> None:
        import ray  # noqa: PLC0415

        own = ray.get_runtime_context().get_node_id()
        self.here: str = next(node["NodeManagerAddress"] for node in ray.nodes() if node["NodeID"] == own)

    def names(self) -> Sequence[str]:
        """IP addresses of the nodes, this one first."""
        import ray  # noqa: PLC0415

        alive = {node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]}
        return [self.here, *sorted(alive - {self.here})]

    def make(self, folder: Folder) -> Folder:
        """Make the stores of a new crawl, round robin on all nodes. Returns the updated folder. Raises MinicrawlError.

        The folder of a store has the same path on its node.
        """
        path, nodes = folder.path.absolute(), {}
        calls: dict[str, Call] = {}
        for number, name in enumerate(islice(cycle(self.names()), folder.partitions)):
            if name not in calls:
                calls[name] = self._remote(name)
            calls[name]("call", make_at, path, folder.cluster, number, folder.partitions)
            if name != self.here:
                nodes[number] = name
        return replace(folder, nodes=nodes)

    def machines(self, folder: Folder, workers: int) -> Machines:
        """The processes of a crawl on its nodes. workers: on each; 0: one a CPU."""
        nodes, cpus = self._of(folder), self._cpus()

        def hosts(name: str) -> Sequence[AsyncCall]:
            count = min(workers or cpus.get(name, 1), nodes.count(name))
            return [
                Actor(_placed(Host, name, name=f"{folder.cluster} {name} {at}", max_restarts=-1)) for at in range(count)
            ]

        return Machines(nodes, hosts)

    def _cpus(self) -> Mapping[str, int]:
        """The CPUs of live nodes, as Ray counts them."""
        import ray  # noqa: PLC0415

        alive = (node for node in ray.nodes() if node["Alive"])
        return {node["NodeManagerAddress"]: max(int(node["Resources"].get("CPU", 1)), 1) for node in alive}

    def away(self, folder: Folder) -> Sequence[tuple[int, str]]:
        """Partitions on unreachable nodes, each with its node."""
        there = self.names()
        return [(number, name) for number, name in enumerate(self._of(folder)) if name not in there]

    def check_agreement(self, folder: Folder) -> None:
        """Raise StoreError for stores of different moments. Skipped if a node is away or a store is in use."""
        if self.away(folder):
            return
        names = self._of(folder)
        calls = {names[number]: self._remote(names[number]) for number in folder.begun}
        each: list[Traffic | None] = [
            calls[names[number]]("call", traffic_at, folder, number) for number in folder.begun
        ]
        if None not in each:
            check_traffic([one for one in each if one is not None])

    def asked(
        self, folder: PartitionFolder, numbers: Sequence[int], question: Callable[..., Any], *given: object
    ) -> list[Any]:
        """The answers of stores to a question, each where the store lies. Raises MinicrawlError, also where a node is
        away."""
        names, there = self._of(folder), self.names()
        if away := [names[number] for number in numbers if names[number] not in there]:
            raise StoreError(_away(away[0]))
        calls = {name: self._remote(name) for name in {names[number] for number in numbers}}
        return [calls[names[number]]("call", question, folder.store(number), *given) for number in numbers]

    def _of(self, folder: PartitionFolder) -> list[str]:
        return [folder.nodes.get(number, self.here) for number in range(folder.partitions)]

    def _remote(self, name: str) -> Call:
        """Make a `Remote` on a reachable node, and return its calls. Raises MinicrawlError, as each call does."""
        actor = _placed(Remote, name)
        _answered(actor.__ray_ready__.remote(), name, _SECONDS)
        return Line(actor, name)


@contextmanager
def connected(address: str) -> Iterator[Nodes]:
    """Connect to a cluster as a driver on one of its nodes, unless this process is. Raises SettingError, StoreError."""
    if find_spec("ray") is None:
        raise SettingError(f"several machines need Ray; run: {installed.adding('cluster')}")
    if "://" in address:
        raise SettingError(f"--ray takes auto or HOST:PORT, not {address}: run minicrawl on a node of the cluster")
    host, _, port = address.rpartition(":")
    try:
        if host and port.isdecimal():
            socket.create_connection((host, int(port)), _CONNECT).close()  # Ray itself would wait for minutes
    except (OSError, OverflowError) as error:
        raise StoreError(f"nobody listens at {address}; 'ray start --head' there starts a cluster") from error
    import ray  # noqa: PLC0415

    if ray.is_initialized():
        yield Nodes()
        return
    try:
        ray.init(address, log_to_driver=False, logging_level="CRITICAL")
    except Exception as error:  # Ray raises many types of errors for a failed connection
        why = str(error).partition("\n")[0]
        raise StoreError(f"no Ray cluster answers at {address}: {why}") from error
    try:
        yield Nodes()
    finally:
        ray.shutdown()


def make_at(path: Path, cluster: str, number: int, partitions: int) -> None:
    """Make the empty store of a partition in a folder of this machine, made if missing."""
    store = store_of(path, number)
    path.mkdir(parents=True, exist_ok=True)
    if store.exists():
        raise SettingError(f"{store} is there already, on a node of the cluster; name another folder with --store")
    make_store(store, cluster, number, partitions)


def _placed(kind: type, node: str, **options: object) -> Any:
    """Create an actor on a node; it waits while the node is away."""
    import ray  # noqa: PLC0415

    resources = {f"node:{node}": _A_BIT}
    return ray.remote(kind).options(num_cpus=0, resources=resources, max_task_retries=0, **options).remote()


def _answered(answer: Any, node: str, seconds: float | None = None) -> Any:
    """The result of a call. Raises MinicrawlError, also after `seconds` without an answer."""
    import ray  # noqa: PLC0415
    from ray.exceptions import RayError, RayTaskError  # noqa: PLC0415

    try:
        return ray.get(answer, timeout=seconds)
    except MinicrawlError as error:  # also an error of Ray, which holds a traceback
        raise getattr(error, "cause", error) from None
    except RayTaskError as error:
        raise StoreError(f"node {node} failed: {error.cause!r}; Ray's logs there say where") from error
    except RayError as error:
        raise StoreError(_away(node)) from error


def _away(node: str) -> str:
    return f"node {node} is away; start Ray there again as before, and repeat this"
