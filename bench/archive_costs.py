"""What keeping an archive takes of a crawl: CPU, bytes, throughput, in pairs with and without, by turns.

    python bench/archive_costs.py PAIRS FOLDER SEEDS... [any option of 'minicrawl crawl' but --store and --archive]

Each crawl is a process of its own, with a store of its own, in FOLDER; they and their archives are left there. CPU is
that of the process and of its workers. Wire: bytes of the bodies as they came, and of the heads. Then the writer alone:
the answers of the last archive are read back and written again, with the CPU of that.
"""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from minicrawl.archive.collection import files
from minicrawl.archive.reading import records
from minicrawl.archive.writer import Answer, ArchiveWriter, Originals, Rules

TURNS = 5
"""Of the writer alone; the least counts."""
MOST = 4_000
_FACTS = {"software": "minicrawl", "format": "WARC File Format 1.1", "robots": "obey"}


class Crawled(NamedTuple):
    """One crawl. cpu, seconds: of all of it."""

    pages: int
    cpu: float
    seconds: float


def crawled(store: Path, words: list[str]) -> Crawled:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = [sys.executable, "-m", "minicrawl", "crawl", *words, "--store", str(store), "--json", "-q"]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Crawled(json.loads(done.stdout)["fetched"], cpu, time.monotonic() - began)


def answers(folder: Path) -> tuple[list[Answer], int]:
    """Answers of an archive as the crawl had them, and how many bytes those and their requests were."""
    found: list[Answer] = []
    for path in files(folder):
        reply = None
        for record in records(path):
            if record.kind in ("response", "revisit"):
                reply = record
            elif record.kind == "request" and reply is not None and reply.kind == "response":
                found.append(
                    Answer(
                        reply.url, reply.at, "127.0.0.1:80", record.block, reply.head, reply.status, reply.payload,
                        reply.media_type, reply.fields.get("warc-truncated"),
                    )
                )  # fmt: skip
            if len(found) == MOST:
                break
    return found, sum(len(one.request) + len(one.head) + len(one.body) for one in found)


def write_all(found: list[Answer]) -> tuple[float, int]:
    """CPU seconds and bytes of writing answers, in a folder that is in memory where there is one."""
    nothing = Originals(lambda _: None, lambda _: None)
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=place) as folder:
        writer = ArchiveWriter(Path(folder), "bench", Rules(10**9, True, _FACTS), nothing)
        began = time.process_time()
        for one in found:
            writer.write(one)
        cpu = time.process_time() - began
        writer.close()
        return cpu, sum(path.stat().st_size for path in files(Path(folder)))


def main(pairs: int, folder: Path, words: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    rows: list[tuple[Crawled, Crawled]] = []
    for number in range(pairs):
        both = {}
        for keeps in (True, False) if number % 2 else (False, True):
            name = f"{number}-{'with' if keeps else 'without'}"
            store, archive = folder / f"{name}.db", folder / f"{name}-archive"
            store.unlink(missing_ok=True)
            shutil.rmtree(archive, ignore_errors=True)
            both[keeps] = crawled(store, words + (["--archive", str(archive)] if keeps else []))
        rows.append((both[False], both[True]))
        for label, one in (("without", both[False]), ("with", both[True])):
            print(
                f"{label:<8}{one.pages:>7,} pages {1e6 * one.cpu / one.pages:>7.0f} us of CPU a page "
                f"{one.pages / one.seconds:>6.0f} pages a second",
                flush=True,
            )
    if rows:
        more = statistics.median(1e6 * (b.cpu / b.pages - a.cpu / a.pages) for a, b in rows)
        slower = statistics.median((b.pages / b.seconds) / (a.pages / a.seconds) - 1 for a, b in rows)
        print(f"median of {len(rows)} pairs: {more:+.0f} us of CPU a page, throughput {slower:+.1%}")
    last = sorted(folder.glob("*-archive"))[-1]
    found, wire = answers(last)
    measured = [write_all(found) for _ in range(TURNS)]
    cpu, size = min(measured)
    print(
        f"the writer alone, {len(found):,} answers of {wire / len(found):,.0f} bytes with their requests: "
        f"{1e6 * cpu / len(found):.0f} us of CPU each, {size / wire:.3f} bytes for each byte"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
