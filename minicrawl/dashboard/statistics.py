"""The shape of the crawled web, and how the crawl has gone on: for charts.

The shape is that of 'minicrawl graph stats', worked out by that command in a process of its own: it may take seconds,
during which pages are to be answered, and SciPy is there only where somebody has installed it.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from minicrawl.errors import StoreError
from minicrawl.store.reader import open_store

Reading = Mapping[str, Any]
_BINS = 150
_LONGEST = 600.0


def shape(store: Path) -> Reading:
    """What 'minicrawl graph stats --json' says of a store. Raises StoreError with its sentence where it fails."""
    command = [sys.executable, "-m", "minicrawl", "graph", "stats", "--json", "--store", str(store)]
    try:
        ended = subprocess.run(command, capture_output=True, check=False, timeout=_LONGEST, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as error:
        raise StoreError("the shape of so many links takes too long; see 'minicrawl graph stats'") from error
    if ended.returncode:
        lines = ended.stderr.decode("utf-8", "replace").strip().splitlines() or ["Error: no reason was given"]
        raise StoreError(lines[-1].removeprefix("Error: "))
    found: Reading = json.loads(ended.stdout)
    return found


def course(store: Path) -> Reading:
    """Pages by what became of them, and how many answers and bytes came when: by the last answer of each page.

    `since`: Unix seconds; `seconds`: of a bin; `pages`, `failures`, `bytes`: of each bin.
    """
    with open_store(store) as reader, reader.snapshot():
        counts = reader.page_table.counts()
        first, seconds, bins = reader.page_table.answers_by_time(_BINS)
    return {
        "states": [{"state": state, "reason": reason, "pages": n} for (state, reason), n in counts.items()],
        "since": first,
        "seconds": seconds,
        "pages": [pages for pages, _, _ in bins],
        "failures": [failures for _, failures, _ in bins],
        "bytes": [size for _, _, size in bins],
    }
