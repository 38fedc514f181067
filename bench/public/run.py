"""Benchmarks that anybody can run: minicrawl beside programs of others, from package registries alone.

    python bench/public/run.py [--suite NAME ...] [--quick] [-o FOLDER]

The Python needs minicrawl with its extras demo and lab. Writes FOLDER/results.json, as results.schema.json says, and
FOLDER/results.md.
"""

import argparse
import datetime
import json
import os
import platform
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(_ROOT / "bench"), str(_ROOT / "tests")]

from public.bench import Bench, Suite  # noqa: E402
from public.results import page  # noqa: E402

import minicrawl  # noqa: E402

SUITES = ("speed", "order", "agreement", "search", "robots", "links")


def run(names: Sequence[str], cache: Path, *, is_quick: bool, graphs: Sequence[Path] = ()) -> Iterator[dict[str, Any]]:
    """The results so far, after each suite. cache: for peers and packages; with is_quick nothing is installed or
    downloaded."""
    load, suites = os.getloadavg()[0], list[dict[str, Any]]()
    for name in names:
        suites.append(_suite(import_module(f"public.suites.{name}").SUITE, Bench(cache, is_quick, graphs)))
        yield _results(suites, load, is_quick=is_quick)


def _results(suites: Sequence[dict[str, Any]], load: float, *, is_quick: bool) -> dict[str, Any]:
    return {
        "schema": 1,
        "date": datetime.date.today().isoformat(),
        "quick": is_quick,
        "minicrawl": minicrawl.__version__,
        "machine": {
            "cores": os.cpu_count(),
            "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
            "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(),
            "load_before": round(load, 1),
            "load_after": round(os.getloadavg()[0], 1),
        },
        "suites": list(suites),
    }


def _suite(suite: Suite, bench: Bench) -> dict[str, Any]:
    bench.prepare(suite.peers, lambda name: print(f"{suite.name}: {name} is looked for", file=sys.stderr))
    tables = []
    for table in suite.run(bench):
        print(f"{suite.name}: {table.title}", file=sys.stderr)
        tables.append(table.as_json())
    measures, fair = suite.notes()
    return {
        "name": suite.name,
        "title": suite.title,
        "measures": measures,
        "fair": fair,
        "peers": list(bench.peers_as_json(suite.peers)),
        "commands": bench.commands,
        "tables": tables,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--suite", nargs="+", choices=SUITES, default=SUITES, metavar="NAME", help=f"of {', '.join(SUITES)}"
    )
    parser.add_argument("--quick", action="store_true", help="small inputs and no peers: seconds, nothing is installed")
    parser.add_argument("-o", "--output", type=Path, default=Path("benchmarks"), metavar="FOLDER")
    parser.add_argument("--cache", type=Path, default=Path.home() / ".cache" / "minicrawl-bench", metavar="FOLDER",
                        help="of peers and packages; it may be deleted")  # fmt: skip
    parser.add_argument("--graph", type=Path, nargs="+", default=(), help="more graphs for the suite 'agreement'")
    given = parser.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    for results in run(given.suite, given.cache.absolute(), is_quick=given.quick, graphs=given.graph):
        (given.output / "results.json").write_text(json.dumps(results, indent=1) + "\n")
        (given.output / "results.md").write_text(page(results))
    print(f"{given.output / 'results.md'} and results.json are written")


if __name__ == "__main__":
    main()
