"""A machine is lost with its disk, in the middle of a crawl: replicas go on, and find what one process finds."""

import subprocess
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import closing
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import pytest
from support.cluster_folders import some_folder
from support.cluster_runs import crawled_alone
from support.command_line import run
from support.machine_calls import called
from support.ray_machines import AT_ONCE, HEAD, OTHER, SLOWLY, THIRD, CrawlOfDisks, Ray, kill, processes_of, served
from support.replicated import dump

from minicrawl.cluster.folder import Folder, found
from minicrawl.cluster.machines.carrying import Call, Remote
from minicrawl.cluster.machines.replicating import Lines, Replicas, Shipping, taken_over
from minicrawl.cluster.running.brief import Brief
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.errors import StoreError
from minicrawl.settings import CrawlSettings
from minicrawl.store.partitions.folder import Place
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer

T = TypeVar("T")
DELAY = float(SLOWLY)
EARLY = 0.8
"""Part of a delay: two requests may be handled by the server that much closer to one another than they were sent."""


class Disk:
    """The replicas of a machine, on a disk of its own: a store of any path is in one folder there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.is_there = True
        self.asked: list[str] = []
        self.after: dict[str, Callable[[], None]] = {}
        """What happens after a method was called."""
        self._call = called(Replicas())

    def __call__(self, method: str, *given: object) -> object:
        if not self.is_there:
            raise StoreError("the machine is away")
        function = getattr(given[0], "__name__", method) if given else method
        self.asked.append(function)
        answer = self._call(method, *(self.path / one.name if isinstance(one, Path) else one for one in given))
        self.after.get(method, lambda: None)()
        return answer


class AtOnce(Executor):
    """Copies before a commit goes on, so that tests need not wait."""

    def submit(self, function: Callable[..., T], /, *given: object, **named: object) -> "Future[T]":
        done: Future[T] = Future()
        try:
            done.set_result(function(*given, **named))
        except StoreError as error:
            done.set_exception(error)
        return done


@dataclass
class Machines:
    """Partition 1 of a crawl is on alpha; beta and gamma may have its replica."""

    folder: Folder
    disks: dict[str, Disk]
    first: Call = field(default_factory=lambda: called(Remote()))

    @property
    def lines(self) -> Lines:
        return Lines(self.disks, self.first, "alpha", self.alive)

    @property
    def place(self) -> Place:
        return found(self.folder.path).places[1]

    def alive(self) -> list[str]:
        return ["alpha", *(name for name, disk in self.disks.items() if disk.is_there)]

    def shipped(self, writer: Writer) -> Shipping:
        """What is called after each commit, for a process of the partition that has just begun."""
        brief = Brief(found(self.folder.path), 1, CrawlSettings(), Seeds([]))
        return Shipping(writer, brief, lambda: self.lines, AtOnce(), apart=0.0)


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    folder = some_folder(tmp_path / "web").keep_replicas(1)
    return Machines(folder, {name: Disk(tmp_path / name) for name in ("beta", "gamma")})


@pytest.fixture
def writer(machines: Machines) -> Iterator[Writer]:
    with closing(Writer(machines.folder.stores[1])) as writer, machines.shipped(writer):
        yield writer


def commit(writer: Writer, value: int) -> None:
    with writer.transaction():
        writer.save_meta({"value": value})


def test_replica_is_made_on_the_next_machine_and_elsewhere_when_that_is_away(
    machines: Machines, writer: Writer
) -> None:
    beta, gamma = machines.disks.values()
    assert machines.place.replica == "beta"
    beta.is_there = False
    commit(writer, 1)
    assert machines.place.replica == "gamma"
    gamma.is_there = False
    commit(writer, 2)
    assert machines.place.replica is None, "it goes on without"
    beta.is_there = gamma.is_there = True
    commit(writer, 3)
    assert machines.place.replica == "beta"
    wanted = dump(writer.path)
    assert taken_over(machines.folder.path, 1, machines.lines)
    assert machines.place == Place(str(writer.path.parent), 1, "beta")
    assert dump(beta.path / "001.db") == wanted


def test_process_that_begins_again_goes_on_with_the_replica_that_counts(machines: Machines, writer: Writer) -> None:
    commit(writer, 1)
    beta = machines.disks["beta"]
    before = beta.asked.count("digests")
    with machines.shipped(writer):
        commit(writer, 2)
        assert (machines.place.replica, beta.asked.count("digests")) == ("beta", before), "nothing is copied again"


def test_replica_is_made_where_the_partition_is_to_move(machines: Machines) -> None:
    """Also where no replicas are wanted: then there is none before, and none counts in the next run."""
    folder = machines.folder.keep_replicas(0)
    with closing(Writer(folder.store(1))) as writer:
        with machines.shipped(writer) as shipping:
            commit(writer, 1)
            assert (machines.place.replica, machines.disks["gamma"].asked) == (None, [])
            shipping.ship_to("gamma")
            commit(writer, 2)
            assert machines.place.replica == "gamma"
        with machines.shipped(writer):
            assert machines.place.replica is None
        with machines.shipped(writer) as shipping:
            shipping.ship_to("gamma")
            commit(writer, 3)
        wanted = dump(writer.path)
    assert taken_over(folder.path, 1, machines.lines)
    assert machines.place == Place(str(folder.store(1).parent), 1, "gamma")
    assert dump(machines.disks["gamma"].path / "001.db") == wanted


def test_partition_whose_replica_took_over_cannot_go_on(machines: Machines, writer: Writer) -> None:
    commit(writer, 1)
    assert taken_over(machines.folder.path, 1, machines.lines)
    for value in (2, 3):
        with pytest.raises(StoreError, match="partition 1 has changed its place"):
            commit(writer, value)
    with open_store(machines.disks["beta"].path / "001.db") as store:
        assert (store.meta("value"), store.meta("generation")) == (1, 1)
    assert not taken_over(machines.folder.path, 1, machines.lines), "the new one has no replica yet"


def test_replica_does_not_take_over_from_a_partition_that_went_on_without(machines: Machines, writer: Writer) -> None:
    """The partition says so just before its place is to change: its store stays the partition."""
    beta = machines.disks["beta"]

    def go_on_without() -> None:
        beta.is_there = False
        commit(writer, 2)
        beta.is_there = True

    commit(writer, 1)
    machines.disks["gamma"].is_there = False
    beta.after["take_over"] = go_on_without
    with pytest.raises(StoreError, match="partition 1 has changed its place"):
        taken_over(machines.folder.path, 1, machines.lines)
    assert (machines.place.replica, machines.place.generation) == (None, 0)
    assert not (beta.path / "001.db").exists()
    commit(writer, 3)
    assert machines.place.replica == "beta"


def test_store_that_comes_back_is_removed_when_its_machine_is_to_have_the_replica(
    machines: Machines, writer: Writer, tmp_path: Path
) -> None:
    assert taken_over(machines.folder.path, 1, machines.lines)
    old = Replicas()
    there = machines.disks["beta"].path / "001.db"
    left = tmp_path / "old" / "001.db"
    left.parent.mkdir()
    left.write_bytes(there.read_bytes())
    with closing(Writer(left)) as stale, stale.transaction():
        stale.save_meta({"generation": 0})
    assert old.begin(left, "a session", 1) is None
    assert not left.exists()


@pytest.mark.parametrize("parts", [(), ("--partitions", "2")])
def test_one_machine_has_no_replicas(parts: tuple[str, ...], tmp_path: Path) -> None:
    result = run("crawl", "http://a.test/", *parts, "--replicas", "1", "--store", tmp_path / "web")
    assert (result.exit_code, "--replicas keeps copies on other machines" in result.stderr) == (2, True)
    assert not (tmp_path / "web").exists()


@pytest.mark.slow
@pytest.mark.xdist_group("ray")
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'minicrawl[cluster]'")
@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="a node's disk is where its processes run")
def test_lost_machines_are_replaced_by_replicas(tmp_path: Path) -> None:
    """Two of three, one after the other: the second has the replica that took over from the first, and made another."""
    alone = crawled_alone(tmp_path / "alone.db")
    asked: list[tuple[float, str]] = []
    ray = Ray(disks=tmp_path / "disks")
    try:
        ray.start(HEAD, OTHER, THIRD)
        with served(lambda url: asked.append((time.monotonic(), url))) as port:
            crawl = CrawlOfDisks(ray=ray, port=port)
            with crawl.start(SLOWLY, "--partitions", "3", "--ray", ray.address, "--replicas", "1") as driver:
                try:
                    while not (crawl.first / "cluster.json").exists():
                        time.sleep(0.1)
                    crawl.wait_for([1, 1, 1], driver)
                    kill([*processes_of(ray.sessions, "ray::Replicas"), ray.hosts()[0]])
                    crawl.wait_for([1, 1, 1], driver)
                    seconds = []
                    for name in (OTHER, THIRD):
                        while any(place.replica is None for place in crawl.places()):
                            time.sleep(0.1)
                        crawl.wait_for([1, 1, 1], driver)
                        crawl.lose(name)
                        began = time.monotonic()
                        while any(name == place.machine for place in crawl.places()):
                            assert driver.poll() is None, "the crawl has ended"
                            time.sleep(0.1)
                        seconds.append(time.monotonic() - began)
                        if name == OTHER:
                            crawl.wait_for([1, 1, 1], driver)
                    assert max(seconds) < 60, seconds
                    slowly = len(asked)
                    crawl.answer("control", "set", f"delay={AT_ONCE}")
                    assert driver.wait(timeout=400) == 0
                finally:
                    driver.kill()
        crawl.compare(alone)
        assert [place.machine for place in crawl.places()] == [None, None, None]
        assert sum(place.generation for place in crawl.places()) >= 2
        times = Counter(url for _, url in asked if not url.endswith("/robots.txt"))
        assert max(times.values()) <= 4, "asked again at most once for each death"
        of_host: dict[str, list[float]] = defaultdict(list)
        for at, url in asked[:slowly]:
            of_host[url.split("/")[2]].append(at)
        gaps = sorted(after - before for each in of_host.values() for before, after in pairwise(each))
        assert gaps[0] >= EARLY * DELAY
    finally:
        left = ray.stop()
    assert left == []


@pytest.mark.slow
@pytest.mark.xdist_group("ray")
@pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed: pip install 'minicrawl[cluster]'")
@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="a node's disk is where its processes run")
def test_machine_that_joins_gets_partitions_and_one_that_leaves_gives_its_own_away(tmp_path: Path) -> None:
    alone = crawled_alone(tmp_path / "alone.db")
    ray = Ray(disks=tmp_path / "disks")
    try:
        ray.start(HEAD, OTHER)
        with served() as port:
            crawl = CrawlOfDisks(ray=ray, port=port)
            with crawl.start(SLOWLY, "--partitions", "6", "--ray", ray.address) as driver:
                try:
                    while not (crawl.first / "cluster.json").exists():
                        time.sleep(0.1)
                    until_read(6, crawl, driver)
                    ray.start(THIRD)
                    until(lambda: any(place.machine == THIRD for place in crawl.places()), driver)
                    until_read(6, crawl, driver)
                    left = crawl.answer("control", "leave", OTHER)
                    assert left["machine"] == OTHER
                    until(lambda: all(place.machine != OTHER for place in crawl.places()), driver)
                    crawl.lose(OTHER)
                    until_read(6, crawl, driver)
                    crawl.answer("control", "set", f"delay={AT_ONCE}")
                    assert driver.wait(timeout=240) == 0
                finally:
                    driver.kill()
        crawl.compare(alone)
        best = [page["url"] for page in crawl.answer("top", "--n", "100", "--by", "importance")]
        assert best == [page.url for page in alone.values() if page.url in best]
        assert len(best) == 100
        assert crawl.answer("check")["problems"] == []
    finally:
        left_behind = ray.stop()
    assert left_behind == []


def until(is_so: Callable[[], bool], driver: "subprocess.Popen[bytes]") -> None:
    while not is_so():
        assert driver.poll() is None, "the crawl has ended"
        time.sleep(0.1)


def until_read(more: int, crawl: CrawlOfDisks, driver: "subprocess.Popen[bytes]") -> None:
    aim = sum(crawl.read()) + more
    until(lambda: sum(crawl.read()) > aim, driver)
