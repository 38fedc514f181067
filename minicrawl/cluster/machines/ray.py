"""The machines that share a crawl, as Ray has them: the only module that imports Ray.

A machine is a node of Ray with a resource of its name. So what is to run there waits while the machine is away, and
runs there again when it has come back, which Ray knows as another node by then. Ray starts a host again that has died,
and fails calls that it cannot bring; nothing else is left to it: it repeats no call, and keeps nothing.

Ray listens on 127.0.0.1 alone where that is the machine's address. Anywhere else its processes listen on all addresses
of the machine; whoever calls them needs the token.
"""

import os
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import cycle, islice
from typing import Any  # Any: JSON

from minicrawl.cluster.folder import Folder, Place, store_of
from minicrawl.cluster.machines.carrier import Carrier
from minicrawl.cluster.machines.carrying import Carriers
from minicrawl.cluster.machines.host import FOLDER, Host
from minicrawl.cluster.machines.hosted import GoneError, Hosted
from minicrawl.cluster.machines.machine import Machine
from minicrawl.cluster.machines.reading import Call, Reader, StoreElsewhere, away
from minicrawl.cluster.new_store import make_store
from minicrawl.cluster.running.processes import Start
from minicrawl.cluster.running.worker import Brief
from minicrawl.control.messages import Message, answer_of
from minicrawl.errors import StoreError

_RESOURCE, _MOST_HOSTS = "minicrawl-", 10_000
_SECONDS = 120.0
"""Until something runs on a machine that is there."""
_GRACE = 10.0
"""For a process to end by itself."""
_MEMORY = 128 * 2**20
"""Bytes of a machine for messages that wait."""


class RayNode:
    """Ray's processes on this machine; they end with this process, too."""

    def __init__(self, machine: Machine) -> None:
        _prepare(machine)
        os.environ[FOLDER] = machine.folder
        from ray._private.node import Node  # noqa: PLC0415 - the environment first
        from ray._private.parameter import RayParams  # noqa: PLC0415

        head: dict[str, object] = {"gcs_server_port": int(machine.head.rpartition(":")[2])} if machine.is_head else {}
        params = RayParams(
            node_ip_address=machine.address,
            num_cpus=0,
            resources={_RESOURCE + machine.name: _MOST_HOSTS},
            object_store_memory=_MEMORY,
            temp_dir=machine.place,
            include_dashboard=False,
            include_log_monitor=False,
            no_monitor=True,
            min_worker_port=0,
            max_worker_port=0,
            **(head or {"gcs_address": machine.head}),
        )
        self._node = Node(params, head=machine.is_head, shutdown_at_exit=True, spawn_reaper=True)

    def is_whole(self) -> bool:
        return not self._node.dead_processes()

    def end(self) -> None:
        import psutil  # noqa: PLC0415 - Ray brings it

        ours = psutil.Process().children(recursive=True)
        self._node.kill_all_processes(check_alive=False, allow_graceful=True, wait=True)
        _, left = psutil.wait_procs(ours, timeout=_GRACE)  # some see only that their parent has gone
        for process in left:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(left, timeout=_GRACE)


class Actor:
    """A host, as Ray calls it. Picklable, so that hosts can call each other."""

    def __init__(self, handle: object) -> None:
        self._handle = handle

    async def __call__(self, what: str, *given: object) -> Message | None:
        from ray.exceptions import RayError  # noqa: PLC0415 - needed where there is Ray

        try:
            answer: Message | None = await getattr(self._handle, what).remote(*given)
        except RayError as error:
            raise GoneError(str(error).partition("\n")[0]) from error
        return answer

    def kill(self) -> None:
        import ray  # noqa: PLC0415

        ray.kill(self._handle, no_restart=True)


class Machines:
    """All machines that are there, to a command that runs on one of them, `here`."""

    def __init__(self, here: Machine) -> None:
        self.here = here

    def names(self) -> Sequence[str]:
        """This one first."""
        import ray  # noqa: PLC0415

        there = {
            resource.removeprefix(_RESOURCE)
            for node in ray.nodes()
            if node["Alive"]
            for resource in node["Resources"]
            if resource.startswith(_RESOURCE)
        }
        return [self.here.name, *sorted(there - {self.here.name})]

    def make(self, folder: Folder) -> Folder:
        """Make the stores of a new crawl, shared out over all machines by turns; the folder with their places.

        Raises MinicrawlError.
        """
        import ray  # noqa: PLC0415

        names = list(islice(cycle(self.names()), folder.homes.partitions))
        places = []
        for number, name in enumerate(names):
            if name == self.here.name:
                make_store(store_of(folder.path, number), folder.cluster, number, folder.homes.partitions)
                places.append(Place())
                continue
            host = _placed(Host, name)
            making = host.make.remote(folder.cluster, number, folder.homes.partitions)
            made = _answered(making, name, _SECONDS)
            ray.kill(host)
            places.append(Place(str(made["folder"]), machine=name))
        return replace(folder, places=tuple(places))

    def start(self, folder: Folder) -> Start:
        """Lets partitions of a crawl run where their stores are."""
        names = [place.machine or self.here.name for place in folder.places]
        calls = [Actor(_placed(Host, name, max_restarts=-1)) for name in names]

        async def start(brief: Brief) -> Hosted:
            return Hosted(calls[brief.number], brief, calls, names[brief.number])

        return start

    def away(self, folder: Folder) -> Sequence[tuple[int, str]]:
        """Partitions of a crawl whose machines are not there, each with its machine."""
        there = self.names()
        machines = [place.machine or self.here.name for place in folder.places]
        return [(number, name) for number, name in enumerate(machines) if name not in there]

    def stores(self, folder: Folder) -> Sequence[StoreElsewhere]:
        """Those of a crawl, to be read where they are. Raises StoreError where one of them is not there."""
        folder = replace(folder, path=folder.path.absolute())
        names = [place.machine or self.here.name for place in folder.places]
        self._check_there(names)
        readers = {name: _called(Reader, name) for name in names}
        return [StoreElsewhere(readers[name], folder, number) for number, name in enumerate(names)]

    def carriers(self, folder: Folder, *others: str) -> Carriers:
        """What copies stores: of this machine, those that have partitions, and others. Raises StoreError where one of
        them is not there."""
        names = {*folder.machines, *others}
        self._check_there(names)
        return {None: _called(Carrier, self.here.name), **{name: _called(Carrier, name) for name in names}}

    def _check_there(self, names: Collection[str]) -> None:
        there = self.names()
        for name in sorted(names):
            if name not in there:
                raise StoreError(away(name))


@contextmanager
def connected(here: Machine) -> Iterator[Machines]:
    """All machines, to a command on this one. Raises StoreError where Ray does not answer."""
    _prepare(here)
    import ray  # noqa: PLC0415 - the environment first
    from ray._private import worker  # noqa: PLC0415

    worker._worker_logs_enabled = False  # it would print that a host has died, as we do, on standard output
    try:
        ray.init(here.head, _node_ip_address=here.address, log_to_driver=False, logging_level="CRITICAL")
    except Exception as error:
        why = str(error).partition("\n")[0]
        raise StoreError(f"the first machine, {here.head}, does not answer: {why}") from error
    try:
        yield Machines(here)
    finally:
        ray.shutdown()


def _placed(kind: type, name: str, **options: int) -> Any:
    """One of that class on a machine, which has a process of its own; it waits for the machine where that is away."""
    import ray  # noqa: PLC0415

    resources = {_RESOURCE + name: 1}
    return ray.remote(kind).options(num_cpus=0, resources=resources, max_task_retries=0, **options).remote()


def _called(kind: type, name: str) -> Call:
    """One of that class on a machine that is there. Raises StoreError where it does not begin."""
    import ray  # noqa: PLC0415

    there = _placed(kind, name)
    try:
        ray.get(there.__ray_ready__.remote(), timeout=_SECONDS)
    except ray.exceptions.RayError as error:
        raise StoreError(away(name)) from error

    def call(what: str, *given: object) -> Any:
        return _answered(getattr(there, what).remote(*given), name)["it"]

    return call


def _answered(answer: Any, name: str, seconds: float | None = None) -> Message:
    """What was called answers on a machine. Raises MinicrawlError, also where nothing comes for so long."""
    import ray  # noqa: PLC0415

    try:
        return answer_of(ray.get(answer, timeout=seconds))
    except ray.exceptions.RayError as error:
        raise StoreError(away(name)) from error


def _prepare(machine: Machine) -> None:
    """What Ray reads from the environment as it is imported, and hands on to what it starts."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0" if machine.is_loopback else "1"  # 0: loopback alone
    os.environ["RAY_AUTH_MODE"] = "token"
    os.environ["RAY_AUTH_TOKEN"] = machine.token
