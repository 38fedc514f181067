"""Accesses of the store per page of a crawl, beside the two of the OPIC paper: its record is read, and written.

    python bench/accesses.py [--pages 1500] [options of 'minicrawl crawl']

Crawls the demo's web on loopback in this process. An access is a statement on a row. Commits collect the rows of many
pages, so the last lines have what reaches the files: calls of read and write (sockets use others), and their bytes. The
start and the end of the crawl are included, with modules that are loaded on the way.
"""

import argparse
import json
import os
import re
import shlex
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any  # Any: what sqlite3.connect takes
from unittest import mock

_HERE = Path(__file__).parent.parent
_STATEMENT = re.compile(
    r"\s*(?:WITH\b.*?\)\s*)?(?:(SELECT)\b.*?\bFROM|(INSERT|REPLACE)\b.*?\bINTO|(UPDATE)(?:\s+OR\s+\w+)?|(DELETE)\s+FROM)\s+(\w+)",
    re.IGNORECASE | re.DOTALL,
)
_LEAST = 0.01  # accesses a page that are worth a line


class Statements:
    """Counts the statements of every connection that this process opens, by kind and table."""

    def __init__(self) -> None:
        self.by = Counter[tuple[str, str]]()
        self._connect = sqlite3.connect

    def connect(self, *words: Any, **options: Any) -> sqlite3.Connection:
        """Instead of `sqlite3.connect`: the connection counts its statements."""
        connection: sqlite3.Connection = self._connect(*words, **options)
        connection.set_trace_callback(self._count)
        return connection

    def _count(self, statement: str) -> None:
        found = _STATEMENT.match(statement)
        if found:
            *kinds, table = found.groups()
            self.by[next(kind.upper() for kind in kinds if kind), table] += 1
        else:
            self.by[statement.split(None, 1)[0].upper(), ""] += 1

    def reads(self, *tables: str) -> int:
        """Rows that were looked for in some tables, in all without names."""
        return sum(n for (kind, of), n in self.by.items() if kind == "SELECT" and (not tables or of in tables))

    def writes(self, *tables: str) -> int:
        """Rows written to some tables, to all without names."""
        kinds = ("INSERT", "REPLACE", "UPDATE", "DELETE")
        return sum(n for (kind, of), n in self.by.items() if kind in kinds and (not tables or of in tables))


def calls() -> dict[str, int]:
    """Calls of read and write, and their bytes, of this process so far."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return {name: int(value) for name, value in (line.split(": ") for line in lines)}


@contextmanager
def demo(pages: int) -> Iterator[list[str]]:
    """The demo's web, served on loopback: the words for a crawl of it."""
    command = [sys.executable, "-m", "minicrawl", "demo", "--serve", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=_HERE) as server:
        assert server.stdout is not None
        words = next(shlex.split(line) for line in server.stdout if " crawl " in line)
        yield [*words[words.index("crawl") + 1 :], "--delay", "0", "--pages", str(pages)]
        server.terminate()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1500, help="answers of the crawl")
    options, more = parser.parse_known_args()
    from minicrawl.cli import main as run  # noqa: PLC0415 - its imports are not the crawl's reads

    statements = Statements()
    with tempfile.TemporaryDirectory() as folder, demo(options.pages) as words:
        store, printed = Path(folder) / "bench.db", StringIO()
        before = calls()
        with redirect_stdout(printed), mock.patch("sqlite3.connect", statements.connect):
            run(["crawl", *words, *more, "--json", "--no-progress", "--store", str(store)], standalone_mode=False)
        after = calls()
        pages = json.loads(printed.getvalue())["fetched"]
        size = os.path.getsize(store)
    print(f"{pages:,} answers, {size / pages:,.0f} bytes of the store a page\n")
    print("| statement | table | a page |\n|---|---|---|")
    for (kind, table), count in sorted(statements.by.items(), key=lambda item: -item[1]):
        if count >= _LEAST * pages:
            print(f"| {kind} | {table} | {count / pages:.2f} |")
    moved = {name: (after[name] - before[name]) / pages for name in after}
    print("\n| accesses a page | the paper | read | written |\n|---|---|---|---|")
    for name, tables in (("records of pages", ("pages",)), ("all records", ())):
        print(
            f"| {name} | 1 + 1 | {statements.reads(*tables) / pages:.2f} | {statements.writes(*tables) / pages:.2f} |"
        )
    print(f"| system calls | | {moved['syscr']:.2f} | {moved['syscw']:.2f} |")
    print(f"| bytes | | {moved['rchar']:,.0f} | {moved['wchar']:,.0f} |")


if __name__ == "__main__":
    main()
