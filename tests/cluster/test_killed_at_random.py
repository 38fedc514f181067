"""Processes and their keeper are killed at random: the crawl stays polite and exact."""

import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from itertools import count, pairwise
from os import kill
from pathlib import Path
from signal import SIGKILL
from threading import Condition, Event, Thread
from typing import NamedTuple

import pytest
from support.cluster_runs import check_same, folder_at, ranked_pages
from support.patience import PATIENCE
from support.small_web import Pages, WebServer

from minicrawl.analysis.consistency import all_violations
from minicrawl.cluster.folder import found
from minicrawl.store.reader import open_store

HOSTS, PAGES, ADDRESSES, PARTITIONS = 20, 24, 5, 16
DELAY, OF_AN_ADDRESS = 0.6, 0.3
"""Seconds between two requests to a host, and to an address."""
KILLS = 8
AT_LEAST, AT_MOST = 20, 40
"""Requests between two kills: a partition that dies four times without fetching a page would end the crawl."""
BEAT = 0.02
"""Seconds after which the witness looks how late it is."""


class Asked(NamedTuple):
    host: str
    address: str
    at: float


@dataclass
class Witness:
    """A web of hosts on few addresses, whose pages link within their host and at random; it notes every request.

    beats: when it has looked at the clock, and how much later than it was to.
    """

    asked: list[Asked] = field(default_factory=list)
    beats: list[tuple[float, float]] = field(default_factory=list)
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
                    witness.asked.append(Asked(host, self.connection.getsockname()[0], time.monotonic()))
                    witness.news.notify_all()
                path = self.path[1:]
                known = path.isdecimal() and int(path) < PAGES
                body = witness.page(int(host[1:].partition(".")[0]), int(path)) if known else ""
                self.answer(200 if known else 404, body.encode())

        over = Event()

        def beat() -> None:
            due = time.monotonic() + BEAT
            while not over.wait(BEAT):
                now = time.monotonic()
                self.beats.append((now, max(now - due, 0.0)))
                due = now + BEAT

        with ExitStack() as stack:
            beating = Thread(target=beat)
            beating.start()
            for end in (beating.join, over.set):
                stack.callback(end)
            for at in (f"127.0.0.{number + 2}" for number in range(ADDRESSES)):
                server = WebServer((at, 0), Handler)
                self.ports[at] = server.server_port
                thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
                thread.start()
                for end in (server.server_close, thread.join, server.shutdown):
                    stack.callback(end)
            yield self

    def late(self, at: float) -> float:
        """How long before that moment a request may have come that it has noted then."""
        return max((late for when, late in self.beats if when - late <= at <= when + 1.0), default=0.0)

    def wait_for(self, requests: int, process: "subprocess.Popen[bytes]") -> None:
        """Until there were so many, or a process has ended."""
        with self.news:
            while len(self.asked) < requests and process.poll() is None:
                self.news.wait(1.0)


def begun(witness: Witness, store: Path, *words: str) -> "subprocess.Popen[bytes]":
    plain = ["--allow-private", "--no-traps", "--no-sitemaps", "--no-traps", "-q", *witness.rules]
    command = [sys.executable, "-m", "minicrawl", "crawl", "http://h0.test/0", "--store", str(store), *plain, *words]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL)


def children(process: "subprocess.Popen[bytes]") -> Sequence[int]:
    with suppress(OSError):
        return list(map(int, Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()))
    return []


def crawled_and_killed(witness: Witness, store: Path, rng: random.Random, kills: int) -> tuple[int, int]:
    """Crawl to the end. Returns how many processes and keepers were killed."""
    words = ["--delay", str(DELAY), "--ip-delay", str(OF_AN_ADDRESS)]
    folder_at(store, PARTITIONS, make=lambda drawn: drawn)
    processes = keepers = 0
    keeper = begun(witness, store, "--workers", "2", *words)
    try:
        for number in count():
            if processes + keepers < kills:
                witness.wait_for(len(witness.asked) + rng.randint(AT_LEAST, AT_MOST), keeper)
            else:
                keeper.wait(PATIENCE)
            if keeper.poll() is not None:
                assert keeper.returncode == 0, f"the crawl has ended with {keeper.returncode}"
                break
            if number % 3 == 2:
                keeper.kill()
                keeper.wait()
                keepers += 1
                keeper = begun(witness, store, *words)
            elif some := children(keeper):
                with suppress(ProcessLookupError):
                    kill(rng.choice(some), SIGKILL)
                    processes += 1
    finally:
        keeper.kill()
        keeper.wait()
    return processes, keepers


def early(witness: Witness) -> list[str]:
    """Requests that came after half of the delay to the same host or address, or earlier.

    A request may take long to come here, as long as this process is late itself, which makes the gap behind it seem
    short; clocks that a kill has lost would show at any gap.
    """
    found: list[str] = []
    for name, least in (("host", DELAY), ("address", OF_AN_ADDRESS)):
        times: dict[str, list[float]] = {}
        for asked in witness.asked:
            times.setdefault(getattr(asked, name), []).append(asked.at)
        for key, some in times.items():
            short = [pair for pair in pairwise(sorted(some)) if pair[1] - pair[0] <= least / 2]
            gaps = [later - earlier + witness.late(earlier) for earlier, later in short]
            found += [f"{key}: {gap:.4f} s" for gap in gaps if gap <= least / 2]
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells the children of a process")
def test_a_crawl_whose_processes_are_killed_at_random_is_polite_and_exact(tmp_path: Path) -> None:
    with Witness().serving() as witness:
        assert begun(witness, tmp_path / "alone.db", "--delay", "0").wait() == 0
        witness.asked.clear()
        processes, keepers = crawled_and_killed(witness, tmp_path / "web", random.Random(1), KILLS)
    assert min(processes, keepers) >= 2
    assert early(witness) == []
    with open_store(tmp_path / "alone.db") as reader:
        alone = {page.url: page for page in reader.pages("importance")}
    with found(tmp_path / "web").opened() as stores:
        assert list(all_violations(stores)) == []
        together = {page.url: page for page in ranked_pages(stores)}
    check_same(together, alone)
    assert list(together)[:100] == list(alone)[:100]
