"""Actors, their keeper and everything are killed at random: the crawl stays polite and exact.

Requests have their times from where they leave. At the server they come closer together on a busy machine, by as much
as the first of two was held up on its way.
"""

import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle, pairwise
from pathlib import Path
from signal import SIGKILL
from threading import Condition

import pytest
from support.cluster_runs import check_same, folder_at, until
from support.gathered import sound_pages
from support.needs import needs
from support.patience import PATIENCE
from support.sites import rows
from support.small_web import Pages, WebServer

from minicrawl.cluster.exchange import home_of
from minicrawl.store.folder import found

HOSTS, PAGES, ADDRESSES, PARTITIONS = 20, 24, 5, 16
DELAY, OF_AN_ADDRESS = 0.6, 0.3
"""Seconds between two requests to a host, and to an address."""
SLEWED = 0.01
"""Seconds by which Unix time, which the crawl goes by, and the clock that notes may differ in one delay."""
KILLS = int(os.environ.get("MINICRAWL_KILLS", "5"))
AT_LEAST, AT_MOST = 20, 40
"""Requests between two kills: a partition that dies four times without fetching a page would end the crawl."""
NOTING = """
import os, time
from minicrawl.web.http.connection import Connection

ask, log = Connection.ask, os.open({log!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

async def noting(connection, request):
    host = request.partition(b"\\r\\nHost: ")[2].partition(b"\\r\\n")[0].decode()
    address = connection._transport.get_extra_info("peername")[0]
    os.write(log, f"{{host}} {{address}} {{time.monotonic()}}\\n".encode())
    await ask(connection, request)

Connection.ask = noting
"""
"""A sitecustomize.py, which Python imports when it starts, in worker processes too: notes each request as it leaves."""


@dataclass
class Witness:
    """A web of hosts on few addresses, whose pages link within their host and at random. `asked`: the host and the
    address of every request."""

    asked: list[tuple[str, str]] = field(default_factory=list)
    news: Condition = field(default_factory=Condition)
    ports: dict[str, int] = field(default_factory=dict)

    def page(self, host: int, page: int) -> str:
        rng = random.Random(host * PAGES + page)
        near = [f"/{other}" for other in (2 * page + 1, 2 * page + 2) if other < PAGES]
        far = [f"http://h{rng.randrange(HOSTS)}.test/{rng.randrange(PAGES)}" for _ in range(3)]
        links = "".join(f'<a href="{link}">{link}</a>' for link in near + far)
        return f"<title>{host} {page}</title>{links}<p>{[rng.random() for _ in range(9)]}"

    @property
    def rules(self) -> Sequence[str]:
        """Options that send each host to its address."""
        addresses = [f"127.0.0.{host % ADDRESSES + 2}" for host in range(HOSTS)]
        rules = (f"h{host}.test:80:{at}:{self.ports[at]}" for host, at in enumerate(addresses))
        return [word for rule in rules for word in ("--connect-to", rule)]

    @contextmanager
    def serving(self) -> Iterator["Witness"]:
        witness = self

        class Handler(Pages):
            def do_GET(self) -> None:  # noqa: N802 - the name that the server calls
                host = self.headers["Host"]
                with witness.news:
                    witness.asked.append((host, self.connection.getsockname()[0]))
                    witness.news.notify_all()
                path = self.path[1:]
                known = path.isdecimal() and int(path) < PAGES
                body = witness.page(int(host[1:].partition(".")[0]), int(path)) if known else ""
                self.answer(200 if known else 404, body.encode())

        with ExitStack() as stack:
            for at in (f"127.0.0.{number + 2}" for number in range(ADDRESSES)):
                self.ports[at] = stack.enter_context(WebServer((at, 0), Handler).serving())
            yield self

    def wait_for(self, requests: int, process: "subprocess.Popen[bytes]") -> None:
        """Until there were so many, or a process has ended."""
        with self.news:
            while len(self.asked) < requests and process.poll() is None:
                self.news.wait(1.0)


def begun(witness: Witness, store: Path, *words: str) -> "subprocess.Popen[bytes]":
    """A crawl, with its Ray in a session of its own."""
    plain = ["--allow-private", "--no-traps", "--no-sitemaps", "-q", *witness.rules]
    command = [sys.executable, "-m", "minicrawl", "crawl", "http://h0.test/0", "--store", str(store), *plain, *words]
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(store.parent), *sys.path])}
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, env=env, start_new_session=True)


def crawled_and_killed(witness: Witness, store: Path, rng: random.Random, kills: int) -> Counter[str]:
    """Crawl to the end. Returns how often an actor, the keeper and everything were killed."""
    words = ["--delay", str(DELAY), "--ip-delay", str(OF_AN_ADDRESS), "--workers", "2"]
    folder_at(store, PARTITIONS)
    killed, kinds = Counter[str](), cycle(("actor", "actor", "keeper", "actor", "all"))
    keeper = begun(witness, store, *words)
    try:
        while True:
            if killed.total() < kills:
                witness.wait_for(len(witness.asked) + rng.randint(AT_LEAST, AT_MOST), keeper)
            else:
                keeper.wait(PATIENCE)
            if keeper.poll() is not None:
                assert keeper.returncode == 0, f"the crawl has ended with {keeper.returncode}"
                return killed
            kind = next(kinds)
            killed[kind] += 1
            if kind == "actor":
                os.kill(rng.choice(until(store, keeper, bool))["pid"], SIGKILL)  # it may have just begun
                continue
            os.kill(keeper.pid, SIGKILL) if kind == "keeper" else os.killpg(keeper.pid, SIGKILL)
            keeper.wait()
            keeper = begun(witness, store, *words)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(keeper.pid, SIGKILL)
        keeper.wait()


def early(sent: Sequence[Sequence[str]]) -> list[str]:
    """Requests that left within the delay of the last one to the same host or address."""
    found: list[str] = []
    for at, least in ((0, DELAY), (1, OF_AN_ADDRESS)):
        by_time = sorted((line[at], float(line[2])) for line in sent)
        gaps = [(name, later - before) for (name, before), (other, later) in pairwise(by_time) if name == other]
        found += [f"{name}: {gap:.4f} s" for name, gap in gaps if gap < least - SLEWED]
    return found


@pytest.mark.slow
@needs("ray")
def test_a_crawl_whose_processes_are_killed_at_random_is_polite_and_exact(tmp_path: Path) -> None:
    log = tmp_path / "sent"
    with Witness().serving() as witness:
        assert begun(witness, tmp_path / "alone.db", "--delay", "0").wait() == 0
        witness.asked.clear()
        (tmp_path / "sitecustomize.py").write_text(NOTING.format(log=str(log)))
        killed = crawled_and_killed(witness, tmp_path / "web", random.Random(1), KILLS)
    assert killed.total() == KILLS
    sent = [line.split() for line in log.read_text().splitlines()]
    assert Counter(witness.asked) <= Counter((host, address) for host, address, _ in sent)
    assert early(sent) == []
    folder = found(tmp_path / "web")
    for number in range(PARTITIONS):
        query = "SELECT url FROM pages WHERE fetch IS NOT NULL UNION SELECT origin FROM robots"
        homes = {home_of(url, folder) for (url,) in rows(folder.store(number), query)}
        assert homes <= {number}, "a host is asked by its home alone"
    together, alone = sound_pages(folder.path), sound_pages(tmp_path / "alone.db")
    check_same(together, alone)
    assert list(together)[:100] == list(alone)[:100]


@pytest.mark.slow
@needs("ray")
def test_a_crawl_killed_at_its_birth_goes_on_by_the_same_command(tmp_path: Path) -> None:
    store, words = tmp_path / "web", ("--partitions", "3", "--workers", "2", "--delay", "0")
    births: list[Callable[[], object]] = [
        (store / "cluster.json").exists,
        (store / "000.db").exists,
        lambda: found(store).settings,
    ]
    with Witness().serving() as witness:
        assert begun(witness, tmp_path / "alone.db", "--delay", "0").wait() == 0
        for is_born in births:
            keeper = begun(witness, store, *words)
            while not is_born():
                assert keeper.poll() is None
                time.sleep(0.005)
            os.killpg(keeper.pid, SIGKILL)
            keeper.wait()
        assert begun(witness, store, *words).wait() == 0
    check_same(sound_pages(store), sound_pages(tmp_path / "alone.db"))
