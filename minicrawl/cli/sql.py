"""minicrawl sql"""

import os
import signal
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path

import click

from minicrawl.cli.options import about_store
from minicrawl.cli.output import document, fitted
from minicrawl.errors import SettingError
from minicrawl.log import printable

_WIDEST, _MEASURED = 60, 1_000
"""Characters of a cell in a table, and rows that say how wide the columns are."""
_MEMORY = 2**29
"""Bytes that SQLite may take."""
_GRACE = 0.5
"""Seconds of CPU time that an answer may take beyond its limit, within which SQLite looks at the clock."""


@click.command(epilog='Example: minicrawl sql "SELECT url, importance FROM page ORDER BY importance DESC LIMIT 10"')
@click.argument("query")
@click.option("--csv", "as_csv", is_flag=True, help="Print CSV, with every value in full.")
@click.option("--time", "seconds", default=60.0, show_default=True, type=click.FloatRange(min=0, min_open=True),
              help="Give up after this many seconds.")  # fmt: skip
@about_store
def command(query: str, as_csv: bool, seconds: float, store: Path, as_json: bool) -> None:
    """Query a store in SQL. QUERY only reads.

    The views are page, link, anchor, no_url, host, site, fetch, redirect and change; docs/store.md lists their columns,
    with examples. The function meaning(reason) explains a reason code.
    """
    from minicrawl.analysis.page_links import make_anchors
    from minicrawl.export.tables import STANDARD_OUTPUT, Table, export_table
    from minicrawl.reasons import meaning
    from minicrawl.store.reader import open_store

    if as_csv and as_json:
        raise SettingError("--csv and --json are two formats of the result; choose one")
    with open_store(store) as reader, reader.snapshot():
        reader.define("meaning", meaning)
        make_anchors(reader)
        reader.value(f"PRAGMA hard_heap_limit = {_MEMORY}")
        with _ended_after(seconds), reader.questions.asked(query, seconds) as (columns, answers):
            rows = (tuple(value.hex() if isinstance(value, bytes) else value for value in row) for row in answers)
            if as_csv:
                export_table(Table(dict.fromkeys(columns, str), rows), STANDARD_OUTPUT, "csv")
            elif as_json:
                click.echo(document([dict(zip(columns, row, strict=True)) for row in rows]))
            else:
                for line in fitted(_lines(columns, rows)):
                    click.echo(line)


@contextmanager
def _ended_after(seconds: float) -> Iterator[None]:
    """End the process where the block takes more seconds of CPU time, or by a signal, whatever SQLite does meanwhile.

    It looks at the clock, and lets Python handle signals, between two of its steps; a step may take minutes.
    """
    done, began = threading.Event(), time.process_time()

    def watch() -> None:
        while (left := seconds + _GRACE - (time.process_time() - began)) > 0:
            if done.wait(min(left, threading.TIMEOUT_MAX)):
                return
        os.write(2, f"Error: the query takes more than {seconds:g} seconds; --time allows more\n".encode())
        os._exit(SettingError.exit_code)

    kinds = [kind for kind in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(kind) is not signal.SIG_IGN]
    before = {kind: signal.signal(kind, signal.SIG_DFL) for kind in kinds}
    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        done.set()
        for kind, handler in before.items():
            signal.signal(kind, handler)


def _lines(columns: Sequence[str], rows: Iterable[tuple[object, ...]]) -> Iterator[str]:
    rows_of_cells = (["" if value is None else printable(str(value)) for value in row] for row in rows)
    first = [columns, *islice(rows_of_cells, _MEASURED)]
    widths = [min(max(map(len, column)), _WIDEST) for column in zip(*first, strict=True)]
    for row in chain(first, rows_of_cells):
        yield "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
