"""A long crawl, looked at from outside every few seconds: is it flat?

    python bench/soak.py PAGES TABLE.csv PICTURE.svg [any option of 'minicrawl crawl' but --store, --pages ...]

Crawls PAGES pages of a web that is made up (made_up.py): 400 hosts, two new URLs a page, politeness off. Writes
seconds, pages fetched, known URLs, pages a second since the last sample, CPU per page since then, resident memory,
the same per known URL in bytes, open files, and the size of the store and of its write-ahead log.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from made_up import MadeUpWeb
from matplotlib import pyplot as plt

from minicrawl.errors import StoreError
from minicrawl.store.reader import open_store

_EVERY = 5.0
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Sample:
    """The crawl at one moment."""

    seconds: float
    fetched: int
    known: int
    pages_per_second: float
    cpu_us_per_page: float
    memory_mb: float
    memory_per_known: float
    files: int
    store_mb: float
    wal_mb: float


def run(pages: int, table: Path, picture: Path, options: list[str]) -> None:
    web = MadeUpWeb(hosts=400, children=2)
    samples: list[Sample] = []
    with tempfile.TemporaryDirectory() as folder:
        store, seeds = Path(folder) / "soak.db", Path(folder) / "seeds.txt"
        seeds.write_text("\n".join(web.seeds))
        command = [sys.executable, "-m", "minicrawl", "crawl", str(seeds), "--store", str(store), "--pages", str(pages)]
        command += ["--connect-to", f"::127.0.0.1:{web.port}", "--allow-private", "--delay", "0", "-q", *options]
        started = time.monotonic()
        crawl = subprocess.Popen(command)
        cpu = 0.0
        while crawl.poll() is None:
            time.sleep(_EVERY)
            if crawl.poll() is None and store.exists():
                last = samples[-1] if samples else None
                sample, cpu = _sample(crawl.pid, store, time.monotonic() - started, last, cpu)
                if sample is not None:
                    samples.append(sample)
    web.end()
    with table.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(field.name for field in fields(Sample))
        rows.writerows(astuple(sample) for sample in samples)
    _draw(samples, picture)
    print(f"{samples[-1].fetched:,} pages; see {table} and {picture}")


def _sample(pid: int, store: Path, seconds: float, last: Sample | None, cpu: float) -> tuple[Sample | None, float]:
    process = Path(f"/proc/{pid}")
    try:
        with open_store(store) as reader:
            known, fetched = reader.size(), int(reader.meta_json("run").get("fetched", 0))
        status = process.joinpath("stat").read_text().rpartition(")")[2].split()
        files = len(list(process.joinpath("fd").iterdir()))
        memory = int(process.joinpath("statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        wal = Path(f"{store}-wal")
        sizes = store.stat().st_size / 1e6, (wal.stat().st_size if wal.exists() else 0) / 1e6
    except (StoreError, OSError, json.JSONDecodeError):
        return None, cpu  # it begins, or it has just ended
    now = (int(status[11]) + int(status[12])) / _TICKS
    new = fetched - (last.fetched if last else 0)
    if not new:
        return None, cpu
    return (
        Sample(
            round(seconds, 1),
            fetched,
            known,
            round(new / (seconds - (last.seconds if last else 0.0)), 1),
            round(1e6 * (now - cpu) / new),
            round(memory / 1e6, 1),
            round(memory / max(known, 1)),
            files,
            round(sizes[0], 1),
            round(sizes[1], 1),
        ),
        now,
    )


def _draw(samples: list[Sample], picture: Path) -> None:
    shown = ("pages_per_second", "cpu_us_per_page", "memory_mb", "memory_per_known", "files", "wal_mb")
    figure, panels = plt.subplots(3, 2, sharex=True, figsize=(9, 8), layout="constrained")
    for panel, name in zip(panels.flat, shown, strict=True):
        panel.plot([sample.fetched for sample in samples], [getattr(sample, name) for sample in samples])
        panel.set_title(name.replace("_", " "))
        panel.set_ylim(bottom=0)
        panel.set_xlabel("pages fetched")
    figure.savefig(picture, format="svg")


if __name__ == "__main__":
    run(int(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:])
