"""The cost of small questions to a large store.

    python bench/reading.py [SIZE] [--store FILE]

A store of SIZE known URLs (a million) is made as `bench/frontier.py` makes it, its places are written down as at the
end of a run, and every question is put to it in a process of its own: six times, the first to load what it needs.
Printed is the median of the other five, and the most.
"""

import argparse
import random
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner
from frontier import fill

from minicrawl.cli import main as minicrawl
from minicrawl.crawler.intake import Intake
from minicrawl.opic import STRATEGIES
from minicrawl.settings import CrawlSettings
from minicrawl.store.reader import open_store
from minicrawl.store.writer import Writer


def ended(path: Path) -> None:
    """End a run on the store at `path`."""
    writer = Writer(path)
    intake = Intake(writer, CrawlSettings(), STRATEGIES["greedy"], 2e9)
    intake.start([], 2e9)
    started = time.monotonic()
    intake.commit({"settings": CrawlSettings().to_json(Path())}, ranks=True)
    print(f"places written down in {time.monotonic() - started:.2f} s")
    writer.close()


def asked(path: Path, question: str) -> None:
    """Put one question to the store, and print what it took."""

    def ask(*words: str) -> None:
        answer = CliRunner().invoke(minicrawl, [*words, "--store", str(path)])
        assert answer.exit_code == 0, answer.output

    def view() -> None:
        db = sqlite3.connect(path)
        assert len(db.execute("SELECT * FROM ranks LIMIT 10").fetchall()) == 10
        db.close()

    with open_store(path) as store:
        size = store.size()
        pages = iter([store.page_table.url(random.Random(7).randrange(size)) for _ in range(6)])
        best = iter([page.url for page in list(store.pages(n=6))])
    questions: dict[str, Callable[[], None]] = {
        "why, of any page": lambda: ask("why", next(pages)),
        "why, of the best": lambda: ask("why", next(best)),
        "why, not known": lambda: ask("why", "https://garden0.org/no/such/page.html"),
        "top": lambda: ask("top"),
        "top --n 100": lambda: ask("top", "--n", "100"),
        "top --n 100 --where 1": lambda: ask("top", "--n", "100", "--where", "1"),
        "status": lambda: ask("status"),
        "view ranks limit 10": view,
    }
    times = []
    for _ in range(6):
        started = time.perf_counter()
        questions[question]()
        times.append(1000 * (time.perf_counter() - started))
    print(f"{question:<24} {sorted(times[1:])[2]:>6.0f} ms {max(times[1:]):>6.0f} ms")


QUESTIONS = (
    "why, of any page",
    "why, of the best",
    "why, not known",
    "top",
    "top --n 100",
    "top --n 100 --where 1",
    "status",
    "view ranks limit 10",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("size", nargs="?", type=int, default=1_000_000, metavar="SIZE")
    parser.add_argument("--store", type=Path, metavar="FILE", help="Make the store here, or use it again.")
    parser.add_argument("--ask", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ask:
        asked(options.store, options.ask)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = options.store or Path(folder) / "crawl.db"
        if not path.exists():
            fill(path, options.size)
            ended(path)
        for question in QUESTIONS:
            subprocess.run([sys.executable, __file__, "--store", str(path), "--ask", question], check=True)


if __name__ == "__main__":
    main()
