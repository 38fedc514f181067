"""Costs that bench/cluster_model.py takes as input, and the model beside real crawls.

    python bench/cluster_costs.py

Measured here are messages, reports and commits, which need no crawl. The crawls were measured by bench/messages.py.
"""

import asyncio
import contextlib
import json
import random
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from cluster_model import cost

CHECKED = {1: (32.7, 34.1, 0, 0, 0), 4: (51.1, 70.2, 474, 32_778, 3.05e6), 16: (91.5, 96.2, 3_916, 51_563, 4.71e6)}
"""By partitions: CPU s, wall s, messages, records and bytes of 4,000 pages of 39 sites, on a busy
machine (bench/messages.py). The records of a page of the model are those of the crawl in 4 partitions."""


def check(interval: float, pages: int = 4_000, sites: int = 39, hosts: int = 4_000) -> None:
    """Print the model beside real crawls, in which each partition is a process. interval: seconds of hand-overs."""
    print(f"hand-overs {interval} s apart; partitions, model / measured: messages, records, MB, CPU s")
    for parts, (cpu, wall, *measured) in CHECKED.items():
        rng = random.Random(1)
        home_of = [rng.randrange(parts) for _ in range(sites + hosts)]
        sites_of_pages = rng.choices(range(sites), [1 / (k + 1) for k in range(sites)], k=pages)
        pairs, records = set(), 0
        for number, site in enumerate(sites_of_pages):
            tick = int(number / pages * wall / interval)
            for _ in range(round(cost("records of a page") * 4 / 3)):  # 3 of 4 left their partition there
                to = home_of[rng.randrange(sites + hosts)]
                if to != home_of[site]:
                    pairs.add((tick, home_of[site], to))
                    records += 1
        spent = CHECKED[1][0] + (parts - 1) * cost("start of a worker, s")
        spent += records * cost("CPU of a record, sent and taken, s") + len(pairs) * cost("CPU of a message: unix, s")
        model = (len(pairs), records, records * cost("bytes of a record") / 1e6, spent)
        real = (*measured[:2], measured[2] / 1e6, cpu)
        print(f"{parts:>10}", *(f"{a:>14,.1f} / {b:,.1f}" for a, b in zip(model, real, strict=True)))


def measure() -> None:
    """Measure costs that need no crawl: CPU of both sides, s."""
    body = bytes(10_000)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, asyncio.CancelledError):
            while await reader.readexactly(len(body)):
                writer.write(b"\n")
        writer.close()

    async def messages(path: str, count: int) -> None:
        unix = await asyncio.start_unix_server(answer, path)
        tcp = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = tcp.sockets[0].getsockname()[1]
        streams = await asyncio.open_connection("127.0.0.1", port)
        for name in ("tcp, a connection that stays", "unix, a connection for each"):
            began = time.process_time()
            for _ in range(count):
                reader, writer = streams if name[0] == "t" else await asyncio.open_unix_connection(path)
                writer.write(body)
                await reader.readexactly(1)
                if name[0] == "u":
                    writer.close()
                    await writer.wait_closed()
            print(f"a message, {name}: {1e3 * (time.process_time() - began) / count:.3f} ms")
        streams[1].close()
        unix.close()
        tcp.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(messages(f"{folder}/post", 3_000))
        report = {f"figure {k}": [k * 1234567] * 5 for k in range(15)}
        _timed("a report", lambda: [json.loads(json.dumps(report)) for _ in range(2)])
        db = sqlite3.connect(Path(folder) / "store.db", isolation_level=None)
        db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (k INTEGER PRIMARY KEY, v)")

        def commit() -> None:
            db.execute("BEGIN")
            db.executemany("REPLACE INTO t VALUES (?, ?)", [(k, body[:100]) for k in range(20)])
            db.execute("COMMIT")

        _timed("a commit of 20 rows", commit)
        db.close()


def _timed(name: str, call: Callable[[], object], count: int = 1_000) -> None:
    began, wall = time.process_time(), time.monotonic()
    for _ in range(count):
        call()
    spent, took = (1e3 * (now - then) / count for now, then in ((time.process_time(), began), (time.monotonic(), wall)))
    print(f"{name}: {spent:.3f} ms of CPU, {took:.3f} ms")


if __name__ == "__main__":
    measure()
    for apart in (0.5, 1.6):  # the rule of young crawls; with the wait for confirmation, 1.08 s on average
        check(apart)
